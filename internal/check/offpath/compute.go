package offpath

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/source/plan"
	"github.com/presage-race/presage/internal/trace/format"
)

// Instructions that are functions of values.

// compute executes an instruction that has a value.
func (m *machine) compute(in ssa.Value) value {
	switch in := in.(type) {
	case *ssa.Alloc:
		return m.alloc(in)
	case *ssa.UnOp:
		switch in.Op {
		case token.MUL:
			return m.load(m.val(in.X), sizeof(in.Type()))
		case token.ARROW:
			return m.receive(in)
		}
		return unary(in, m.val(in.X))
	case *ssa.BinOp:
		return m.binary(in.Op, in, m.val(in.X), m.val(in.Y))
	case *ssa.ChangeType:
		return m.changed(in, m.val(in.X))
	case *ssa.Convert:
		return converted(in, m.val(in.X))
	case *ssa.Extract:
		t := m.val(in.Tuple).tuple
		if in.Index >= len(t) {
			throw("a tuple of %d has no part %d", len(t), in.Index)
		}
		return t[in.Index]
	case *ssa.Field:
		s, ok := plan.Core(in.X.Type()).(*types.Struct)
		if !ok {
			throw("a field of %v", in.X.Type())
		}
		return m.val(in.X).part(offsets(s)[in.Field], sizeof(in.Type()))
	case *ssa.FieldAddr:
		return m.fieldAddr(in)
	case *ssa.Index:
		return m.index(in)
	case *ssa.IndexAddr:
		return m.indexAddr(in)
	case *ssa.Slice:
		return m.slice(in)
	case *ssa.SliceToArrayPointer:
		return m.arrayPointer(in)
	case *ssa.MakeSlice:
		return m.makeSlice(in)
	case *ssa.MakeClosure:
		o := m.newObject(m, zero(8*(1+len(in.Bindings))), false)
		o.fn, o.free = in.Fn.(*ssa.Function), m.vals(in.Bindings)
		return number(o.base, 8)
	case *ssa.MakeInterface:
		return m.makeInterface(in)
	case *ssa.ChangeInterface:
		return m.changeInterface(in.Type(), m.val(in.X))
	case *ssa.TypeAssert:
		return m.typeAssert(in)
	case *ssa.Lookup:
		if _, ok := plan.Core(in.X.Type()).(*types.Map); ok {
			m.mapAccess(format.Read, m.val(in.X))
		}
	case *ssa.Next:
		if r, ok := in.Iter.(*ssa.Range); ok && !in.IsString {
			m.mapAccess(format.Read, m.val(r.X))
		}
	case *ssa.Range:
		return unknown(8)
	case *ssa.Select:
		return m.selects(in)
	}
	throw("%T is not modelled", in)
	return value{}
}

// changed keeps the image. The type word of an interface is another one.
func (m *machine) changed(in *ssa.ChangeType, v value) value {
	if i, ok := in.Type().Underlying().(*types.Interface); ok && i.NumMethods() > 0 {
		if plan.Open(in.X.Type()) { // of a type parameter, which may be anything
			return unknown(16)
		}
		return m.changeInterface(in.Type(), v)
	}
	return v
}

// pointer is an address that is not nil.
func (m *machine) pointer(p value) uint64 {
	addr, ok := p.bits()
	switch {
	case !ok:
		throw("an address that is not known")
	case addr < 4096:
		throw("panic: nil dereference")
	}
	return addr
}

func (m *machine) fieldAddr(in *ssa.FieldAddr) value {
	s, ok := plan.Core(pointee(in.X.Type())).(*types.Struct)
	if !ok {
		throw("a field of %v", in.X.Type())
	}
	p := m.val(in.X)
	if !p.known() { // it may be nil; who dereferences it has to know
		return unknown(8)
	}
	return number(m.pointer(p)+uint64(offsets(s)[in.Field]), 8)
}

// indexOf is an index, checked.
func indexOf(v ssa.Value, x value, n uint64) int {
	i, ok := x.bits()
	if !ok {
		throw("an index that is not known")
	}
	at := signExtended(basicKind(v.Type()), i)
	if isSigned(basicKind(v.Type())) && at < 0 || uint64(at) >= n {
		throw("panic: index out of range")
	}
	return int(at)
}

func (m *machine) indexAddr(in *ssa.IndexAddr) value {
	x := m.val(in.X)
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
		m.pointer(p)
	default:
		throw("an element of %v", t)
	}
	length, ok := n.bits()
	if !ok {
		throw("a length that is not known")
	}
	i := indexOf(in.Index, m.val(in.Index), length)
	base, ok := p.bits()
	if !ok {
		return unknown(8)
	}
	return number(base+uint64(i*sizeof(elem)), 8)
}

func (m *machine) index(in *ssa.Index) value {
	x := m.val(in.X)
	switch t := plan.Core(in.X.Type()).(type) {
	case *types.Array:
		i := indexOf(in.Index, m.val(in.Index), uint64(t.Len()))
		n := sizeof(t.Elem())
		return x.part(i*n, n)
	case *types.Basic:
		length, ok := x.word(1)
		if !ok {
			throw("a length that is not known")
		}
		i := indexOf(in.Index, m.val(in.Index), length)
		if s, ok := x.content(); ok {
			return number(uint64(s[i]), 1)
		}
		return unknown(1)
	}
	throw("an element of %v", in.X.Type())
	return value{}
}

// slice is x[lo:hi:max], with 0 ≤ lo ≤ hi ≤ max ≤ capacity.
func (m *machine) slice(in *ssa.Slice) value {
	x := m.val(in.X)
	p, length, capacity, elem := x.part(0, 8), value{}, value{}, 1
	text := false
	switch t := plan.Core(in.X.Type()).(type) {
	case *types.Pointer:
		a, ok := plan.Core(t.Elem()).(*types.Array)
		if !ok {
			throw("a slice of %v", t)
		}
		m.pointer(p)
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
			or = m.val(v)
		}
		b, ok := or.bits()
		if !ok {
			throw("a bound that is not known")
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

func (m *machine) arrayPointer(in *ssa.SliceToArrayPointer) value {
	a, ok := plan.Core(pointee(in.Type())).(*types.Array)
	x := m.val(in.X)
	n, known := x.word(1)
	if !ok || !known {
		throw("a length that is not known")
	}
	if n < uint64(a.Len()) {
		throw("panic: slice too short for an array")
	}
	return x.part(0, 8)
}
