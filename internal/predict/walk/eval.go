package walk

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/source/plan"
)

// eval computes the result of an instruction from its operands: a pure function, unknown
// where it is not one of values alone (loads, allocations, calls) or where an operand is
// unknown. An error is the panic that the instruction ends in.
func (c *code) eval(in *instr, a []Value) (Value, error) {
	switch x := in.in.(type) {
	case *ssa.BinOp:
		if in.kind == types.String {
			return c.binop(in, x.Op, read(c.texts, a[0]), read(c.texts, a[1]))
		}
		return c.binop(in, x.Op, a[0], a[1])
	case *ssa.UnOp:
		switch x.Op {
		case token.SUB:
			return Neg(in.kind, a[0]), nil
		case token.NOT:
			return Not(a[0]), nil
		case token.XOR:
			return Complement(in.kind, a[0]), nil
		}
	case *ssa.ChangeType:
		return changeType(x, a[0]), nil
	case *ssa.Convert:
		return convert(in, x, a[0]), nil
	case *ssa.Extract:
		return a[0], nil // the machine has chosen the component
	case *ssa.FieldAddr:
		return in.fieldAddr(a[0]), nil
	case *ssa.Field:
		if in.off == nil || in.size < 0 || in.fused {
			return Value{}, nil
		}
		return a[0].part(in.off[in.index], in.size), nil
	case *ssa.IndexAddr:
		return in.indexAddr(a[0], a[1]), nil
	case *ssa.Index:
		if in.kind == types.String {
			return in.element(read(c.texts, a[0]), a[1]), nil
		}
		return in.element(a[0], a[1]), nil
	case *ssa.Slice:
		if in.kind == types.String {
			a = append([]Value{read(c.texts, a[0])}, a[1:]...)
		}
		return in.slice(a), nil
	case *ssa.SliceToArrayPointer:
		return a[0].part(0, 8), nil
	case *ssa.MakeInterface, *ssa.ChangeInterface, *ssa.TypeAssert:
		return Value{}, nil
	case *ssa.Call:
		if b, ok := x.Call.Value.(*ssa.Builtin); ok {
			if in.kind == types.String && (b.Name() == "min" || b.Name() == "max") {
				return c.extremeText(b.Name() == "min", a[1:]), nil
			}
			return in.builtin(b.Name(), a[1:]), nil
		}
	}
	return Value{}, nil
}

func (c *code) binop(in *instr, op token.Token, x, y Value) (Value, error) {
	switch {
	case op == token.SHL || op == token.SHR:
		return Shift(op, in.kind, in.kind2, x, y)
	case op != token.EQL && op != token.NEQ:
		return BinOp(op, in.kind, x, y)
	case in.vague && !isZero(x) && !isZero(y):
		return Value{}, nil
	}
	v := c.equal(in.typ, x, y)
	if v.unknown() && in.typ != nil { // x may be the nil of an interface comparison
		if b, ok := in.in.(*ssa.BinOp); ok && !types.Identical(b.X.Type(), b.Y.Type()) {
			v = c.equal(b.Y.Type(), x, y)
		}
	}
	if op == token.NEQ {
		v = Not(v)
	}
	return v, nil
}

// equal computes x == y for operands of type t.
func (c *code) equal(t types.Type, x, y Value) Value {
	if _, ok := types.Unalias(t).(*types.TypeParam); ok {
		return Value{}
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		v, _ := BinOp(token.EQL, kindOf(u), x, y)
		return v
	case *types.Pointer:
		if plan.MaybeEmpty(u.Elem()) && !isZero(x) && !isZero(y) {
			return Value{} // the spec leaves it open
		}
		return sameWord(x, y)
	case *types.Chan, *types.Map, *types.Signature, *types.Slice:
		if x.function() != nil || y.function() != nil { // the other one is nil
			return boolValue(false)
		}
		return sameWord(x, y) // all but channels: with nil
	case *types.Interface:
		if isZero(x) || isZero(y) {
			if x.dynamic() != nil || y.dynamic() != nil {
				return boolValue(false)
			}
			return sameWord(x, y)
		}
	case *types.Struct:
		return c.equalFields(u, x, y)
	case *types.Array:
		return c.equalElements(u, x, y)
	}
	return Value{}
}

