package offpath

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/source/plan"
)

// compute executes an instruction that is a function of its operands, and of the heap.
func (f *frame) compute(in ssa.Value) value {
	switch in := in.(type) {
	case *ssa.Alloc:
		return f.alloc(in)
	case *ssa.UnOp:
		return unary(in, f.val(in.X))
	case *ssa.BinOp:
		return f.env.texts.binary(in.Op, in, f.val(in.X), f.val(in.Y))
	case *ssa.ChangeType:
		return f.changed(in, f.val(in.X))
	case *ssa.Convert:
		return converted(in, f.val(in.X))
	case *ssa.Extract:
		return extracted(in, f.val(in.Tuple).tuple)
	case *ssa.Field:
		return field(in, f.val(in.X))
	case *ssa.FieldAddr:
		return f.fieldAddr(in)
	case *ssa.Index:
		return f.index(in)
	case *ssa.IndexAddr:
		return f.indexAddr(in)
	case *ssa.Slice:
		return f.slice(in)
	case *ssa.SliceToArrayPointer:
		return f.arrayPointer(in)
	case *ssa.MakeSlice:
		return f.makeSlice(in)
	case *ssa.MakeClosure:
		x := f.env.heap.allocate(f.env.owner, zero(8*(1+len(in.Bindings))), false)
		x.fn, x.free = in.Fn.(*ssa.Function), f.operands(in.Bindings)
		return number(x.base, 8)
	case *ssa.MakeInterface:
		return f.makeInterface(in)
	case *ssa.ChangeInterface:
		return f.env.types.change(f.fn.SSA, in.Type(), f.val(in.X))
	case *ssa.TypeAssert:
		return f.typeAssert(in)
	case *ssa.Range:
		return unknown(8)
	}
	throw("%T is not modelled", in)
	return value{}
}

func (f *frame) alloc(in *ssa.Alloc) value {
	n := sizeof(pointee(in.Type()))
	if in.Heap && !f.fn.OnStack(in) {
		return number(f.env.heap.allocate(f.env.owner, zero(n), false).base, 8)
	}
	if f.locals[in] == nil {
		f.locals[in] = f.env.heap.allocate(f.env.owner, zero(n), true)
	}
	f.locals[in].data = zero(n)
	return number(f.locals[in].base, 8)
}

func (f *frame) makeSlice(in *ssa.MakeSlice) value {
	lenBits, ok := f.val(in.Len).bits()
	capBits, ok2 := f.val(in.Cap).bits()
	if !ok || !ok2 {
		throw("an unknown length")
	}
	n, most := signExtended(basicKind(in.Len.Type()), lenBits), signExtended(basicKind(in.Cap.Type()), capBits)
	if n < 0 || n > most {
		throw("panic: makeslice")
	}
	elem := sizeof(plan.Core(in.Type()).(*types.Slice).Elem())
	if most >= freshSize {
		throw("an object of %d elements", most)
	}
	x := f.env.heap.allocate(f.env.owner, zero(int(most)*elem), false)
	return words(number(x.base, 8), number(uint64(n), 8), number(uint64(most), 8))
}

func extracted(in *ssa.Extract, t []value) value {
	if in.Index >= len(t) {
		throw("a tuple of %d has no part %d", len(t), in.Index)
	}
	return t[in.Index]
}

func field(in *ssa.Field, x value) value {
	s, ok := plan.Core(in.X.Type()).(*types.Struct)
	if !ok {
		throw("a field of %v", in.X.Type())
	}
	return x.part(offsets(s)[in.Field], sizeof(in.Type()))
}

// changed is a value as one of another type: the same bytes, but for the type word of an interface.
func (f *frame) changed(in *ssa.ChangeType, v value) value {
	if i, ok := in.Type().Underlying().(*types.Interface); ok && i.NumMethods() > 0 {
		if plan.Open(in.X.Type()) { // of a type parameter, which may be anything
			return unknown(16)
		}
		return f.env.types.change(f.fn.SSA, in.Type(), v)
	}
	return v
}

func (f *frame) fieldAddr(in *ssa.FieldAddr) value {
	s, ok := plan.Core(pointee(in.X.Type())).(*types.Struct)
	if !ok {
		throw("a field of %v", in.X.Type())
	}
	p := f.val(in.X)
	if !p.known() { // it may be nil: a dereference rejects it
		return unknown(8)
	}
	return number(pointer(p)+uint64(offsets(s)[in.Field]), 8)
}

