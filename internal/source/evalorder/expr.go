package evalorder

import (
	"go/ast"
	"go/token"
	"go/types"
)

// expr visits e, and returns the expression that replaces it.
func (o *order) expr(e ast.Expr) ast.Expr {
	if o.facts.constant(e) {
		return e
	}
	mark := o.late
	switch e := e.(type) {
	case *ast.ParenExpr:
		o.child(&e.X)
	case *ast.Ident:
		o.ident(e)
	case *ast.FuncLit:
		return o.here(e, mark) // so that literals stay in order (EO3)
	case *ast.CompositeLit:
		return o.composite(e)
	case *ast.SelectorExpr:
		o.selector(e)
	case *ast.IndexExpr:
		return o.index(e)
	case *ast.SliceExpr: // (EO3)
		if _, array := under(o.facts.typeOf(e.X)).(*types.Array); array {
			o.addr(&e.X, false)
		} else {
			o.child(&e.X)
		}
		o.child(&e.Low)
		o.child(&e.High)
		o.child(&e.Max)
		return o.here(e, mark)
	case *ast.TypeAssertExpr:
		o.child(&e.X)
		if !o.facts.direct(o.facts.typeOf(e)) { // (EO4)
			return o.here(e, mark)
		}
		o.fail()
	case *ast.CallExpr:
		return o.call(e)
	case *ast.StarExpr:
		o.child(&e.X)
		o.fail()
	case *ast.UnaryExpr:
		return o.unary(e)
	case *ast.BinaryExpr:
		return o.binary(e)
	}
	return e
}

func (o *order) ident(e *ast.Ident) {
	v, ok := o.facts.info.Uses[e].(*types.Var)
	if !ok {
		return
	}
	if global := v.Parent() == o.edit.pkg.Scope() || v.Pkg() != o.edit.pkg; global || o.shared == nil || o.shared[v] {
		o.read()
	}
}

func (o *order) unary(e *ast.UnaryExpr) ast.Expr {
	mark := o.late
	switch e.Op {
	case token.AND:
		if lit, ok := ast.Unparen(e.X).(*ast.CompositeLit); ok && !isMap(o.facts.typeOf(lit)) {
			o.literal(lit)
		} else if ok {
			o.child(&e.X)
		} else {
			o.addr(&e.X, false)
		}
	case token.ARROW:
		o.child(&e.X)
		o.effect(mark)
		return o.here(e, mark)
	default:
		o.child(&e.X)
	}
	return e
}

func (o *order) binary(e *ast.BinaryExpr) ast.Expr {
	switch e.Op {
	case token.LAND, token.LOR:
		return o.logical(e)
	case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
		o.compare(e)
		return e
	}
	o.child(&e.X)
	o.child(&e.Y)
	switch e.Op {
	case token.QUO, token.REM, token.SHL, token.SHR:
		if !o.facts.constant(e.Y) { // may panic
			o.fail()
		}
	}
	return e
}

// compare visits a comparison. Operands that are structs or arrays are copied unless they are
// addressable (EO4).
func (o *order) compare(e *ast.BinaryExpr) {
	x, y := e.X, e.Y
	tx, ty := o.facts.typeOf(x), o.facts.typeOf(y)
	start := o.late
	o.conv(&e.X, ty)
	ofX := o.late - start
	o.conv(&e.Y, tx)
	ofY := o.late - start - ofX
	if aggregate(tx) && aggregate(ty) {
		if e.X == x && !o.facts.addressable(x) {
			o.replace(&e.X, o.late-ofX)
		}
		if e.Y == y && !o.facts.addressable(y) {
			o.replace(&e.Y, o.late-ofY)
		}
	}
	if isInterface(tx) || isInterface(ty) {
		o.fail() // may panic
	}
}

func (o *order) selector(e *ast.SelectorExpr) {
	sel := o.facts.info.Selections[e]
	if sel == nil { // of another package
		o.ident(e.Sel)
		return
	}
	switch sel.Kind() {
	case types.FieldVal:
		o.child(&e.X)
		if pointer(sel.Recv()) || sel.Indirect() {
			o.fail()
		}
	case types.MethodVal:
		o.receiver(e, sel)
		o.fail()
	}
}

// receiver visits x of x.M.
func (o *order) receiver(e *ast.SelectorExpr, sel *types.Selection) {
	fn, _ := sel.Obj().(*types.Func)
	sig, _ := fn.Type().(*types.Signature)
	if recv := sig.Recv(); recv != nil && pointer(recv.Type()) && !pointer(sel.Recv()) && o.facts.addressable(e.X) {
		o.addr(&e.X, false)
	} else {
		o.child(&e.X)
	}
	if len(sel.Index()) > 1 || sig.Recv() != nil && pointer(sel.Recv()) && !pointer(sig.Recv().Type()) {
		o.fail() // through an embedded pointer, or *x
	}
}

func (o *order) index(e *ast.IndexExpr) ast.Expr {
	if o.facts.instance(e.X) {
		return e
	}
	mark, before := o.late, o.effects
	o.child(&e.X)
	after, reads := o.effects, o.late
	if m := o.facts.mapType(e.X); m != nil {
		if o.key(e) {
			return o.here(e, mark)
		}
		o.fail()
		return e
	}
	o.child(&e.Index)
	if fails := o.dry && o.facts.mayPanic(e.X); (after > before && o.late > reads || (after > before || fails) && o.effects > after) && !pointer(o.facts.typeOf(e.X)) {
		o.matters = true // go/ssa evaluates the index of a string or array value first
	}
	if _, array := under(o.facts.typeOf(e.X)).(*types.Array); !array || !o.facts.constant(e.Index) {
		o.fail() // memory, or may panic
	}
	return e
}

// key visits the key of m[k], and reports whether it causes m[k] to be evaluated in place (EO4).
func (o *order) key(e *ast.IndexExpr) bool {
	m := o.facts.mapType(e.X)
	if m == nil {
		o.child(&e.Index)
		return false
	}
	key, mark := e.Index, o.late
	o.conv(&e.Index, m.Key())
	if o.facts.copiesKey(m, key) {
		o.replace(&e.Index, mark)
	}
	return o.facts.bytesKey(key)
}

// addr visits an operand whose address is taken, or to which a value is assigned. If lazy, the last
// step to the variable is part of the assignment; the steps before it are late operands.
func (o *order) addr(p *ast.Expr, lazy bool) {
	switch e := (*p).(type) {
	case *ast.Ident:
	case *ast.ParenExpr:
		o.addr(&e.X, lazy)
	case *ast.SelectorExpr:
		sel := o.facts.info.Selections[e]
		if sel == nil {
			return
		}
		if pointer(sel.Recv()) {
			o.child(&e.X)
		} else {
			o.addr(&e.X, false)
		}
		if len(sel.Index()) > 1 || !lazy && pointer(sel.Recv()) {
			o.fail()
		}
	case *ast.IndexExpr:
		switch under(o.facts.typeOf(e.X)).(type) {
		case *types.Map:
			o.child(&e.X)
			o.key(e)
			return
		case *types.Array:
			o.addr(&e.X, false)
			o.child(&e.Index)
			if !lazy && !o.facts.constant(e.Index) {
				o.fail()
			}
			return
		}
		o.child(&e.X)
		o.child(&e.Index)
		if !lazy {
			o.fail()
		}
	case *ast.StarExpr:
		o.child(&e.X)
		if !lazy {
			o.fail()
		}
	default:
		o.child(p)
	}
}
