package evalorder

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
)

// constant reports whether e has no evaluation: constants, nil, types.
func (r *rewriter) constant(e ast.Expr) bool {
	tv := r.info.Types[e]
	return tv.Value != nil || tv.IsNil() || tv.IsType()
}

// builtin is the name of the built-in function that c calls; "" if it calls another.
func (r *rewriter) builtin(c *ast.CallExpr) string {
	var id *ast.Ident
	switch f := ast.Unparen(c.Fun).(type) {
	case *ast.Ident:
		id = f
	case *ast.SelectorExpr:
		id = f.Sel
	default:
		return ""
	}
	if b, ok := r.info.Uses[id].(*types.Builtin); ok {
		return b.Name()
	}
	return ""
}

// acts is the compiler's callOrChan, of e and all in it but literals.
func (r *rewriter) acts(e ast.Expr) bool {
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.UnaryExpr:
			found = found || n.Op == token.ARROW
		case *ast.CallExpr:
			if r.constant(n) {
				return false
			}
			found = found || !r.info.Types[n.Fun].IsType() && r.builtin(n) != "new"
		}
		return !found
	})
	return found
}

// mayPanic reports whether there is an operation in e that may panic, literals aside.
func (r *rewriter) mayPanic(e ast.Expr) bool {
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.SelectorExpr:
			sel := r.info.Selections[n]
			found = found || sel != nil && (sel.Indirect() || pointer(sel.Recv()) || isInterface(sel.Recv()))
		case *ast.IndexExpr, *ast.SliceExpr, *ast.StarExpr, *ast.TypeAssertExpr:
			found = found || !r.constant(n.(ast.Expr))
		case *ast.CallExpr:
			switch r.builtin(n) {
			case "len", "cap", "min", "max", "complex", "real", "imag", "new", "recover":
			default:
				found = found || !r.constant(n) && !(r.info.Types[n.Fun].IsType() && isBasic(r.typeOf(n)))
			}
		case *ast.BinaryExpr:
			switch n.Op {
			case token.QUO, token.REM, token.SHL, token.SHR:
				found = found || !r.constant(n.Y)
			case token.EQL, token.NEQ:
				found = found || isInterface(r.typeOf(n.X)) || isInterface(r.typeOf(n.Y))
			}
		}
		return !found
	})
	return found
}

// param is the type of the parameter that argument i of a call is for; nil if there is none.
func (r *rewriter) param(c *ast.CallExpr, i int) types.Type {
	sig, ok := under(r.typeOf(c.Fun)).(*types.Signature)
	if !ok {
		return nil
	}
	switch n := sig.Params().Len(); {
	case sig.Variadic() && i >= n-1 && !c.Ellipsis.IsValid():
		return elem(sig.Params().At(n - 1).Type())
	case i < n:
		return sig.Params().At(i).Type()
	}
	return nil
}

// instance reports whether x of x[T] is a generic function.
func (r *rewriter) instance(x ast.Expr) bool {
	var id *ast.Ident
	switch x := ast.Unparen(x).(type) {
	case *ast.Ident:
		id = x
	case *ast.SelectorExpr:
		id = x.Sel
	default:
		return false
	}
	_, ok := r.info.Instances[id]
	return ok
}

func (r *rewriter) mapType(e ast.Expr) *types.Map {
	m, _ := under(r.typeOf(e)).(*types.Map)
	return m
}

// addressable is the compiler's ir.IsAddressable.
func (r *rewriter) addressable(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return r.addressable(e.X)
	case *ast.Ident:
		_, ok := r.info.ObjectOf(e).(*types.Var)
		return ok
	case *ast.SelectorExpr:
		sel := r.info.Selections[e]
		if sel == nil {
			return r.addressable(e.Sel)
		}
		return sel.Kind() == types.FieldVal && (pointer(sel.Recv()) || sel.Indirect() || r.addressable(e.X))
	case *ast.IndexExpr:
		switch under(r.typeOf(e.X)).(type) {
		case *types.Slice, *types.Pointer:
			return true
		case *types.Array:
			return r.addressable(e.X)
		}
	case *ast.StarExpr:
		return true
	}
	return false
}

