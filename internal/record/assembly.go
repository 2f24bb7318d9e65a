package record

import (
	"fmt"
	"go/ast"
	"strings"
)

// warnAssembly counts the functions of the chosen packages that have no body in Go: what assembly
// accesses has no records.
func (b *build) warnAssembly() {
	n := 0
	var names []string
	seen := map[string]bool{} // by position: a package and its test variant have the same files
	for _, pkg := range b.plan.Program.Packages {
		for _, file := range pkg.Syntax {
			for _, d := range bodiless(file) {
				pos := pkg.Fset.Position(d.Pos()).String()
				if seen[pos] {
					continue
				}
				seen[pos] = true
				if n++; len(names) < 5 {
					names = append(names, fmt.Sprintf("%s.%s", pkg.PkgPath, d.Name.Name))
				}
			}
		}
	}
	if n > len(names) {
		names = append(names, "…")
	}
	b.Meta.Warn("assembly", n, "{{n}} function{{|s}} {{is|are}} written in assembly: what {{it accesses|they access}} is not recorded: "+strings.Join(names, ", "))
}

// bodiless are the functions of a file without a body. One that a go:linkname names is Go
// elsewhere.
func bodiless(file *ast.File) (out []*ast.FuncDecl) {
	linked := map[string]bool{}
	for _, group := range file.Comments {
		for _, c := range group.List {
			if f := strings.Fields(c.Text); len(f) > 1 && f[0] == "//go:linkname" {
				linked[f[1]] = true
			}
		}
	}
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Body == nil && !linked[f.Name.Name] {
			out = append(out, f)
		}
	}
	return out
}
