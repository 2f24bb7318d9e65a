package plan

import (
	"go/ast"
	"slices"
	"strings"
)

// kept are the directives that mean the same for an emitted function.
var kept = map[string]bool{"//go:noinline": true, "//go:generate": true, "//go:fix": true, "//go:build": true, "//go:embed": true}

// asWritten returns the reason for which a unit is never emitted, or "".
func asWritten(pkg *Package, file *ast.File, n ast.Node) string {
	if !IsSource(pkg, pkg.FileName(file)) {
		return "cgo file"
	}
	if d, ok := n.(*ast.FuncDecl); ok && d.Doc != nil {
		for _, c := range d.Doc.List {
			if word, _, _ := strings.Cut(c.Text, " "); strings.HasPrefix(word, "//go:") && !kept[word] {
				return "directive " + word
			}
		}
	}
	return ""
}

// IsSource reports whether the file is one of the package's own: cgo replaces its input by files in the build cache.
func IsSource(pkg *Package, name string) bool { return slices.Contains(pkg.GoFiles, name) }

// handwritten reports whether the file or what it was made from, by its //line comments, is one of the
// package's own. What cgo adds is not.
func handwritten(pkg *Package, file *ast.File) bool {
	return IsSource(pkg, pkg.FileName(file)) || IsSource(pkg, pkg.Fset.PositionFor(file.Name.Pos(), true).Filename)
}
