package evalorder

import (
	"go/ast"
	"go/token"
	"go/types"
)

// promoted names the embedded fields that the use of a promoted method or field goes through (O17).
func (r *rewriter) promoted(files []*ast.File) {
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			if e, ok := n.(*ast.SelectorExpr); ok {
				r.embedded(e)
			}
			return true
		})
	}
}

// embedded rewrites x.f to x.Embedded.f where go/ssa would read all of the variable x.
func (r *rewriter) embedded(e *ast.SelectorExpr) {
	sel := r.info.Selections[e]
	if sel == nil || len(sel.Index()) == 1 || pointer(sel.Recv()) || !r.info.Types[e.X].Addressable() {
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
		if !r.selected(next, t, f) {
			return
		}
		inner = append(inner, next)
		x, t = next, f.Type()
	}
	if len(inner) == 0 {
		return
	}
	outer := &ast.SelectorExpr{X: x, Sel: e.Sel}
	if !r.selected(outer, t, sel.Obj()) {
		return
	}
	r.info.Selections[e] = r.info.Selections[outer]
	r.undo = append(r.undo, func() { r.info.Selections[e] = sel })
	set(r, &e.X, x)
}

// selected gives the selector e the type information that it has for a variable of type t, and
// reports whether it could. Only go/types makes selections, so it is asked about a variable of a
// package that has no other.
func (r *rewriter) selected(e *ast.SelectorExpr, t types.Type, obj types.Object) bool {
	from := obj.Pkg()
	if from == nil { // Error
		from = r.pkg
	}
	pkg := types.NewPackage(from.Path(), from.Name())
	pkg.Scope().Insert(types.NewVar(token.NoPos, pkg, "x", t))
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Selections: map[*ast.SelectorExpr]*types.Selection{}}
	q := &ast.SelectorExpr{X: ast.NewIdent("x"), Sel: ast.NewIdent(obj.Name())}
	if err := types.CheckExpr(token.NewFileSet(), pkg, token.NoPos, q, info); err != nil || info.Selections[q] == nil || info.Selections[q].Obj() != obj {
		return false
	}
	if uses := r.info.Uses; uses[e.Sel] == nil {
		uses[e.Sel] = obj
		r.undo = append(r.undo, func() { delete(uses, e.Sel) })
	}
	r.info.Types[e], r.info.Selections[e] = info.Types[q], info.Selections[q]
	r.undo = append(r.undo, func() {
		delete(r.info.Types, e)
		delete(r.info.Selections, e)
	})
	return true
}
