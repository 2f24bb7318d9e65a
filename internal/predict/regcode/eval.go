package regcode

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/predict/goval"
	"github.com/presage-race/presage/internal/source/plan"
)

// Eval computes the result of an instruction from its operands. It is a pure function. The result
// is unknown if it does not depend on the operands alone (loads, allocations, calls), or if an
// operand that decides it is unknown. An error is the panic that the instruction ends in.
func (c *Code) Eval(in *Instr, a []goval.Value) (goval.Value, error) {
	switch x := in.SSA.(type) {
	case *ssa.BinOp:
		if in.Kind == types.String {
			return c.binop(in, x.Op, goval.WithContent(c.Texts, a[0]), goval.WithContent(c.Texts, a[1]))
		}
		return c.binop(in, x.Op, a[0], a[1])
	case *ssa.UnOp:
		switch x.Op {
		case token.SUB:
			return goval.Neg(in.Kind, a[0]), nil
		case token.NOT:
			return goval.Not(a[0]), nil
		case token.XOR:
			return goval.Complement(in.Kind, a[0]), nil
		}
	case *ssa.ChangeType:
		return changeType(x, a[0]), nil
	case *ssa.Convert:
		if in.Fused {
			return goval.Value{}, nil
		}
		return convert(in, x, a[0]), nil
	case *ssa.Extract:
		return a[0], nil // the machine has chosen the component
	case *ssa.FieldAddr:
		return in.fieldAddr(a[0]), nil
	case *ssa.Field:
		if in.Offsets == nil || in.Size < 0 || in.Fused {
			return goval.Value{}, nil
		}
		return a[0].Part(in.Offsets[in.Index], in.Size), nil
	case *ssa.IndexAddr:
		return in.indexAddr(a[0], a[1]), nil
	case *ssa.Index:
		if in.Kind == types.String {
			return in.element(goval.WithContent(c.Texts, a[0]), a[1]), nil
		}
		return in.element(a[0], a[1]), nil
	case *ssa.Slice:
		if in.Kind == types.String {
			a = append([]goval.Value{goval.WithContent(c.Texts, a[0])}, a[1:]...)
		}
		return in.slice(a), nil
	case *ssa.SliceToArrayPointer:
		return a[0].Part(0, 8), nil
	case *ssa.MakeInterface, *ssa.ChangeInterface, *ssa.TypeAssert:
		return goval.Value{}, nil
	case *ssa.Call:
		if b, ok := x.Call.Value.(*ssa.Builtin); ok {
			if in.Kind == types.String && (b.Name() == "min" || b.Name() == "max") {
				return c.extremeText(b.Name() == "min", a[1:]), nil
			}
			return in.builtin(b.Name(), a[1:]), nil
		}
	}
	return goval.Value{}, nil
}

func (c *Code) binop(in *Instr, op token.Token, x, y goval.Value) (goval.Value, error) {
	switch {
	case op == token.SHL || op == token.SHR:
		return goval.Shift(op, in.Kind, in.Kind2, x, y)
	case op != token.EQL && op != token.NEQ:
		return goval.BinOp(op, in.Kind, x, y)
	case in.vague && !goval.IsZero(x) && !goval.IsZero(y):
		return goval.Value{}, nil
	}
	v := c.equal(in.Type, x, y)
	if v.Unknown() && in.Type != nil { // x may be the nil of an interface comparison
		if b, ok := in.SSA.(*ssa.BinOp); ok && !types.Identical(b.X.Type(), b.Y.Type()) {
			v = c.equal(b.Y.Type(), x, y)
		}
	}
	if op == token.NEQ {
		v = goval.Not(v)
	}
	return v, nil
}

// equal computes x == y for operands of type t.
func (c *Code) equal(t types.Type, x, y goval.Value) goval.Value {
	if _, ok := types.Unalias(t).(*types.TypeParam); ok {
		return goval.Value{}
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		v, _ := goval.BinOp(token.EQL, goval.KindOf(u), x, y)
		return v
	case *types.Pointer:
		if plan.MaybeEmpty(u.Elem()) && !goval.IsZero(x) && !goval.IsZero(y) {
			return goval.Value{} // not determined by the language
		}
		return goval.SameWord(x, y)
	case *types.Chan, *types.Map, *types.Signature, *types.Slice:
		if x.Function() != nil || y.Function() != nil { // the other one is nil
			return goval.BoolValue(false)
		}
		return goval.SameWord(x, y) // all but channels: with nil
	case *types.Interface:
		if goval.IsZero(x) || goval.IsZero(y) {
			if x.Dynamic() != nil || y.Dynamic() != nil {
				return goval.BoolValue(false)
			}
			return goval.SameWord(x, y)
		}
	case *types.Struct:
		return c.equalFields(u, x, y)
	case *types.Array:
		return c.equalElements(u, x, y)
	}
	return goval.Value{}
}

