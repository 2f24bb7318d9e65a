package plan

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// Method returns the declared method that a wrapper made by package ssa calls, nil if the method is
// one of an interface.
func Method(wrapper *ssa.Function) *ssa.Function {
	obj, ok := wrapper.Object().(*types.Func)
	if !ok || obj.Signature().Recv() == nil || types.IsInterface(obj.Signature().Recv().Type()) {
		return nil
	}
	return wrapper.Prog.FuncValue(obj)
}

// MethodOf returns the method m of values of type t that are in an interface, nil if it is not
// emitted. Boxed: its receiver is the value, not a pointer. Methods that t has of an embedded
// field, of a pointer's element, or of a generic type, are called through a wrapper: it returns nil
// for them as well.
func (p *Plan) MethodOf(t types.Type, m *types.Func) (f *Func, boxed bool) {
	obj, index, _ := types.LookupFieldOrMethod(t, false, m.Pkg(), m.Name())
	fn, ok := obj.(*types.Func)
	if !ok || len(index) != 1 || fn.Origin() != fn || fn.Signature().Recv() == nil {
		return nil, false
	}
	recv := types.Unalias(fn.Signature().Recv().Type())
	if !types.Identical(recv, types.Unalias(t)) {
		return nil, false
	}
	ptr, ok := recv.(*types.Pointer)
	if ok {
		recv = types.Unalias(ptr.Elem())
	}
	if n, named := recv.(*types.Named); !named || n.TypeParams().Len() > 0 || n.TypeArgs().Len() > 0 {
		return nil, false
	}
	f = p.byKey["("+types.TypeString(fn.Signature().Recv().Type(), nil)+")."+fn.Name()]
	if f == nil || f.Unit.Opaque != "" {
		return nil, false
	}
	return f, !ok
}

// Generic reports whether a function is one of a generic function or type, or within one: its types
// are not those of a run.
func Generic(fn *ssa.Function) bool {
	for ; fn != nil; fn = fn.Parent() {
		if fn.TypeParams().Len() > 0 || fn.Origin() != nil {
			return true
		}
	}
	return false
}
