package points

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// made says that a register holds the address of a new object.
func (b *builder) made(v ssa.Value) {
	n := b.value(v)
	b.sites[site{n, b.pointee(v.Type())}] = true
}

// copyTo moves the value of a register to memory or another register. Arrays are not addresses: only what they hold is shared.
func (b *builder) move(from, to int32, t types.Type) { b.carry(from, to, t, Memory) }

func (b *builder) carry(from, to int32, t types.Type, way Way) {
	switch {
	case from < 0 || to < 0 || !tracked(t):
	case array(t):
		b.share(from, to)
	default:
		b.along(from, to, way)
	}
}

func (b *builder) instruction(fn *ssa.Function, in ssa.Instruction) {
	b.mentions(in)
	switch v := in.(type) {
	case *ssa.Alloc:
		b.made(v)
	case *ssa.MakeChan, *ssa.MakeMap, *ssa.MakeSlice:
		b.made(v.(ssa.Value))
	case *ssa.MakeClosure:
		callee := v.Fn.(*ssa.Function)
		for i, x := range v.Bindings {
			b.flow(b.value(x), b.node(Name{Free, funcKey(callee), int32(i)}))
		}
	case *ssa.MakeInterface:
		b.along(b.value(v.X), b.value(v), Register)
		b.promoted(v.X.Type())
	case *ssa.FieldAddr:
		t, s := structOf(v.X.Type())
		b.part(b.value(v.X), b.value(v), b.key(t), b.pointee(v.Type()))
		b.contains(b.value(v), v.Type(), b.field(v.X.Type(), v.Field))
		b.instance(t, s, v.Field)
	case *ssa.Field:
		b.move(b.field(v.X.Type(), v.Field), b.value(v), v.Type())
		t, s := structOf(v.X.Type())
		b.instance(t, s, v.Field)
	case *ssa.IndexAddr:
		b.part(b.value(v.X), b.value(v), b.pointee(v.X.Type()), b.pointee(v.Type()))
		b.contains(b.value(v), v.Type(), b.cell(b.value(v.X), element))
	case *ssa.Index:
		if x := b.value(v.X); x >= 0 {
			b.move(b.cell(x, element), b.value(v), v.Type())
		}
	case *ssa.Slice:
		b.flow(b.value(v.X), b.value(v))
	case *ssa.Lookup:
		if x := b.value(v.X); x >= 0 && !v.CommaOk {
			b.move(b.cell(x, mapValue), b.value(v), v.Type())
		}
	case *ssa.MapUpdate:
		m := b.value(v.Map)
		b.move(b.value(v.Key), b.cell(m, mapKey), v.Key.Type())
		b.move(b.value(v.Value), b.cell(m, mapValue), v.Value.Type())
	case *ssa.Phi:
		for _, x := range v.Edges {
			b.carry(b.value(x), b.value(v), v.Type(), Register)
		}
	case *ssa.ChangeType:
		b.change(v)
	case *ssa.ChangeInterface:
		b.along(b.value(v.X), b.value(v), Register)
	case *ssa.Convert, *ssa.MultiConvert:
		b.convert(in.(ssa.Value))
	case *ssa.SliceToArrayPointer:
		b.flow(b.value(v.X), b.value(v))
	case *ssa.TypeAssert:
		if !v.CommaOk {
			b.assert(v, v)
		}
	case *ssa.Extract:
		b.extract(v)
	case *ssa.UnOp:
		switch v.Op {
		case token.MUL:
			if tracked(v.Type()) {
				b.move(b.at(v.X), b.value(v), v.Type())
			}
		case token.ARROW:
			if !v.CommaOk {
				b.move(b.cell(b.value(v.X), sent), b.value(v), v.Type())
			}
		}
	case *ssa.Store:
		if tracked(v.Val.Type()) {
			if x := b.value(v.Val); x >= 0 {
				b.move(x, b.at(v.Addr), v.Val.Type())
			}
		}
	case *ssa.Send:
		b.move(b.value(v.X), b.cell(b.value(v.Chan), sent), v.X.Type())
	case *ssa.Select:
		for _, s := range v.States {
			if s.Dir == types.SendOnly {
				b.move(b.value(s.Send), b.cell(b.value(s.Chan), sent), s.Send.Type())
			}
		}
	case *ssa.Call:
		b.call(v.Common(), v)
	case *ssa.Go:
		b.call(v.Common(), nil)
	case *ssa.Defer:
		b.call(v.Common(), nil)
	case *ssa.Return:
		for i, x := range v.Results {
			b.carry(b.value(x), b.node(Name{Result, funcKey(fn), int32(i)}), x.Type(), Register)
		}
	case *ssa.Panic:
		b.flow(b.value(v.X), b.node(Name{Method, "panic", 0}))
	}
}

