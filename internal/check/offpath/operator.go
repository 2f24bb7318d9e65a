package offpath

import (
	"go/token"
	"go/types"
	"math"

	"golang.org/x/tools/go/ssa"
)

// Go's operators. Each is executed by Go's own operator on operands of its own type. The result is
// unknown if an operand is. A panic of the program rejects the witness.

type integer interface {
	int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64
}

type float interface{ float32 | float64 }

// basicKind is the kind of a basic type, with the kinds of this machine for int, uint and uintptr;
// Invalid for others.
func basicKind(t types.Type) types.BasicKind {
	if _, ok := types.Unalias(t).(*types.TypeParam); ok {
		return types.Invalid
	}
	b, ok := types.Default(t).Underlying().(*types.Basic)
	if !ok {
		return types.Invalid
	}
	switch k := b.Kind(); k {
	case types.Int:
		return types.Int64
	case types.Uint, types.Uintptr, types.UnsafePointer:
		return types.Uint64
	default:
		return k
	}
}

// signExtended is the bits of an integer of kind k as an int64.
func signExtended(k types.BasicKind, x uint64) int64 {
	switch k {
	case types.Int8:
		return int64(int8(x))
	case types.Int16:
		return int64(int16(x))
	case types.Int32:
		return int64(int32(x))
	}
	return int64(x)
}

func isSigned(k types.BasicKind) bool { return k >= types.Int && k <= types.Int64 }

func (c texts) binary(op token.Token, x *ssa.BinOp, a, b value) value {
	n := sizeof(x.Type())
	switch op {
	case token.EQL, token.NEQ:
		eq, ok := c.equal(x.X, x.Y, a, b)
		if !ok {
			return unknown(n)
		}
		return truth(eq == (op == token.EQL))
	case token.SHL, token.SHR:
		return shifted(op, basicKind(x.X.Type()), basicKind(x.Y.Type()), a, b, n)
	}
	if v, ok := arithmetic(op, basicKind(x.X.Type()), a, b); ok {
		return v
	}
	return unknown(n)
}

// arithmetic is the binary operators on basic types but shifts, == and !=.
func arithmetic(op token.Token, k types.BasicKind, a, b value) (value, bool) {
	switch k {
	case types.String:
		s, ok := a.content()
		t, ok2 := b.content()
		if ok && ok2 {
			if op == token.ADD {
				return stringOf(s + t), true
			}
			return ordered(op, s, t)
		}
		n, ok := a.word(1)
		m, ok2 := b.word(1)
		if op == token.ADD && ok && ok2 { // as long as both
			return words(unknown(8), number(n+m, 8)), true
		}
		return value{}, false
	case types.Complex128:
		return complexes(op, k, a, b)
	}
	y, ok := b.bits()
	if ok && y == 0 && (op == token.QUO || op == token.REM) && k >= types.Int && k <= types.Uint64 {
		throw("panic: integer divide by zero")
	}
	x, ok2 := a.bits()
	if !ok || !ok2 {
		return value{}, false
	}
	switch k {
	case types.Bool:
		return bools(op, x, y)
	case types.Int8:
		return integers(op, int8(x), int8(y), 1)
	case types.Int16:
		return integers(op, int16(x), int16(y), 2)
	case types.Int32:
		return integers(op, int32(x), int32(y), 4)
	case types.Int64:
		return integers(op, int64(x), int64(y), 8)
	case types.Uint8:
		return integers(op, uint8(x), uint8(y), 1)
	case types.Uint16:
		return integers(op, uint16(x), uint16(y), 2)
	case types.Uint32:
		return integers(op, uint32(x), uint32(y), 4)
	case types.Uint64:
		return integers(op, x, y, 8)
	case types.Float32:
		return floats(op, math.Float32frombits(uint32(x)), math.Float32frombits(uint32(y)))
	case types.Float64:
		return floats(op, math.Float64frombits(x), math.Float64frombits(y))
	case types.Complex64:
		return complexes(op, k, a, b)
	}
	return value{}, false
}

func bools(op token.Token, x, y uint64) (value, bool) {
	switch op {
	case token.AND, token.LAND:
		return number(x&y&1, 1), true
	case token.OR, token.LOR:
		return number((x|y)&1, 1), true
	}
	return value{}, false
}

func integers[T integer](op token.Token, x, y T, n int) (value, bool) {
	var r T
	switch op {
	case token.ADD:
		r = x + y
	case token.SUB:
		r = x - y
	case token.MUL:
		r = x * y
	case token.QUO:
		r = x / y
	case token.REM:
		r = x % y
	case token.AND:
		r = x & y
	case token.OR:
		r = x | y
	case token.XOR:
		r = x ^ y
	case token.AND_NOT:
		r = x &^ y
	default:
		return ordered(op, x, y)
	}
	return number(uint64(r), n), true
}

func floats[T float](op token.Token, x, y T) (value, bool) {
	var r T
	switch op {
	case token.ADD:
		r = x + y
	case token.SUB:
		r = x - y
	case token.MUL:
		r = x * y
	case token.QUO:
		r = x / y
	default:
		return ordered(op, x, y)
	}
	return floating(r)
}

// floating is a float. The bits of a NaN depend on the machine code: they are unknown.
func floating[T float](r T) (value, bool) {
	if r != r {
		return value{}, false
	}
	switch r := any(r).(type) {
	case float32:
		return number(uint64(math.Float32bits(r)), 4), true
	case float64:
		return number(math.Float64bits(r), 8), true
	}
	return value{}, false
}