// same is the compiler's ir.SameSafeExpr.
func (r *rewriter) same(x, y ast.Expr) bool {
	x, y = ast.Unparen(x), ast.Unparen(y)
	if vx, vy := r.info.Types[x].Value, r.info.Types[y].Value; vx != nil || vy != nil {
		return vx != nil && vy != nil && vx.Kind() == vy.Kind() && constant.Compare(vx, token.EQL, vy)
	}
	switch x := x.(type) {
	case *ast.Ident:
		y, ok := y.(*ast.Ident)
		_, isVar := r.info.Uses[x].(*types.Var)
		return ok && isVar && r.info.Uses[x] == r.info.Uses[y]
	case *ast.SelectorExpr:
		y, ok := y.(*ast.SelectorExpr)
		if !ok || r.info.Uses[x.Sel] != r.info.Uses[y.Sel] {
			return false
		}
		sel := r.info.Selections[x]
		return sel == nil || sel.Kind() == types.FieldVal && r.same(x.X, y.X)
	case *ast.StarExpr:
		y, ok := y.(*ast.StarExpr)
		return ok && r.same(x.X, y.X)
	case *ast.IndexExpr:
		y, ok := y.(*ast.IndexExpr)
		return ok && r.same(x.X, y.X) && r.same(x.Index, y.Index)
	case *ast.UnaryExpr:
		y, ok := y.(*ast.UnaryExpr)
		return ok && x.Op == y.Op && x.Op != token.ARROW && x.Op != token.AND && r.same(x.X, y.X)
	case *ast.BinaryExpr:
		y, ok := y.(*ast.BinaryExpr)
		return ok && x.Op == y.Op && arithmetic(x.Op) && !isString(r.typeOf(x)) && r.same(x.X, y.X) && r.same(x.Y, y.Y)
	case *ast.CallExpr: // a conversion of numbers
		y, ok := y.(*ast.CallExpr)
		return ok && r.info.Types[x.Fun].IsType() && r.info.Types[y.Fun].IsType() && types.Identical(r.typeOf(x), r.typeOf(y)) &&
			isNumber(r.typeOf(x)) && isNumber(r.typeOf(x.Args[0])) && r.same(x.Args[0], y.Args[0])
	}
	return false
}

func arithmetic(op token.Token) bool { return op >= token.ADD && op <= token.AND_NOT }

// under is the core type of t.
func under(t types.Type) types.Type {
	if t == nil {
		return nil
	}
	if p, ok := types.Unalias(t).(*types.TypeParam); ok {
		return core(p)
	}
	return t.Underlying()
}

// core is the one underlying type of the types of a constraint; the constraint itself if there are
// several.
func core(p *types.TypeParam) types.Type {
	iface := p.Constraint().Underlying()
	var one types.Type
	it, ok := iface.(*types.Interface)
	if !ok {
		return iface
	}
	for e := range it.EmbeddedTypes() {
		terms := []types.Type{e}
		if u, ok := e.(*types.Union); ok {
			terms = nil
			for t := range u.Terms() {
				terms = append(terms, t.Type())
			}
		}
		for _, t := range terms {
			if u := t.Underlying(); one == nil {
				one = u
			} else if !types.Identical(one, u) {
				return iface
			}
		}
	}
	if one == nil {
		return iface
	}
	return one
}

func deref(t types.Type) types.Type {
	if p, ok := under(t).(*types.Pointer); ok {
		return p.Elem()
	}
	return t
}

// elem is the element type of a slice, array, map or channel; nil of others.
func elem(t types.Type) types.Type {
	if e, ok := under(t).(interface{ Elem() types.Type }); ok {
		return e.Elem()
	}
	return nil
}

func pointer(t types.Type) bool {
	_, ok := under(t).(*types.Pointer)
	return ok
}

func aggregate(t types.Type) bool {
	switch under(t).(type) {
	case *types.Struct, *types.Array:
		return true
	}
	return false
}

func isInterface(t types.Type) bool {
	if t == nil {
		return false
	}
	_, param := types.Unalias(t).(*types.TypeParam)
	return !param && types.IsInterface(t)
}

func basic(t types.Type) types.BasicInfo {
	if b, ok := under(t).(*types.Basic); ok {
		return b.Info()
	}
	return 0
}

func isBasic(t types.Type) bool  { return basic(t) != 0 }
func isString(t types.Type) bool { return basic(t)&types.IsString != 0 }
func isNumber(t types.Type) bool { return basic(t)&types.IsNumeric != 0 }

func isUintptr(t types.Type) bool       { return isKind(t, types.Uintptr) }
func isUnsafePointer(t types.Type) bool { return isKind(t, types.UnsafePointer) }

func isKind(t types.Type, k types.BasicKind) bool {
	b, ok := under(t).(*types.Basic)
	return ok && b.Kind() == k
}
