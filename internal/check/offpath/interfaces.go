package offpath

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/source/plan"
)

// concrete is the type of the value in an interface, and the program that declares it.
type concrete struct {
	typ  types.Type
	prog *ssa.Program
}

// typeWords has the type words of interfaces. An interface is a type word and a data word. The
// snapshot has the type words of the recorded program; other types have one in the heap (CP3).
type typeWords struct {
	in   *subject
	heap *heap
}

// word is the type word of a type in interfaces of type i.
func (w *typeWords) word(i types.Type, t concrete) value {
	if bits, ok := w.in.snap.TypeWord(i, t.typ, w.in.window.To); ok {
		return number(bits, 8)
	}
	return w.heap.typeWord(t)
}

// of is the type of the value in an interface. ok is false if the interface is nil or the type is
// unknown.
func (w *typeWords) of(v value) (t concrete, ok bool) {
	bits, ok := v.word(0)
	switch {
	case !ok || bits == 0:
		return t, false
	case bits >= freshBase:
		x, _ := w.heap.number(bits)
		if x == nil || x.typ == nil {
			return t, false
		}
		return *x.typ, true
	}
	t.typ, t.prog, ok = w.in.snap.TypeOf(bits, w.in.window.To)
	return t, ok
}

// change is an interface as one of another type, by an instruction of fn.
func (w *typeWords) change(fn *ssa.Function, to types.Type, v value) value {
	if bits, ok := v.word(0); ok && bits == 0 {
		return zero(16)
	}
	t, ok := w.of(v)
	if !ok || plan.Generic(fn) {
		r := v.with(0, unknown(8))
		r.some = v.some
		return r
	}
	return words(w.word(to, t), v.part(8, 8))
}

// inside is the value in an interface, of its type t. A value that is not a pointer is known if the
// alternative has boxed it.
func (w *typeWords) inside(o *owner, t types.Type, v value) value {
	data := v.part(8, 8)
	yes, sure := asItIs(t)
	if yes {
		return data
	}
	n := sizeof(t)
	if addr, ok := data.bits(); ok && sure && addr >= freshBase {
		x, off := w.heap.at(o, addr, n, false)
		return x.data.part(off, n)
	}
	return unknown(n)
}

// asItIs reports whether an interface has a value of type t itself, not a pointer to it. sure is
// false where it depends on Go's compiler.
func asItIs(t types.Type) (yes, sure bool) {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Kind() == types.UnsafePointer, true
	case *types.Pointer, *types.Map, *types.Chan, *types.Signature:
		return true, true
	case *types.Struct, *types.Array:
		return false, sizes.Sizeof(t) != 8
	}
	return false, true
}

// makeInterface puts a value into an interface.
func (f *frame) makeInterface(in *ssa.MakeInterface) value {
	if plan.Generic(f.fn.SSA) {
		return unknown(16)
	}
	t := concrete{in.X.Type(), f.fn.SSA.Prog}
	x := f.val(in.X)
	data := unknown(8)
	switch yes, sure := asItIs(t.typ); {
	case yes:
		data = x
	case sure:
		data = number(f.env.heap.allocate(f.env.owner, x, false).base, 8)
	}
	return words(f.env.types.word(in.Type(), t), data)
}

// typeAssert is x.(T).
func (f *frame) typeAssert(in *ssa.TypeAssert) value {
	v := f.val(in.X)
	if plan.Generic(f.fn.SSA) {
		throw("a type assertion of a generic function")
	}
	if w, ok := v.word(0); ok && w == 0 {
		return asserted(in, nil)
	}
	t, ok := f.env.types.of(v)
	if !ok {
		throw("a type assertion of a value of unknown type")
	}
	if i, ok := in.AssertedType.Underlying().(*types.Interface); ok {
		if i.NumMethods() > 0 && t.prog != f.fn.SSA.Prog && !everywhere(i) {
			throw("an interface of another program")
		}
		if t.typ == someContext {
			throw("a context, which may have this method")
		}
		if t.typ == errorOfFmt && !types.Implements(errorOfErrors, i) {
			throw("an error of package fmt, which may have this method")
		}
		if types.Implements(t.typ, i) {
			r := f.env.types.change(f.fn.SSA, in.AssertedType, v)
			return asserted(in, &r)
		}
		return asserted(in, nil)
	}
	if !identical(t.typ, in.AssertedType) {
		return asserted(in, nil)
	}
	r := f.env.inside(t.typ, v)
	return asserted(in, &r)
}

// asserted is the result of a type assertion that yields v, or fails.
func asserted(in *ssa.TypeAssert, v *value) value {
	switch {
	case v == nil && !in.CommaOk:
		throw("panic: interface conversion")
	case v == nil:
		return value{tuple: []value{zero(sizeof(in.AssertedType)), truth(false)}}
	case in.CommaOk:
		return value{tuple: []value{*v, truth(true)}}
	}
	return *v
}

// identical reports whether two types are identical. They may be declared by different programs:
// then types are compared by name, and those without a name that is the same in all programs reject
// the witness.
func identical(a, b types.Type) bool {
	if types.Identical(a, b) {
		return true
	}
	x, ok := named(a)
	y, ok2 := named(b)
	if !ok || !ok2 {
		throw("types of two programs")
	}
	return x == y
}

// named is the name of a type, if the name denotes the same type in every program.
func named(t types.Type) (name string, ok bool) {
	t = types.Unalias(t)
	prefix := ""
	for {
		switch u := t.(type) {
		case *types.Pointer:
			t, prefix = types.Unalias(u.Elem()), prefix+"*"
			continue
		case *types.Slice:
			t, prefix = types.Unalias(u.Elem()), prefix+"[]"
			continue
		case *types.Basic:
			return prefix + u.Name(), true
		case *types.Interface:
			return prefix + "interface{}", u.Empty()
		case *types.Named:
			if u.TypeParams().Len()+u.TypeArgs().Len() > 0 {
				return "", false
			}
			if pkg := u.Obj().Pkg(); pkg != nil {
				return prefix + pkg.Path() + "." + u.Obj().Name(), u.Obj().Parent() == pkg.Scope()
			}
			return prefix + u.Obj().Name(), true
		}
		return "", false
	}
}

// everywhere reports whether the methods of an interface are the same in every program.
func everywhere(i *types.Interface) bool {
	for m := range i.Methods() {
		if !m.Exported() {
			return false
		}
		for _, list := range []*types.Tuple{m.Signature().Params(), m.Signature().Results()} {
			for k := range list.Len() {
				if _, ok := types.Unalias(list.At(k).Type()).(*types.Basic); !ok {
					return false
				}
			}
		}
	}
	return true
}

// invoked is the invocation that a call of an interface's method enters.
func (m *machine) invoked(c *ssa.CallCommon, v value, args []value) *frame {
	t, ok := m.env.types.of(v)
	if !ok {
		throw("a call of a method of a value of unknown type")
	}
	pf, boxed := m.process.in.snap.Program.MethodOf(t.typ, c.Method)
	if pf == nil {
		throw("a call of %v of %v, which is not instrumented", c.Method, t.typ)
	}
	recv := v.part(8, 8)
	if boxed {
		recv = m.env.types.inside(m.env.owner, t.typ, v)
	}
	return m.invocation(pf, append([]value{recv}, args...), nil)
}