// indexOf is an index that is in bounds.
func indexOf(v ssa.Value, x value, n uint64) int {
	i, ok := x.bits()
	if !ok {
		throw("an unknown index")
	}
	at := signExtended(basicKind(v.Type()), i)
	if isSigned(basicKind(v.Type())) && at < 0 || uint64(at) >= n {
		throw("panic: index out of range")
	}
	return int(at)
}

func (f *frame) indexAddr(in *ssa.IndexAddr) value {
	x := f.val(in.X)
	var p, n value
	var elem types.Type
	switch t := plan.Core(in.X.Type()).(type) {
	case *types.Slice:
		p, n, elem = x.part(0, 8), x.part(8, 8), t.Elem()
	case *types.Pointer:
		a, ok := plan.Core(t.Elem()).(*types.Array)
		if !ok {
			throw("an element of %v", t)
		}
		p, n, elem = x, number(uint64(a.Len()), 8), a.Elem()
		pointer(p)
	default:
		throw("an element of %v", t)
	}
	length, ok := n.bits()
	if !ok {
		throw("an unknown length")
	}
	i := indexOf(in.Index, f.val(in.Index), length)
	base, ok := p.bits()
	if !ok {
		return unknown(8)
	}
	return number(base+uint64(i*sizeof(elem)), 8)
}

func (f *frame) index(in *ssa.Index) value {
	x := f.val(in.X)
	switch t := plan.Core(in.X.Type()).(type) {
	case *types.Array:
		i := indexOf(in.Index, f.val(in.Index), uint64(t.Len()))
		n := sizeof(t.Elem())
		return x.part(i*n, n)
	case *types.Basic:
		length, ok := x.word(1)
		if !ok {
			throw("an unknown length")
		}
		i := indexOf(in.Index, f.val(in.Index), length)
		if s, ok := x.content(); ok {
			return number(uint64(s[i]), 1)
		}
		return unknown(1)
	}
	throw("an element of %v", in.X.Type())
	return value{}
}

// slice is x[lo:hi:max], with 0 ≤ lo ≤ hi ≤ max ≤ capacity.
func (f *frame) slice(in *ssa.Slice) value {
	x := f.val(in.X)
	p, length, capacity, elem := x.part(0, 8), value{}, value{}, 1
	text := false
	switch t := plan.Core(in.X.Type()).(type) {
	case *types.Pointer:
		a, ok := plan.Core(t.Elem()).(*types.Array)
		if !ok {
			throw("a slice of %v", t)
		}
		pointer(p)
		length, elem = number(uint64(a.Len()), 8), sizeof(a.Elem())
		capacity = length
	case *types.Slice:
		length, capacity, elem = x.part(8, 8), x.part(16, 8), sizeof(t.Elem())
	case *types.Basic:
		length, text = x.part(8, 8), true
		capacity = length
	default:
		throw("a slice of %v", t)
	}
	bound := func(v ssa.Value, or value) int64 {
		if v != nil {
			or = f.val(v)
		}
		b, ok := or.bits()
		if !ok {
			throw("an unknown bound")
		}
		if v == nil {
			return int64(b)
		}
		return signExtended(basicKind(v.Type()), b)
	}
	lo, hi, most := bound(in.Low, number(0, 8)), bound(in.High, length), bound(in.Max, capacity)
	if limit := bound(nil, capacity); lo < 0 || lo > hi || hi > most || most > limit {
		throw("panic: slice bounds out of range")
	}
	left := most - lo
	if text {
		left = hi - lo
	}
	if base, ok := p.bits(); ok && left > 0 { // Go makes no pointer past the end
		p = number(base+uint64(lo)*uint64(elem), 8)
	} else if lo > 0 && left > 0 {
		p = unknown(8)
	}
	if !text {
		return words(p, number(uint64(hi-lo), 8), number(uint64(left), 8))
	}
	v := words(p, number(uint64(hi-lo), 8))
	if s, ok := x.content(); ok {
		s = s[lo:hi]
		v.text = &s
	}
	return v
}

func (f *frame) arrayPointer(in *ssa.SliceToArrayPointer) value {
	a, ok := plan.Core(pointee(in.Type())).(*types.Array)
	x := f.val(in.X)
	n, known := x.word(1)
	if !ok || !known {
		throw("an unknown length")
	}
	if n < uint64(a.Len()) {
		throw("panic: slice too short for an array")
	}
	return x.part(0, 8)
}
