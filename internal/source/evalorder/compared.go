package evalorder

import (
	"go/ast"
	"go/token"
	"go/types"
)

// compared converts the left operand of a comparison of interfaces, or the tag of a switch, where
// go/ssa would convert the other operand to a type that it does not implement (O20).
func (r *rewriter) compared(files []*ast.File) {
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.BinaryExpr:
				if (n.Op == token.EQL || n.Op == token.NEQ) && r.narrows(n.X, n.Y) {
					r.converted(&n.X, r.typeOf(n.Y))
				}
			case *ast.SwitchStmt:
				if n.Tag != nil && r.narrowsCase(n) {
					r.converted(&n.Tag, types.NewInterfaceType(nil, nil))
				}
			}
			return true
		})
	}
}

// narrows reports whether x and y are interfaces, and y cannot be converted to the type of x.
func (r *rewriter) narrows(x, y ast.Expr) bool {
	return !r.constant(x) && !r.constant(y) && interfaces(r.typeOf(x), r.typeOf(y)) &&
		!types.AssignableTo(r.typeOf(y), r.typeOf(x))
}

func (r *rewriter) narrowsCase(s *ast.SwitchStmt) bool {
	for _, c := range s.Body.List {
		for _, e := range c.(*ast.CaseClause).List {
			if r.narrows(s.Tag, e) {
				return true
			}
		}
	}
	return false
}

// converted puts a conversion to t around an expression.
func (r *rewriter) converted(e *ast.Expr, t types.Type) {
	to := ast.NewIdent("T")
	to.NamePos = (*e).Pos()
	pkg := types.NewPackage(r.pkg.Path(), r.pkg.Name())
	pkg.Scope().Insert(types.NewTypeName(token.NoPos, pkg, to.Name, t))
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}}
	if err := types.CheckExpr(token.NewFileSet(), pkg, token.NoPos, to, info); err != nil {
		return
	}
	r.info.Types[to] = info.Types[to]
	r.undo = append(r.undo, func() { delete(r.info.Types, to) })
	conversion := &ast.CallExpr{Fun: to, Lparen: (*e).Pos(), Args: []ast.Expr{*e}, Rparen: (*e).End()}
	r.typed(conversion, t)
	set(r, e, ast.Expr(conversion))
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
