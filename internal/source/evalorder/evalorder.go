package evalorder

import (
	"go/ast"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// Build builds the functions of p in gc's order of evaluation. When it returns, the syntax is as it
// was before. files and info are those from which p was created; sizes may be nil. The results are
// the places that keep the order of go/ssa (EO7): statements, and initialisers of package-level
// variables. The latter matter only to code that executes the SSA.
func Build(p *ssa.Package, files []*ast.File, info *types.Info, sizes types.Sizes) (stmts, inits []token.Pos) {
	if sizes == nil {
		sizes = types.SizesFor("gc", "amd64")
	}
	known, edit := &facts{info: info, sizes: sizes}, &editor{info: info, pkg: p.Pkg}
	defer edit.restore()
	(&fixes{facts: known, edit: edit}).apply(files)
	r := &rewriter{facts: known, edit: edit}
	for _, f := range files {
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.FuncDecl:
				if d.Body != nil {
					r.within(d)
					r.function(info.Defs[d.Name], d.Body)
				}
			case *ast.GenDecl:
				r.initialisers(d)
			}
		}
	}
	p.Build()
	return r.gaps, r.inits
}
