package plan

import (
	"go/ast"
	"go/token"

	"github.com/presage-race/presage/internal/trace"
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

// FirstVariable returns the number of the first variable of a file: its index in Globals. Those
// that follow it in the file have the next numbers.
func (p *Plan) FirstVariable(file *ast.File) int { return p.variablesAt[file] }

// Globals returns the package-level variables whose addresses are recorded, by number, without the
// addresses. Entry 0 is empty. Watched says that the recorder may watch the variable.
func (p *Plan) Globals() []trace.Global {
	list := make([]trace.Global, len(p.variables))
	for i, g := range p.variables[1:] {
		list[i+1] = trace.Global{Name: g.String(), Own: p.Named(g), Watched: p.Watchable(g)}
	}
	return list
}

// addVariables numbers the variables of a package.
func (b *builder) addVariables(pkg *Package) {
	p := b.plan
	for _, file := range pkg.Syntax {
		p.variablesAt[file] = len(p.variables)
		for _, name := range VariablesOf(pkg, file) {
			p.variables = append(p.variables, pkg.SSA.Var(name))
		}
	}
}
