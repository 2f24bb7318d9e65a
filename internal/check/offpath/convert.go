package offpath

import (
	"go/types"
	"math"
	"unicode/utf8"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/source/plan"
)

// equal is x == y. ok is false if the result is unknown, or the language leaves it open.
func (c texts) equal(x, y ssa.Value, a, b value) (eq, ok bool) {
	switch {
	case isNil(y):
		return isZero(a)
	case isNil(x):
		return isZero(b)
	case !types.Identical(x.Type(), y.Type()):
		return false, false // an interface and what is in it
	case plan.Ambiguous(x, y):
		return ambiguous(a, b)
	}
	return c.same(x.Type(), a, b)
}

// ambiguous is equality of pointers to variables that may have size zero. It is known if one of
// them is nil.
func ambiguous(a, b value) (eq, ok bool) {
	x, ok := a.bits()
	y, ok2 := b.bits()
	return x == y, ok && ok2 && (x == 0 || y == 0)
}

func isNil(v ssa.Value) bool {
	c, ok := v.(*ssa.Const)
	if !ok || c.Value != nil {
		return false
	}
	switch plan.Core(c.Type()).(type) {
	case *types.Struct, *types.Array:
		return false
	}
	return true
}

// isZero reports whether a pointer, slice, map, channel, function or interface is nil: its first
// word is 0.
func isZero(a value) (zero, ok bool) {
	if a.some {
		return false, true
	}
	if len(a.img) < 8 {
		return false, false
	}
	x, ok := a.word(0)
	return x == 0, ok
}

// same is equality of values of one type.
func (c texts) same(t types.Type, a, b value) (eq, ok bool) {
	if _, param := types.Unalias(t).(*types.TypeParam); param {
		return false, false
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return c.sameBasic(basicKind(u), a, b)
	case *types.Pointer:
		if plan.MaybeEmpty(u.Elem()) {
			return ambiguous(a, b)
		}
		x, ok := a.bits()
		y, ok2 := b.bits()
		return x == y, ok && ok2
	case *types.Chan:
		x, ok := a.bits()
		y, ok2 := b.bits()
		return x == y, ok && ok2
	case *types.Interface:
		// known if the types differ, or both are nil; else it depends on the values inside
		x, ok := a.word(0)
		y, ok2 := b.word(0)
		return x == y, ok && ok2 && (x != y || x == 0)
	case *types.Struct:
		return c.sameFields(u, a, b)
	case *types.Array:
		n := sizeof(u.Elem())
		eq, ok = true, true
		for i := range int(u.Len()) {
			e, known := c.same(u.Elem(), a.part(i*n, n), b.part(i*n, n))
			if known && !e {
				return false, true
			}
			ok = ok && known
		}
		return eq, ok
	}
	return false, false
}

func (c texts) sameBasic(k types.BasicKind, a, b value) (eq, ok bool) {
	switch k {
	case types.String:
		s, ok := c.of(a)
		t, ok2 := c.of(b)
		if ok && ok2 {
			return s == t, true
		}
		n, ok := a.word(1)
		m, ok2 := b.word(1)
		return false, ok && ok2 && n != m
	case types.Float32, types.Float64:
		x, ok := floatOf(a)
		y, ok2 := floatOf(b)
		return x == y, ok && ok2
	case types.Complex64, types.Complex128:
		x, ok := complexOf(a)
		y, ok2 := complexOf(b)
		return x == y, ok && ok2
	case types.Bool:
		x, ok := a.bits()
		y, ok2 := b.bits()
		return x&1 == y&1, ok && ok2
	}
	x, ok := a.bits()
	y, ok2 := b.bits()
	return x == y, ok && ok2 && k != types.Invalid
}