func (c *Code) equalElements(a *types.Array, x, y goval.Value) goval.Value {
	if plan.Open(a) {
		return goval.Value{}
	}
	all := goval.Known(1)
	n := c.Sizes.Sizeof(a.Elem())
	for i := range a.Len() {
		v := c.equal(a.Elem(), x.Part(i*n, n), y.Part(i*n, n))
		if b, ok := v.Bits(); ok && b == 0 {
			return v
		} else if !ok {
			all = goval.Value{}
		}
	}
	return all
}

func (c *Code) equalFields(s *types.Struct, x, y goval.Value) goval.Value {
	if plan.Open(s) {
		return goval.Value{}
	}
	vars := make([]*types.Var, s.NumFields())
	for i := range vars {
		vars[i] = s.Field(i)
	}
	all := goval.Known(1)
	for i, off := range c.Sizes.Offsetsof(vars) {
		if vars[i].Name() == "_" {
			continue
		}
		n := c.Sizes.Sizeof(vars[i].Type())
		v := c.equal(vars[i].Type(), x.Part(off, n), y.Part(off, n))
		if b, ok := v.Bits(); ok && b == 0 {
			return v
		} else if !ok {
			all = goval.Value{}
		}
	}
	return all
}

// changeType keeps the image of a value. An interface with methods is the exception: the type word
// depends on the named type of the interface, though the method set is the same.
func changeType(x *ssa.ChangeType, v goval.Value) goval.Value {
	i, ok := x.Type().Underlying().(*types.Interface)
	switch {
	case ok && !goval.IsInterface(x.X.Type()): // of a type parameter, which may be anything
		return goval.Value{}
	case !ok || i.NumMethods() == 0 || goval.IsZero(v):
		return v
	}
	return goval.Join(16, []int64{0, 8}, []int64{8, 8}, []goval.Value{{}, v.Part(8, 8)})
}

func convert(in *Instr, x *ssa.Convert, v goval.Value) goval.Value {
	if in.Kind != types.Invalid && in.Kind2 != types.Invalid {
		return goval.ConvertBasic(in.Kind2, in.Kind, v)
	}
	if IsWord(x.X.Type()) && IsWord(x.Type()) {
		return v
	}
	return goval.Value{}
}

// IsWord reports whether t is a pointer, unsafe or not, or a uintptr.
func IsWord(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		return true
	case *types.Basic:
		return u.Kind() == types.UnsafePointer || u.Kind() == types.Uintptr
	}
	return false
}

func (in *Instr) fieldAddr(p goval.Value) goval.Value {
	a, ok := p.Bits()
	if !ok || in.Offsets == nil || in.Fused {
		return goval.Value{}
	}
	return goval.Known(a + uint64(in.Offsets[in.Index]))
}

func (in *Instr) indexAddr(p, i goval.Value) goval.Value {
	a, ok := p.Bits()
	n, ok2 := i.Bits()
	if !ok || !ok2 || in.Elem < 0 {
		return goval.Value{}
	}
	return goval.Known(a + uint64(goval.Signed(in.Kind2, n)*in.Elem))
}

// element is x[i] for an array or a string x.
func (in *Instr) element(x, i goval.Value) goval.Value {
	n, ok := i.Bits()
	if !ok {
		return goval.Value{}
	}
	at := goval.Signed(in.Kind2, n)
	if in.Kind == types.String {
		if s, ok := x.Content(); ok && at >= 0 && at < int64(len(s)) {
			return goval.Known(uint64(s[at]))
		}
		return goval.Value{}
	}
	if _, ok := plan.Core(in.Type).(*types.Array); !ok || in.Elem < 0 || at < 0 || in.Size < 0 {
		return goval.Value{}
	}
	return x.Part(at*in.Elem, in.Elem)
}

