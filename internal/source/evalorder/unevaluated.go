package evalorder

import (
	"go/ast"
	"go/token"
	"go/types"
)

// unevaluated replaces operands of which only the type counts (O18).
func (r *rewriter) unevaluated(files []*ast.File) {
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			c, ok := n.(*ast.CallExpr)
			if !ok || r.constant(c) {
				return true
			}
			switch r.builtin(c) {
			case "Sizeof", "Alignof":
				set(r, &c.Args[0], r.zero(c.Args[0].Pos(), r.typeOf(c.Args[0])))
				return false
			}
			return true
		})
	}
}

// zero is an expression without effects that has type t: the element of an array that nothing is
// put into.
func (r *rewriter) zero(pos token.Pos, t types.Type) ast.Expr {
	array := &ast.CompositeLit{Lbrace: pos, Rbrace: pos}
	r.typed(array, types.NewArray(t, 1))
	e := &ast.IndexExpr{X: array, Lbrack: pos, Index: r.number(pos, 0), Rbrack: pos}
	r.typed(e, t)
	return e
}