func (c texts) sameFields(s *types.Struct, a, b value) (eq, ok bool) {
	eq, ok = true, true
	for i, off := range offsets(s) {
		f := s.Field(i)
		if f.Name() == "_" {
			continue
		}
		n := sizeof(f.Type())
		e, known := c.same(f.Type(), a.part(off, n), b.part(off, n))
		if known && !e {
			return false, true
		}
		ok = ok && known
	}
	return eq, ok
}

// offsets are those of a struct's fields.
func offsets(s *types.Struct) []int {
	vars := make([]*types.Var, s.NumFields())
	for i := range vars {
		vars[i] = s.Field(i)
		sizeof(vars[i].Type())
	}
	out := make([]int, len(vars))
	for i, off := range sizes.Offsetsof(vars) {
		out[i] = int(off)
	}
	return out
}

// converted is T(a).
func converted(x *ssa.Convert, a value) value {
	n := sizeof(x.Type())
	from, to := basicKind(x.X.Type()), basicKind(x.Type())
	switch {
	case isAddress(x.X.Type()) && isAddress(x.Type()):
		if p, ok := a.bits(); ok && p >= freshBase && to == types.Uint64 && isUintptr(x.Type()) {
			throw("the number of an address of new memory")
		}
		return a
	case from == types.Invalid || to == types.Invalid:
		return unknown(n)
	case from == to:
		return a
	}
	if v, ok := convertBasic(from, to, a, n); ok {
		return v
	}
	return unknown(n)
}

func isUintptr(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Kind() == types.Uintptr
}

// isAddress reports whether t is a pointer, unsafe or not, or a uintptr.
func isAddress(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Pointer:
		return true
	case *types.Basic:
		return u.Kind() == types.UnsafePointer || u.Kind() == types.Uintptr
	}
	return false
}

func convertBasic(from, to types.BasicKind, a value, n int) (value, bool) {
	if from == types.Complex64 || from == types.Complex128 {
		c, ok := complexOf(a)
		if !ok {
			return value{}, false
		}
		if to == types.Complex64 {
			return halves(floating(float32(real(c))))(floating(float32(imag(c))))
		}
		return halves(floating(real(c)))(floating(imag(c)))
	}
	x, ok := a.bits()
	if !ok {
		return value{}, false
	}
	switch from {
	case types.Int8, types.Int16, types.Int32, types.Int64:
		return fromInteger(to, signExtended(from, x), n)
	case types.Uint8, types.Uint16, types.Uint32, types.Uint64:
		return fromInteger(to, x, n)
	case types.Float32:
		return fromFloat(to, math.Float32frombits(uint32(x)), n)
	case types.Float64:
		return fromFloat(to, math.Float64frombits(x), n)
	}
	return value{}, false
}

func fromInteger[T int64 | uint64](to types.BasicKind, x T, n int) (value, bool) {
	switch {
	case to == types.Float32:
		return floating(float32(x))
	case to == types.Float64:
		return floating(float64(x))
	case to == types.String:
		if x < 0 || uint64(x) > utf8.MaxRune {
			return stringOf(string(utf8.RuneError)), true
		}
		return stringOf(string(rune(x))), true
	case to >= types.Int && to <= types.Uint64:
		return number(uint64(x), n), true
	}
	return value{}, false
}

// fromFloat converts a float. The result is unknown if the float does not fit the integer type:
// then it depends on the machine.
func fromFloat[T float](to types.BasicKind, x T, n int) (value, bool) {
	switch {
	case to == types.Float32:
		return floating(float32(x))
	case to == types.Float64:
		return floating(float64(x))
	case to < types.Int || to > types.Uint64 || x != x:
		return value{}, false
	}
	t := math.Trunc(float64(x))
	width := 8 * n
	if isSigned(to) {
		if limit := math.Ldexp(1, width-1); t < -limit || t >= limit {
			return value{}, false
		}
		return number(uint64(int64(t)), n), true
	}
	if t < 0 || t >= math.Ldexp(1, width) {
		return value{}, false
	}
	return number(uint64(t), n), true
}