func (c *code) equalElements(a *types.Array, x, y Value) Value {
	if plan.Open(a) {
		return Value{}
	}
	all := Known(1)
	n := c.sizes.Sizeof(a.Elem())
	for i := range a.Len() {
		v := c.equal(a.Elem(), x.part(i*n, n), y.part(i*n, n))
		if b, ok := v.Bits(); ok && b == 0 {
			return v
		} else if !ok {
			all = Value{}
		}
	}
	return all
}

func (c *code) equalFields(s *types.Struct, x, y Value) Value {
	if plan.Open(s) {
		return Value{}
	}
	vars := make([]*types.Var, s.NumFields())
	for i := range vars {
		vars[i] = s.Field(i)
	}
	all := Known(1)
	for i, off := range c.sizes.Offsetsof(vars) {
		if vars[i].Name() == "_" {
			continue
		}
		n := c.sizes.Sizeof(vars[i].Type())
		v := c.equal(vars[i].Type(), x.part(off, n), y.part(off, n))
		if b, ok := v.Bits(); ok && b == 0 {
			return v
		} else if !ok {
			all = Value{}
		}
	}
	return all
}

func isZero(v Value) bool {
	b, ok := v.Bits()
	return ok && b == 0
}

func sameWord(x, y Value) Value {
	a, ok := x.Bits()
	b, ok2 := y.Bits()
	if !ok || !ok2 {
		return Value{}
	}
	return boolValue(a == b)
}

// changeType keeps the image of a value. But an interface with methods has another type
// word as another named type, though the method set is the same.
func changeType(x *ssa.ChangeType, v Value) Value {
	i, ok := x.Type().Underlying().(*types.Interface)
	switch {
	case ok && !isInterface(x.X.Type()): // of a type parameter, which may be anything
		return Value{}
	case !ok || i.NumMethods() == 0 || isZero(v):
		return v
	}
	return join(16, []int64{0, 8}, []int64{8, 8}, []Value{{}, v.part(8, 8)})
}

func convert(in *instr, x *ssa.Convert, v Value) Value {
	if in.kind != types.Invalid && in.kind2 != types.Invalid {
		return ConvertBasic(in.kind2, in.kind, v)
	}
	if isWord(x.X.Type()) && isWord(x.Type()) {
		return v
	}
	return Value{}
}

// isWord reports whether t is a pointer, unsafe or not, or a uintptr.
func isWord(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		return true
	case *types.Basic:
		return u.Kind() == types.UnsafePointer || u.Kind() == types.Uintptr
	}
	return false
}

func (in *instr) fieldAddr(p Value) Value {
	a, ok := p.Bits()
	if !ok || in.off == nil || in.fused {
		return Value{}
	}
	return Known(a + uint64(in.off[in.index]))
}

func (in *instr) indexAddr(p, i Value) Value {
	a, ok := p.Bits()
	n, ok2 := i.Bits()
	if !ok || !ok2 || in.elem < 0 {
		return Value{}
	}
	return Known(a + uint64(signed(in.kind2, n)*in.elem))
}

// element is x[i] for an array or a string x.
func (in *instr) element(x, i Value) Value {
	n, ok := i.Bits()
	if !ok {
		return Value{}
	}
	at := signed(in.kind2, n)
	if in.kind == types.String {
		if s, ok := x.Content(); ok && at >= 0 && at < int64(len(s)) {
			return Known(uint64(s[at]))
		}
		return Value{}
	}
	if _, ok := plan.Core(in.typ).(*types.Array); !ok || in.elem < 0 || at < 0 || in.size < 0 {
		return Value{}
	}
	return x.part(at*in.elem, in.elem)
}

// slice is x[lo:hi:max]. Where nothing is left, the pointer stays that of the operand:
// Go makes no pointer past the end.
func (in *instr) slice(a []Value) Value {
	s := in.in.(*ssa.Slice)
	ptr, hi, limit := in.sliced(a[0])
	lo := Known(0)
	if s.Low != nil {
		lo = extend(s.Low, a[1])
	}
	if s.High != nil {
		hi = extend(s.High, a[2])
	}
	if s.Max != nil {
		limit = extend(s.Max, a[3])
	}
	if in.kind == types.String {
		limit = hi
	}
	length, capacity := sub(hi, lo), sub(limit, lo)
	base, ok := ptr.Bits()
	shift, ok2 := lo.Bits()
	left, ok3 := capacity.Bits()
	switch {
	case ok2 && shift == 0 || ok3 && left == 0:
	case ok && ok2 && ok3 && in.elem >= 0:
		ptr = Known(base + shift*uint64(in.elem))
	default:
		ptr = Value{}
	}
	if in.kind == types.String {
		r := join(16, []int64{0, 8}, []int64{8, 8}, []Value{ptr, length})
		return in.subText(r, a[0], shift, length, ok2)
	}
	return join(24, []int64{0, 8, 16}, []int64{8, 8, 8}, []Value{ptr, length, capacity})
}

