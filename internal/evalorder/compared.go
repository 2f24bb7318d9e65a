package evalorder

import (
	"go/ast"
	"go/token"
	"go/types"
)

// compared converts the left operand of a comparison of interfaces where go/ssa would convert the
// right one to a type that it does not implement (O20).
func (r *rewriter) compared(files []*ast.File) {
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			if e, ok := n.(*ast.BinaryExpr); ok && (e.Op == token.EQL || e.Op == token.NEQ) {
				r.converted(e)
			}
			return true
		})
	}
}

func (r *rewriter) converted(e *ast.BinaryExpr) {
	x, y := r.typeOf(e.X), r.typeOf(e.Y)
	if r.constant(e.X) || r.constant(e.Y) || !interfaces(x, y) || types.AssignableTo(y, x) {
		return
	}
	to := ast.NewIdent("T")
	to.NamePos = e.X.Pos()
	pkg := types.NewPackage(r.pkg.Path(), r.pkg.Name())
	pkg.Scope().Insert(types.NewTypeName(token.NoPos, pkg, to.Name, y))
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}}
	if err := types.CheckExpr(token.NewFileSet(), pkg, token.NoPos, to, info); err != nil {
		return
	}
	r.info.Types[to] = info.Types[to]
	r.undo = append(r.undo, func() { delete(r.info.Types, to) })
	conversion := &ast.CallExpr{Fun: to, Lparen: e.X.Pos(), Args: []ast.Expr{e.X}, Rparen: e.X.End()}
	r.typed(conversion, y)
	set(r, &e.X, ast.Expr(conversion))
}

// interfaces reports whether both types are interfaces, not type parameters.
func interfaces(list ...types.Type) bool {
	for _, t := range list {
		if _, ok := types.Unalias(t).(*types.TypeParam); ok || !types.IsInterface(t) {
			return false
		}
	}
	return true
}
