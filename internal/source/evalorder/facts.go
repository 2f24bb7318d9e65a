package evalorder

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
)

// facts answers questions about the types of expressions, and about the compiler's view of them.
type facts struct {
	info  *types.Info
	sizes types.Sizes
}

func (f *facts) typeOf(e ast.Expr) types.Type { return f.info.TypeOf(e) }

// constant reports whether e is not evaluated, because it is a constant, nil or a type.
func (f *facts) constant(e ast.Expr) bool {
	tv := f.info.Types[e]
	return tv.Value != nil || tv.IsNil() || tv.IsType()
}

// builtin returns the name of the built-in function that c calls, "" if c calls another function.
func (f *facts) builtin(c *ast.CallExpr) string {
	var id *ast.Ident
	switch f := ast.Unparen(c.Fun).(type) {
	case *ast.Ident:
		id = f
	case *ast.SelectorExpr:
		id = f.Sel
	default:
		return ""
	}
	if b, ok := f.info.Uses[id].(*types.Builtin); ok {
		return b.Name()
	}
	return ""
}

// acts reports whether e contains a call or a receive, outside of function literals. It is the
// compiler's callOrChan.
func (f *facts) acts(e ast.Expr) bool {
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.UnaryExpr:
			found = found || n.Op == token.ARROW
		case *ast.CallExpr:
			if f.constant(n) {
				return false
			}
			found = found || !f.info.Types[n.Fun].IsType() && f.builtin(n) != "new"
		}
		return !found
	})
	return found
}

// mayPanic reports whether e contains an operation that may panic, outside of function literals.
func (f *facts) mayPanic(e ast.Expr) bool {
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.SelectorExpr:
			sel := f.info.Selections[n]
			found = found || sel != nil && (sel.Indirect() || pointer(sel.Recv()) || isInterface(sel.Recv()))
		case *ast.IndexExpr, *ast.SliceExpr, *ast.StarExpr, *ast.TypeAssertExpr:
			found = found || !f.constant(n.(ast.Expr))
		case *ast.CallExpr:
			switch f.builtin(n) {
			case "len", "cap", "min", "max", "complex", "real", "imag", "new", "recover":
			default:
				found = found || !f.constant(n) && !(f.info.Types[n.Fun].IsType() && isBasic(f.typeOf(n)))
			}
		case *ast.BinaryExpr:
			switch n.Op {
			case token.QUO, token.REM, token.SHL, token.SHR:
				found = found || !f.constant(n.Y)
			case token.EQL, token.NEQ:
				found = found || isInterface(f.typeOf(n.X)) || isInterface(f.typeOf(n.Y))
			}
		}
		return !found
	})
	return found
}

// param returns the type of the parameter that receives argument i of a call, nil if there is none.
func (f *facts) param(c *ast.CallExpr, i int) types.Type {
	sig, ok := under(f.typeOf(c.Fun)).(*types.Signature)
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
func (f *facts) instance(x ast.Expr) bool {
	var id *ast.Ident
	switch x := ast.Unparen(x).(type) {
	case *ast.Ident:
		id = x
	case *ast.SelectorExpr:
		id = x.Sel
	default:
		return false
	}
	_, ok := f.info.Instances[id]
	return ok
}

func (f *facts) mapType(e ast.Expr) *types.Map {
	m, _ := under(f.typeOf(e)).(*types.Map)
	return m
}

// addressable reports whether e has an address. It is the compiler's ir.IsAddressable.
func (f *facts) addressable(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return f.addressable(e.X)
	case *ast.Ident:
		_, ok := f.info.ObjectOf(e).(*types.Var)
		return ok
	case *ast.SelectorExpr:
		sel := f.info.Selections[e]
		if sel == nil {
			return f.addressable(e.Sel)
		}
		return sel.Kind() == types.FieldVal && (pointer(sel.Recv()) || sel.Indirect() || f.addressable(e.X))
	case *ast.IndexExpr:
		switch under(f.typeOf(e.X)).(type) {
		case *types.Slice, *types.Pointer:
			return true
		case *types.Array:
			return f.addressable(e.X)
		}
	case *ast.StarExpr:
		return true
	}
	return false
}

// same reports whether x and y are the same expression without effects. It is the compiler's
// ir.SameSafeExpr.
func (f *facts) same(x, y ast.Expr) bool {
	x, y = ast.Unparen(x), ast.Unparen(y)
	if vx, vy := f.info.Types[x].Value, f.info.Types[y].Value; vx != nil || vy != nil {
		return vx != nil && vy != nil && vx.Kind() == vy.Kind() && constant.Compare(vx, token.EQL, vy)
	}
	switch x := x.(type) {
	case *ast.Ident:
		y, ok := y.(*ast.Ident)
		_, isVar := f.info.Uses[x].(*types.Var)
		return ok && isVar && f.info.Uses[x] == f.info.Uses[y]
	case *ast.SelectorExpr:
		y, ok := y.(*ast.SelectorExpr)
		if !ok || f.info.Uses[x.Sel] != f.info.Uses[y.Sel] {
			return false
		}
		sel := f.info.Selections[x]
		return sel == nil || sel.Kind() == types.FieldVal && f.same(x.X, y.X)
	case *ast.StarExpr:
		y, ok := y.(*ast.StarExpr)
		return ok && f.same(x.X, y.X)
	case *ast.IndexExpr:
		y, ok := y.(*ast.IndexExpr)
		return ok && f.same(x.X, y.X) && f.same(x.Index, y.Index)
	case *ast.UnaryExpr:
		y, ok := y.(*ast.UnaryExpr)
		return ok && x.Op == y.Op && x.Op != token.ARROW && x.Op != token.AND && f.same(x.X, y.X)
	case *ast.BinaryExpr:
		y, ok := y.(*ast.BinaryExpr)
		return ok && x.Op == y.Op && arithmetic(x.Op) && !isString(f.typeOf(x)) && f.same(x.X, y.X) && f.same(x.Y, y.Y)
	case *ast.CallExpr: // a conversion of numbers
		y, ok := y.(*ast.CallExpr)
		return ok && f.info.Types[x.Fun].IsType() && f.info.Types[y.Fun].IsType() && types.Identical(f.typeOf(x), f.typeOf(y)) &&
			isNumber(f.typeOf(x)) && isNumber(f.typeOf(x.Args[0])) && f.same(x.Args[0], y.Args[0])
	}
	return false
}

func arithmetic(op token.Token) bool { return op >= token.ADD && op <= token.AND_NOT }

// under returns the underlying type of t, of a type parameter its core type.
func under(t types.Type) types.Type {
	if t == nil {
		return nil
	}
	if p, ok := types.Unalias(t).(*types.TypeParam); ok {
		return core(p)
	}
	return t.Underlying()
}

// core returns the one underlying type of the types of a constraint. If there are several, it
// returns the constraint itself.
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

// elem returns the element type of a slice, array, map or channel, nil for other types.
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
