package offpath

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/source/plan"
)

// Interfaces: a type word and a data word. Which type a type word of the program's is, the snapshot
// says; a type that it has no word for has one of the checker's own, as an object (D11).

// concrete is the type of what is in an interface, and the program whose type it is.
type concrete struct {
	typ  types.Type
	prog *ssa.Program
}

// typeWord is the word of a type in interfaces of type i.
func (m *machine) typeWord(i types.Type, t concrete) value {
	if w, ok := m.snap.TypeWord(i, t.typ, m.b.To); ok {
		return number(w, 8)
	}
	for _, o := range m.objects {
		if o.typ != nil && o.typ.prog == t.prog && types.Identical(o.typ.typ, t.typ) {
			return number(o.base, 8)
		}
	}
	o := m.newObject(nil, zero(8), false)
	o.typ = &t
	return number(o.base, 8)
}

// concreteOf is the type of what is in an interface that is not nil. ok is false if it is not
// known.
func (m *machine) concreteOf(v value) (t concrete, ok bool) {
	w, ok := v.word(0)
	switch {
	case !ok || w == 0:
		return t, false
	case w >= freshBase:
		k := (w - freshBase) >> freshShift
		if k >= uint64(len(m.objects)) || m.objects[k].typ == nil {
			return t, false
		}
		return *m.objects[k].typ, true
	}
	t.typ, t.prog, ok = m.snap.TypeOf(w, m.b.To)
	return t, ok
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

func (m *machine) generic() bool { return plan.Generic(m.frame.fn.SSA) }

// makeInterface puts a value into an interface.
func (m *machine) makeInterface(in *ssa.MakeInterface) value {
	if m.generic() {
		return unknown(16)
	}
	t := concrete{in.X.Type(), m.frame.fn.SSA.Prog}
	x := m.val(in.X)
	data := unknown(8)
	switch yes, sure := asItIs(t.typ); {
	case yes:
		data = x
	case sure:
		data = number(m.newObject(m, x, false).base, 8)
	}
	return words(m.typeWord(in.Type(), t), data)
}

// changeInterface is an interface as one of another type.
func (m *machine) changeInterface(to types.Type, v value) value {
	if w, ok := v.word(0); ok && w == 0 {
		return zero(16)
	}
	t, ok := m.concreteOf(v)
	if !ok || m.generic() {
		r := v.with(0, unknown(8))
		r.some = v.some
		return r
	}
	return words(m.typeWord(to, t), v.part(8, 8))
}

// typeAssert is x.(T).
func (m *machine) typeAssert(in *ssa.TypeAssert) value {
	v := m.val(in.X)
	if m.generic() {
		throw("a type assertion of a generic function")
	}
	if w, ok := v.word(0); ok && w == 0 {
		return m.asserted(in, nil)
	}
	t, ok := m.concreteOf(v)
	if !ok {
		throw("a type assertion of what is not known")
	}
	if i, ok := in.AssertedType.Underlying().(*types.Interface); ok {
		if i.NumMethods() > 0 && t.prog != m.frame.fn.SSA.Prog && !everywhere(i) {
			throw("an interface of another program")
		}
		if types.Implements(t.typ, i) {
			r := m.changeInterface(in.AssertedType, v)
			return m.asserted(in, &r)
		}
		return m.asserted(in, nil)
	}
	if !one(t.typ, in.AssertedType) {
		return m.asserted(in, nil)
	}
	r := m.inside(t.typ, v)
	return m.asserted(in, &r)
}

// inside is what is in an interface, of its type.
func (m *machine) inside(t types.Type, v value) value {
	data := v.part(8, 8)
	yes, sure := asItIs(t)
	if yes {
		return data
	}
	n := sizeof(t)
	if addr, ok := data.bits(); ok && sure && addr >= freshBase {
		o, at := m.object(addr, n, false)
		return o.data.part(at, n)
	}
	return unknown(n)
}

// asserted is the result of a type assertion that yields v, or fails.
func (m *machine) asserted(in *ssa.TypeAssert, v *value) value {
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

// one reports whether two types are the same; they may be of different programs, where only some
// are told by their names.
func one(a, b types.Type) bool {
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

// named names a type that has a name which means it everywhere.
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
	t, ok := m.concreteOf(v)
	if !ok {
		throw("a call of a method that is not known")
	}
	pf, boxed := m.snap.Program.MethodOf(t.typ, c.Method)
	if pf == nil {
		throw("a call of %v of %v, which is not instrumented", c.Method, t.typ)
	}
	recv := v.part(8, 8)
	if boxed {
		recv = m.inside(t.typ, v)
	}
	return m.invocation(pf, append([]value{recv}, args...), nil)
}
