package plan

import (
	"go/ast"
	"go/token"
)

// VariablesOf returns the names of the package-level variables that the file declares, in the order
// of the source. Blank ones, and those of files that cgo makes, are left out.
func VariablesOf(pkg *Package, file *ast.File) (names []string) {
	if !IsSource(pkg, pkg.FileName(file)) {
		return nil
	}
	for _, d := range file.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok || g.Tok != token.VAR {
			continue
		}
		for _, s := range g.Specs {
			for _, id := range s.(*ast.ValueSpec).Names {
				if id.Name != "_" {
					names = append(names, id.Name)
				}
			}
		}
	}
	return names
}

// FirstVariable returns the number of the first variable of a file: its index in Plan.Variables.
// Those that follow it in the file have the next numbers.
func (p *Plan) FirstVariable(file *ast.File) int { return p.variablesAt[file] }

// addVariables numbers the variables of a package. The names are those of (*ssa.Global).String.
func (b *builder) addVariables(pkg *Package) {
	p := b.plan
	for _, file := range pkg.Syntax {
		p.variablesAt[file] = len(p.Variables)
		for _, name := range VariablesOf(pkg, file) {
			p.Variables = append(p.Variables, pkg.Types.Path()+"."+name)
		}
	}
}
