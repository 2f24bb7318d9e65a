package evalorder

import (
	"go/ast"
	"go/token"
	"go/types"
)

// call visits a call, a conversion, or a call of a built-in function that yields a value.
func (o *order) call(e *ast.CallExpr) ast.Expr {
	mark := o.late
	if o.facts.info.Types[e.Fun].IsType() {
		return o.conversion(e)
	}
	switch name := o.facts.builtin(e); name {
	case "":
		o.operands(e)
		o.effect(mark)
	case "append", "copy":
		o.operands(e)
		o.effect(mark)
	case "new":
		if o.facts.info.Types[e.Args[0]].IsType() {
			return e
		}
		o.child(&e.Args[0])
	case "make":
		for i := 1; i < len(e.Args); i++ {
			o.child(&e.Args[i])
		}
	case "len", "cap", "min", "max", "complex", "real", "imag", "recover":
		o.operands(e)
	default: // of package unsafe
		o.operands(e)
		o.fail()
		return e
	}
	return o.here(e, mark)
}

// operands visits the function and the arguments of a call.
func (o *order) operands(e *ast.CallExpr) {
	o.callee(&e.Fun)
	if len(e.Args) == 1 {
		if t, ok := o.facts.typeOf(e.Args[0]).(*types.Tuple); ok { // f(g())
			mark := o.late
			o.tupleOperands(e.Args[0])
			o.effect(mark)
			o.late = mark
			if !o.dry {
				vars, values := o.edit.temporaries(e.Args[0], t.Len())
				o.out = append(o.out, o.edit.assign(token.DEFINE, vars, e.Args[0]))
				set(o.edit, &e.Args, values)
			}
			return
		}
	}
	for i := range e.Args {
		if !o.facts.info.Types[e.Args[i]].IsType() {
			o.conv(&e.Args[i], o.facts.param(e, i))
		}
	}
}

// callee visits the function operand of a call. gc copies it before the arguments if it contains a
// call; of a method of an interface, it copies the interface (EO2).
func (o *order) callee(p *ast.Expr) {
	mark := o.late
	switch f := ast.Unparen(*p).(type) {
	case *ast.SelectorExpr:
		if sel := o.facts.info.Selections[f]; sel != nil && sel.Kind() == types.MethodVal {
			early := dynamic(sel) && o.facts.acts(f.X)
			o.receiver(f, sel)
			switch {
			case !early:
			case len(sel.Index()) == 1:
				o.replace(&f.X, mark)
			case o.late > mark: // the interface is a field that the syntax does not name (EO7)
				if o.late = mark; !o.dry {
					o.gaps = append(o.gaps, f.Pos())
				}
			}
			return
		}
	case *ast.IndexExpr:
		if o.facts.instance(f.X) {
			return
		}
	case *ast.IndexListExpr:
		return
	case *ast.Ident:
		if _, ok := o.facts.info.Uses[f].(*types.Builtin); ok {
			return
		}
	}
	acts := o.facts.acts(*p)
	o.child(p)
	if acts {
		o.replace(p, mark)
	}
}

// dynamic reports whether a method is called through an interface.
func dynamic(sel *types.Selection) bool {
	if _, param := types.Unalias(deref(sel.Recv())).(*types.TypeParam); param {
		return false
	}
	recv := sel.Obj().(*types.Func).Signature().Recv()
	return recv != nil && isInterface(recv.Type())
}

// conversion visits T(x).
func (o *order) conversion(e *ast.CallExpr) ast.Expr {
	mark := o.late
	to := o.facts.typeOf(e)
	from := o.facts.typeOf(e.Args[0])
	if inner, ok := ast.Unparen(e.Args[0]).(*ast.CallExpr); ok && isUnsafePointer(to) && isUintptr(from) && !o.facts.info.Types[inner.Fun].IsType() && o.facts.builtin(inner) == "" {
		o.operands(inner) // unsafe.Pointer(f()) is not split
		o.effect(mark)
		return o.here(e, mark)
	}
	o.conv(&e.Args[0], to)
	switch under(to).(type) {
	case *types.Slice:
		if isString(from) { // (EO3)
			return o.here(e, mark)
		}
	case *types.Array, *types.Pointer:
		if _, slice := under(from).(*types.Slice); slice {
			o.fail()
		}
	case *types.Basic:
		if _, slice := under(from).(*types.Slice); slice {
			o.read() // string of bytes or runes
		}
	}
	return e
}

// composite visits a composite literal.
func (o *order) composite(e *ast.CompositeLit) ast.Expr {
	if m, ok := under(o.facts.typeOf(e)).(*types.Map); ok {
		return o.mapLiteral(e, m)
	}
	o.literal(e)
	return e
}

// literal visits the elements of a struct, array or slice.
func (o *order) literal(e *ast.CompositeLit) {
	t := under(deref(o.facts.typeOf(e)))
	if m, ok := t.(*types.Map); ok { // {…} for &map[…]…{…}
		if o.mapEntries(e, m) && !o.dry {
			o.gaps = append(o.gaps, e.Pos())
		}
		return
	}
	for i := range e.Elts {
		p, to := &e.Elts[i], elem(t)
		kv, keyed := (*p).(*ast.KeyValueExpr)
		if keyed {
			p = &kv.Value
		}
		if st, ok := t.(*types.Struct); ok {
			to = nil
			if keyed {
				if f := o.facts.info.Uses[kv.Key.(*ast.Ident)]; f != nil {
					to = f.Type()
				}
			} else if i < st.NumFields() {
				to = st.Field(i).Type()
			}
		}
		o.conv(p, to)
	}
}
