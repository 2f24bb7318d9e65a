package evalorder

import (
	"go/ast"
	"go/token"
	"go/types"
)

// compared converts the left operand of a comparison of interfaces, or the tag of a switch, where
// go/ssa would convert the other operand to a type that the operand does not implement.
func (fx *fixes) compared(files []*ast.File) {
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.BinaryExpr:
				if (n.Op == token.EQL || n.Op == token.NEQ) && fx.narrows(n.X, n.Y) {
					fx.converted(&n.X, fx.facts.typeOf(n.Y))
				}
			case *ast.SwitchStmt:
				if n.Tag != nil && fx.narrowsCase(n) {
					fx.converted(&n.Tag, types.NewInterfaceType(nil, nil))
				}
			}
			return true
		})
	}
}

// narrows reports whether x and y are interfaces, and y cannot be converted to the type of x.
func (fx *fixes) narrows(x, y ast.Expr) bool {
	return !fx.facts.constant(x) && !fx.facts.constant(y) && interfaces(fx.facts.typeOf(x), fx.facts.typeOf(y)) &&
		!types.AssignableTo(fx.facts.typeOf(y), fx.facts.typeOf(x))
}

func (fx *fixes) narrowsCase(s *ast.SwitchStmt) bool {
	for _, c := range s.Body.List {
		for _, e := range c.(*ast.CaseClause).List {
			if fx.narrows(s.Tag, e) {
				return true
			}
		}
	}
	return false
}

// converted wraps an expression in a conversion to t.
func (fx *fixes) converted(e *ast.Expr, t types.Type) {
	to := ast.NewIdent("T")
	to.NamePos = (*e).Pos()
	pkg := types.NewPackage(fx.edit.pkg.Path(), fx.edit.pkg.Name())
	pkg.Scope().Insert(types.NewTypeName(token.NoPos, pkg, to.Name, t))
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}}
	if err := types.CheckExpr(token.NewFileSet(), pkg, token.NoPos, to, info); err != nil {
		return
	}
	enter(fx.edit, fx.facts.info.Types, ast.Expr(to), info.Types[to])
	conversion := &ast.CallExpr{Fun: to, Lparen: (*e).Pos(), Args: []ast.Expr{*e}, Rparen: (*e).End()}
	fx.edit.typed(conversion, t)
	set(fx.edit, e, ast.Expr(conversion))
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