// sliced returns the pointer, length and capacity of what is sliced.
func (in *instr) sliced(x Value) (ptr, length, capacity Value) {
	ptr = x.part(0, 8)
	if array, ok := plan.Core(pointee(in.typ)).(*types.Array); ok {
		n := Known(uint64(array.Len()))
		return ptr, n, n
	}
	return ptr, x.part(8, 8), x.part(16, 8)
}

// extend returns the image of an integer operand as that of an int.
func extend(v ssa.Value, x Value) Value {
	b, ok := x.Bits()
	if !ok {
		return Value{}
	}
	return Known(uint64(signed(kindOf(v.Type()), b)))
}

func (in *instr) subText(r, x Value, lo uint64, length Value, ok bool) Value {
	s, ok2 := x.Content()
	n, ok3 := length.Bits()
	if ok && ok2 && ok3 && lo <= uint64(len(s)) && n <= uint64(len(s))-lo {
		return r.withText(s[lo : lo+n])
	}
	return r
}

func sub(x, y Value) Value {
	a, ok := x.Bits()
	b, ok2 := y.Bits()
	if !ok || !ok2 {
		return Value{}
	}
	return Known(a - b)
}

// builtin computes a call of a builtin function that has no effect.
func (in *instr) builtin(name string, a []Value) Value {
	switch name {
	case "len", "cap":
		return in.length(name == "cap", a[0])
	case "min", "max":
		return in.extreme(name, a)
	case "real", "imag":
		return in.half(name == "imag", a[0])
	case "complex":
		n := in.size / 2
		if n != 4 && n != 8 {
			return Value{}
		}
		return join(2*n, []int64{0, n}, []int64{n, n}, a)
	case "Add":
		p, ok := a[0].Bits()
		n, ok2 := a[1].Bits()
		if !ok || !ok2 {
			return Value{}
		}
		return Known(p + uint64(signed(kindOf(in.in.(*ssa.Call).Call.Args[1].Type()), n)))
	case "ssa:wrapnilchk":
		return a[0]
	case "StringData", "SliceData":
		return a[0].part(0, 8)
	}
	return Value{}
}

func (in *instr) length(capacity bool, x Value) Value {
	switch u := plan.Core(pointee(in.typ)).(type) {
	case *types.Array:
		return Known(uint64(u.Len()))
	case *types.Slice:
		if capacity {
			return x.part(16, 8)
		}
		return x.part(8, 8)
	case *types.Basic:
		return x.part(8, 8)
	}
	return Value{}
}

// extreme is min and max. Those of floats have rules of their own for NaN and -0,
// so they are executed by the builtins themselves.
func (in *instr) extreme(name string, a []Value) Value {
	r := a[0]
	for _, v := range a[1:] {
		x, ok := r.Bits()
		y, ok2 := v.Bits()
		if in.kind == types.String || !ok || !ok2 {
			return Value{}
		}
		switch in.kind {
		case types.Float32:
			r = extremeFloat(name, float32Of(x), float32Of(y))
		case types.Float64:
			r = extremeFloat(name, float64Of(x), float64Of(y))
		default:
			less, _ := BinOp(token.LSS, in.kind, r, v)
			if b, ok := less.Bits(); !ok {
				return Value{}
			} else if (b == 1) != (name == "min") {
				r = v
			}
		}
	}
	return r
}

func extremeFloat[T float](name string, x, y T) Value {
	if name == "min" {
		return wrapFloat(min(x, y))
	}
	return wrapFloat(max(x, y))
}

// half is the real or imaginary part of a complex number.
func (in *instr) half(imag bool, x Value) Value {
	n := in.size
	if n != 4 && n != 8 {
		return Value{}
	}
	if imag {
		return x.part(n, n)
	}
	return x.part(0, n)
}