func ordered[T integer | float | string](op token.Token, x, y T) (value, bool) {
	switch op {
	case token.LSS:
		return truth(x < y), true
	case token.LEQ:
		return truth(x <= y), true
	case token.GTR:
		return truth(x > y), true
	case token.GEQ:
		return truth(x >= y), true
	}
	return value{}, false
}

func complexOf(v value) (complex128, bool) {
	n := len(v.img) / 2
	re, ok := floatOf(v.part(0, n))
	im, ok2 := floatOf(v.part(n, n))
	return complex(re, im), ok && ok2
}

func floatOf(v value) (float64, bool) {
	x, ok := v.bits()
	if len(v.img) == 4 {
		return float64(math.Float32frombits(uint32(x))), ok
	}
	return math.Float64frombits(x), ok
}

func complexes(op token.Token, k types.BasicKind, a, b value) (value, bool) {
	x, ok := complexOf(a)
	y, ok2 := complexOf(b)
	if !ok || !ok2 {
		return value{}, false
	}
	if k == types.Complex64 {
		c, d := complex64(x), complex64(y)
		switch op {
		case token.ADD:
			c += d
		case token.SUB:
			c -= d
		case token.MUL:
			c *= d
		case token.QUO:
			c = complex64(over(complex128(c), complex128(d)))
		}
		return halves(floating(real(c)))(floating(imag(c)))
	}
	switch op {
	case token.ADD:
		x += y
	case token.SUB:
		x -= y
	case token.MUL:
		x = times(x, y)
	case token.QUO:
		x = over(x, y)
	}
	return halves(floating(real(x)))(floating(imag(x)))
}

// times and over are the product and the quotient, as the compiler and runtime.complex128div have
// them if no product and sum are rounded at once, which the conversions prevent.

func times(x, y complex128) complex128 {
	a, b, c, d := real(x), imag(x), real(y), imag(y)
	return complex(float64(a*c)-float64(b*d), float64(a*d)+float64(b*c))
}

func over(n, m complex128) complex128 {
	re, im, c, d := real(n), imag(n), real(m), imag(m)
	var e, f float64
	if math.Abs(c) >= math.Abs(d) {
		ratio := d / c
		by := c + float64(ratio*d)
		e, f = (re+float64(im*ratio))/by, (im-float64(re*ratio))/by
	} else {
		ratio := c / d
		by := d + float64(ratio*c)
		e, f = (float64(re*ratio)+im)/by, (float64(im*ratio)-re)/by
	}
	if e != e && f != f { // products of infinities and zeros, which are exact
		return n / m
	}
	return complex(e, f)
}

// halves puts a complex number together.
func halves(re value, ok bool) func(value, bool) (value, bool) {
	return func(im value, ok2 bool) (value, bool) {
		if !ok || !ok2 {
			return value{}, false
		}
		n := len(re.img)
		return zero(2*n).with(0, re).with(n, im), true
	}
}

// shifted is a shift of an integer.
func shifted(op token.Token, k, count types.BasicKind, a, b value, n int) value {
	y, ok := b.bits()
	if !ok {
		return unknown(n)
	}
	if isSigned(count) && signExtended(count, y) < 0 {
		throw("panic: negative shift amount")
	}
	x, ok := a.bits()
	if !ok {
		return unknown(n)
	}
	left := op == token.SHL
	switch k {
	case types.Int8:
		return shift(int8(x), y, left, 1)
	case types.Int16:
		return shift(int16(x), y, left, 2)
	case types.Int32:
		return shift(int32(x), y, left, 4)
	case types.Int64:
		return shift(int64(x), y, left, 8)
	case types.Uint8:
		return shift(uint8(x), y, left, 1)
	case types.Uint16:
		return shift(uint16(x), y, left, 2)
	case types.Uint32:
		return shift(uint32(x), y, left, 4)
	case types.Uint64:
		return shift(x, y, left, 8)
	}
	return unknown(n)
}

func shift[T integer](x T, count uint64, left bool, n int) value {
	if left {
		return number(uint64(x<<count), n)
	}
	return number(uint64(x>>count), n)
}

// unary is -x, !x and ^x.
func unary(x *ssa.UnOp, a value) value {
	n := sizeof(x.Type())
	k := basicKind(x.X.Type())
	if k == types.Complex64 || k == types.Complex128 {
		c, ok := complexOf(a)
		if !ok {
			return unknown(n)
		}
		return signs(c, n)
	}
	bits, ok := a.bits()
	if !ok {
		return unknown(n)
	}
	switch {
	case x.Op == token.NOT:
		return truth(bits&1 == 0)
	case x.Op == token.XOR && k >= types.Int && k <= types.Uint64:
		return number(^bits, n)
	case x.Op == token.SUB && k >= types.Int && k <= types.Uint64:
		return number(-bits, n)
	case x.Op == token.SUB && k == types.Float32:
		return number(uint64(math.Float32bits(-math.Float32frombits(uint32(bits)))), n)
	case x.Op == token.SUB && k == types.Float64:
		return number(math.Float64bits(-math.Float64frombits(bits)), n)
	}
	return unknown(n)
}

func signs(c complex128, n int) value {
	if n == 8 {
		return zero(8).with(0, number(uint64(math.Float32bits(-float32(real(c)))), 4)).with(4, number(uint64(math.Float32bits(-float32(imag(c)))), 4))
	}
	return zero(16).with(0, number(math.Float64bits(-real(c)), 8)).with(8, number(math.Float64bits(-imag(c)), 8))
}