// slice is x[lo:hi:max]. If the capacity of the result is zero, the pointer is that of the operand:
// Go makes no pointer past the end.
func (in *Instr) slice(a []goval.Value) goval.Value {
	s := in.SSA.(*ssa.Slice)
	ptr, hi, limit := in.Sliced(a[0])
	lo := goval.Known(0)
	if s.Low != nil {
		lo = Extend(s.Low, a[1])
	}
	if s.High != nil {
		hi = Extend(s.High, a[2])
	}
	if s.Max != nil {
		limit = Extend(s.Max, a[3])
	}
	if in.Kind == types.String {
		limit = hi
	}
	length, capacity := goval.Sub(hi, lo), goval.Sub(limit, lo)
	base, ok := ptr.Bits()
	shift, ok2 := lo.Bits()
	left, ok3 := capacity.Bits()
	switch {
	case ok2 && shift == 0 || ok3 && left == 0:
	case ok && ok2 && ok3 && in.Elem >= 0:
		ptr = goval.Known(base + shift*uint64(in.Elem))
	default:
		ptr = goval.Value{}
	}
	if in.Kind == types.String {
		r := goval.Join(16, []int64{0, 8}, []int64{8, 8}, []goval.Value{ptr, length})
		return in.subText(r, a[0], shift, length, ok2)
	}
	return goval.Join(24, []int64{0, 8, 16}, []int64{8, 8, 8}, []goval.Value{ptr, length, capacity})
}

// Sliced returns the pointer, length and capacity of what is sliced.
func (in *Instr) Sliced(x goval.Value) (ptr, length, capacity goval.Value) {
	ptr = x.Part(0, 8)
	if array, ok := plan.Core(Pointee(in.Type)).(*types.Array); ok {
		n := goval.Known(uint64(array.Len()))
		return ptr, n, n
	}
	return ptr, x.Part(8, 8), x.Part(16, 8)
}

// Extend returns the image of an integer operand as that of an int.
func Extend(v ssa.Value, x goval.Value) goval.Value {
	b, ok := x.Bits()
	if !ok {
		return goval.Value{}
	}
	return goval.Known(uint64(goval.Signed(goval.KindOf(v.Type()), b)))
}

func (in *Instr) subText(r, x goval.Value, lo uint64, length goval.Value, ok bool) goval.Value {
	s, ok2 := x.Content()
	n, ok3 := length.Bits()
	if ok && ok2 && ok3 && lo <= uint64(len(s)) && n <= uint64(len(s))-lo {
		return r.WithText(s[lo : lo+n])
	}
	return r
}

// builtin computes a call of a builtin function that has no effect.
func (in *Instr) builtin(name string, a []goval.Value) goval.Value {
	switch name {
	case "len", "cap":
		return in.length(name == "cap", a[0])
	case "min", "max":
		return in.extreme(name, a)
	case "real", "imag":
		return in.half(name == "imag", a[0])
	case "complex":
		n := in.Size / 2
		if n != 4 && n != 8 {
			return goval.Value{}
		}
		return goval.Join(2*n, []int64{0, n}, []int64{n, n}, a)
	case "Add":
		p, ok := a[0].Bits()
		n, ok2 := a[1].Bits()
		if !ok || !ok2 {
			return goval.Value{}
		}
		return goval.Known(p + uint64(goval.Signed(goval.KindOf(in.SSA.(*ssa.Call).Call.Args[1].Type()), n)))
	case "ssa:wrapnilchk":
		return a[0]
	case "StringData", "SliceData":
		return a[0].Part(0, 8)
	}
	return goval.Value{}
}

func (in *Instr) length(capacity bool, x goval.Value) goval.Value {
	switch u := plan.Core(Pointee(in.Type)).(type) {
	case *types.Array:
		return goval.Known(uint64(u.Len()))
	case *types.Slice:
		if capacity {
			return x.Part(16, 8)
		}
		return x.Part(8, 8)
	case *types.Basic:
		return x.Part(8, 8)
	}
	return goval.Value{}
}

// extreme is min and max. For floats they have rules of their own for NaN and -0, so the builtins
// themselves are executed.
func (in *Instr) extreme(name string, a []goval.Value) goval.Value {
	r := a[0]
	for _, v := range a[1:] {
		x, ok := r.Bits()
		y, ok2 := v.Bits()
		if in.Kind == types.String || !ok || !ok2 {
			return goval.Value{}
		}
		switch in.Kind {
		case types.Float32:
			r = goval.ExtremeFloat(name, goval.Float32Of(x), goval.Float32Of(y))
		case types.Float64:
			r = goval.ExtremeFloat(name, goval.Float64Of(x), goval.Float64Of(y))
		default:
			less, _ := goval.BinOp(token.LSS, in.Kind, r, v)
			if b, ok := less.Bits(); !ok {
				return goval.Value{}
			} else if (b == 1) != (name == "min") {
				r = v
			}
		}
	}
	return r
}

// half is the real or imaginary part of a complex number.
func (in *Instr) half(imag bool, x goval.Value) goval.Value {
	n := in.Size
	if n != 4 && n != 8 {
		return goval.Value{}
	}
	if imag {
		return x.Part(n, n)
	}
	return x.Part(0, n)
}