// assert takes a value out of an interface. Arrays and structs in interfaces are copies.
func (b *builder) assert(a *ssa.TypeAssert, v ssa.Value) {
	b.carry(b.value(a.X), b.value(v), v.Type(), Register)
}

// extract takes a component out of a tuple.
func (b *builder) extract(v *ssa.Extract) {
	if !tracked(v.Type()) {
		return
	}
	from := int32(-1)
	switch t := v.Tuple.(type) {
	case *ssa.Call:
		b.carry(b.result(t.Common(), v.Index), b.value(v), v.Type(), Return)
		return
	case *ssa.Lookup:
		from = b.cell(b.value(t.X), mapValue)
	case *ssa.TypeAssert:
		b.assert(t, v)
	case *ssa.UnOp:
		from = b.cell(b.value(t.X), sent)
	case *ssa.Next:
		if r, ok := t.Iter.(*ssa.Range); ok && !t.IsString {
			from = b.cell(b.value(r.X), mapKey+cell(v.Index-1))
		}
	case *ssa.Select:
		i := v.Index - 2
		for _, s := range t.States {
			if s.Dir == types.RecvOnly {
				if i == 0 {
					from = b.cell(b.value(s.Chan), sent)
				}
				i--
			}
		}
	}
	b.move(from, b.value(v), v.Type())
}

// change gives a value another type of the same underlying type (U5).
func (b *builder) change(v *ssa.ChangeType) {
	t, s := structOf(v.X.Type())
	u, r := structOf(v.Type())
	if s != nil && r != nil && b.key(t) != b.key(u) {
		for i := range s.NumFields() {
			if tracked(s.Field(i).Type()) {
				m, n := b.field(t, i), b.field(u, i)
				b.move(m, n, s.Field(i).Type())
				b.move(n, m, s.Field(i).Type())
			}
		}
		if x := b.value(v.X); x >= 0 {
			b.part(x, b.value(v), b.key(t), b.key(u))
		}
		return
	}
	b.carry(b.value(v.X), b.value(v), v.Type(), Register)
}

// convert turns strings into slices, and pointers into unsafe ones and back (N1: what they point to keeps its key).
func (b *builder) convert(v ssa.Value) {
	if !tracked(v.Type()) {
		return
	}
	var x ssa.Value
	switch v := v.(type) {
	case *ssa.Convert:
		x = v.X
	case *ssa.MultiConvert:
		x = v.X
	}
	n := b.value(x)
	basic, _ := x.Type().Underlying().(*types.Basic)
	switch {
	case n < 0 && basic != nil && basic.Info()&types.IsInteger != 0:
		b.flow(b.node(Name{Result, "uintptr", 0}), b.value(v))
	case n < 0:
		b.made(v)
	default:
		b.flow(n, b.value(v))
		if basic != nil {
			b.view(b.value(v), v.Type())
		}
	}
}

// view takes what an unsafe pointer leads to for a struct: each of its fields may be what is there (U9).
func (b *builder) view(n int32, t types.Type) {
	t, s := structOf(t)
	if s == nil {
		return
	}
	m := b.cell(n, pointed)
	for i := range s.NumFields() {
		if ft := s.Field(i).Type(); tracked(ft) && !array(ft) {
			f := b.field(t, i)
			b.flow(m, f)
			b.flow(f, m)
		}
	}
}

// instance binds the function type of a field of an instance to that of its origin.
func (b *builder) instance(t types.Type, s *types.Struct, i int) {
	if n, ok := types.Unalias(t).(*types.Named); ok && n.TypeArgs() != nil && s != nil {
		if o, ok := n.Origin().Underlying().(*types.Struct); ok {
			b.relate(o.Field(i).Type(), s.Field(i).Type())
		}
	}
}
