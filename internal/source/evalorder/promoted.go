package evalorder

import (
	"go/ast"
	"go/token"
	"go/types"
)

// promoted writes out the embedded fields that a promoted method or field is selected through.
func (fx *fixes) promoted(files []*ast.File) {
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			if e, ok := n.(*ast.SelectorExpr); ok {
				fx.embedded(e)
			}
			return true
		})
	}
}

// embedded rewrites x.f to x.Embedded.f where go/ssa would read all of the variable x.
func (fx *fixes) embedded(e *ast.SelectorExpr) {
	sel := fx.facts.info.Selections[e]
	if sel == nil || len(sel.Index()) == 1 || pointer(sel.Recv()) || !fx.facts.info.Types[e.X].Addressable() {
		return
	}
	switch sel.Kind() {
	case types.FieldVal:
		if !sel.Indirect() {
			return // of its address
		}
	case types.MethodVal:
		if recv := sel.Obj().(*types.Func).Signature().Recv(); recv != nil && pointer(recv.Type()) && !sel.Indirect() {
			return // of its address
		}
	default:
		return
	}
	x, t := e.X, sel.Recv()
	path := sel.Index()[:len(sel.Index())-1]
	var inner []*ast.SelectorExpr
	for _, i := range path {
		s, ok := under(t).(*types.Struct)
		if !ok {
			break // what a pointer leads to is read by its address
		}
		f := s.Field(i)
		next := &ast.SelectorExpr{X: x, Sel: &ast.Ident{NamePos: e.X.Pos(), Name: f.Name()}}
		if !fx.selected(next, t, f) {
			return
		}
		inner = append(inner, next)
		x, t = next, f.Type()
	}
	if len(inner) == 0 {
		return
	}
	outer := &ast.SelectorExpr{X: x, Sel: e.Sel}
	if !fx.selected(outer, t, sel.Obj()) {
		return
	}
	enter(fx.edit, fx.facts.info.Selections, e, fx.facts.info.Selections[outer])
	set(fx.edit, &e.X, x)
}

// selected gives the selector e the type information of a selection from a variable of type t, and
// reports whether there is such a selection. Only go/types can make a types.Selection, so selected
// type-checks a selection in a scratch package that has this one variable.
func (fx *fixes) selected(e *ast.SelectorExpr, t types.Type, obj types.Object) bool {
	from := obj.Pkg()
	if from == nil { // Error
		from = fx.edit.pkg
	}
	pkg := types.NewPackage(from.Path(), from.Name())
	pkg.Scope().Insert(types.NewVar(token.NoPos, pkg, "x", t))
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Selections: map[*ast.SelectorExpr]*types.Selection{}}
	q := &ast.SelectorExpr{X: ast.NewIdent("x"), Sel: ast.NewIdent(obj.Name())}
	if err := types.CheckExpr(token.NewFileSet(), pkg, token.NoPos, q, info); err != nil || info.Selections[q] == nil || info.Selections[q].Obj() != obj {
		return false
	}
	if uses := fx.facts.info.Uses; uses[e.Sel] == nil {
		enter(fx.edit, uses, e.Sel, obj)
	}
	enter(fx.edit, fx.facts.info.Types, ast.Expr(e), info.Types[q])
	enter(fx.edit, fx.facts.info.Selections, e, info.Selections[q])
	return true
}
