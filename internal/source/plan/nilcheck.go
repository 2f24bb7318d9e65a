package plan

import (
	"go/ast"
	"go/token"

	"golang.org/x/tools/go/ssa"
)

// In the language, &*p panics if p is nil, and does not read *p. go/ssa has a load for the check
// (PL2):
//
//	q := &*p    // t0 = *p, which nothing uses; q = p
//
// A record of a read there would report a race that the program does not have.

// nilChecks returns the positions of the stars of all expressions &*p. A load has the position of
// its star.
func nilChecks(files []*ast.File) map[token.Pos]bool {
	found := map[token.Pos]bool{}
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			if u, ok := n.(*ast.UnaryExpr); ok && u.Op == token.AND {
				if star, ok := ast.Unparen(u.X).(*ast.StarExpr); ok {
					found[star.Star] = true
				}
			}
			return true
		})
	}
	return found
}

// checksOnly reports whether an instruction is a load that only checks for nil (PL2).
func (p *Package) checksOnly(in ssa.Instruction) bool {
	load, ok := in.(*ssa.UnOp)
	return ok && load.Op == token.MUL && p.checks[load.Pos()] && len(*load.Referrers()) == 0
}
