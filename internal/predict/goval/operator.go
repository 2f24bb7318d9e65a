package goval

import (
	"errors"
	"go/token"
	"go/types"
	"math"

	"github.com/presage-race/presage/internal/predict/expr"
)

// Each of Go's operators on basic types is executed by the operator itself on the type itself. So
// overflow, shifts, NaN and conversions out of range are those of the Go compiler on this machine.
// operator_test.go compares them with compiled code.

// The panics of operators.
var (
	errDivide = errors.New("integer divide by zero")
	errShift  = errors.New("negative shift amount")
)

type integer interface {
	int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64
}

type float interface{ float32 | float64 }

// KindOf returns the basic kind under t with the kinds that depend on the machine
// replaced by those of amd64; types.Invalid if t is not basic.
func KindOf(t types.Type) types.BasicKind {
	b, ok := t.Underlying().(*types.Basic)
	if !ok {
		return types.Invalid
	}
	switch b.Kind() {
	case types.Int, types.UntypedInt:
		return types.Int64
	case types.Uint, types.Uintptr:
		return types.Uint64
	case types.UntypedRune:
		return types.Int32
	case types.UntypedBool:
		return types.Bool
	case types.UntypedFloat:
		return types.Float64
	case types.UntypedComplex:
		return types.Complex128
	case types.UntypedString:
		return types.String
	}
	return b.Kind()
}

// BinOp computes x op y for operands of kind k; shifts have operations of their own.
func BinOp(op token.Token, k types.BasicKind, x, y Value) (Value, error) {
	if k == types.String {
		return binText(op, x, y), nil
	}
	if k == types.Complex128 {
		return binComplex128(op, x, y), nil
	}
	a, ok := x.Bits()
	b, ok2 := y.Bits()
	if !ok || !ok2 {
		if b == 0 && ok2 && IsInteger(k) && (op == token.QUO || op == token.REM) {
			return Value{}, errDivide
		}
		return Value{}, nil
	}
	switch k {
	case types.Bool:
		return binBool(op, a, b), nil
	case types.Int8:
		return binInt(op, int8(a), int8(b))
	case types.Int16:
		return binInt(op, int16(a), int16(b))
	case types.Int32:
		return binInt(op, int32(a), int32(b))
	case types.Int64:
		return binInt(op, int64(a), int64(b))
	case types.Uint8:
		return binInt(op, uint8(a), uint8(b))
	case types.Uint16:
		return binInt(op, uint16(a), uint16(b))
	case types.Uint32:
		return binInt(op, uint32(a), uint32(b))
	case types.Uint64, types.UnsafePointer:
		return binInt(op, a, b)
	case types.Float32:
		return binFloat(op, Float32Of(a), Float32Of(b)), nil
	case types.Float64:
		return binFloat(op, Float64Of(a), Float64Of(b)), nil
	case types.Complex64:
		return binComplex64(op, complex64Of(a), complex64Of(b)), nil
	}
	return Value{}, nil
}

// IsInteger reports whether k is a kind of integers.
func IsInteger(k types.BasicKind) bool { return k >= types.Int && k <= types.Uintptr }

// BoolValue returns the image of a bool.
func BoolValue(b bool) Value {
	if b {
		return Known(1)
	}
	return Known(0)
}

// wrap returns the image of an integer: zero-extended.
func wrap[T integer](x T) Value {
	switch x := any(x).(type) {
	case int8:
		return Known(uint64(uint8(x)))
	case int16:
		return Known(uint64(uint16(x)))
	case int32:
		return Known(uint64(uint32(x)))
	}
	return Known(uint64(x))
}

// WrapFloat returns the image of a float.
func WrapFloat[T float](x T) Value {
	switch x := any(x).(type) {
	case float32:
		return Known(uint64(math.Float32bits(x)))
	case float64:
		return Known(math.Float64bits(x))
	}
	panic("goval: no such float")
}

func binBool(op token.Token, a, b uint64) Value {
	switch op {
	case token.EQL:
		return BoolValue(a&1 == b&1)
	case token.NEQ:
		return BoolValue(a&1 != b&1)
	case token.AND, token.LAND:
		return Known(a & b & 1)
	case token.OR, token.LOR:
		return Known((a | b) & 1)
	}
	return Value{}
}

func binInt[T integer](op token.Token, x, y T) (Value, error) {
	switch op {
	case token.ADD:
		return wrap(x + y), nil
	case token.SUB:
		return wrap(x - y), nil
	case token.MUL:
		return wrap(x * y), nil
	case token.QUO:
		if y == 0 {
			return Value{}, errDivide
		}
		return wrap(x / y), nil
	case token.REM:
		if y == 0 {
			return Value{}, errDivide
		}
		return wrap(x % y), nil
	case token.AND:
		return wrap(x & y), nil
	case token.OR:
		return wrap(x | y), nil
	case token.XOR:
		return wrap(x ^ y), nil
	case token.AND_NOT:
		return wrap(x &^ y), nil
	}
	return compare(op, x, y), nil
}

func binFloat[T float](op token.Token, x, y T) Value {
	switch op {
	case token.ADD:
		return WrapFloat(x + y)
	case token.SUB:
		return WrapFloat(x - y)
	case token.MUL:
		return WrapFloat(x * y)
	case token.QUO:
		return WrapFloat(x / y)
	}
	return compare(op, x, y)
}

func compare[T integer | float | string](op token.Token, x, y T) Value {
	switch op {
	case token.EQL:
		return BoolValue(x == y)
	case token.NEQ:
		return BoolValue(x != y)
	case token.LSS:
		return BoolValue(x < y)
	case token.LEQ:
		return BoolValue(x <= y)
	case token.GTR:
		return BoolValue(x > y)
	case token.GEQ:
		return BoolValue(x >= y)
	}
	return Value{}
}

// Float32Of returns the float32 that has the image a.
func Float32Of(a uint64) float32 { return math.Float32frombits(uint32(a)) }

// Float64Of returns the float64 that has the image a.
func Float64Of(a uint64) float64 { return math.Float64frombits(a) }

func complex64Of(a uint64) complex64 {
	return complex(Float32Of(a), math.Float32frombits(uint32(a>>32)))
}

func complex128Of(v Value) (complex128, bool) {
	re, ok := v.Word(0)
	im, ok2 := v.Word(1)
	return complex(math.Float64frombits(re), math.Float64frombits(im)), ok && ok2
}

// WrapComplex64 returns the image of a complex64.
func WrapComplex64(c complex64) Value {
	return Known(uint64(math.Float32bits(real(c))) | uint64(math.Float32bits(imag(c)))<<32)
}

func wrapComplex128(c complex128) Value {
	return Words([]uint64{math.Float64bits(real(c)), math.Float64bits(imag(c))})
}

func binComplex64(op token.Token, x, y complex64) Value {
	switch op {
	case token.ADD:
		return WrapComplex64(x + y)
	case token.SUB:
		return WrapComplex64(x - y)
	case token.MUL:
		return WrapComplex64(x * y)
	case token.QUO:
		return WrapComplex64(complex64(expr.Divide(complex128(x), complex128(y))))
	case token.EQL:
		return BoolValue(x == y)
	case token.NEQ:
		return BoolValue(x != y)
	}
	return Value{}
}

func binComplex128(op token.Token, v, w Value) Value {
	x, ok := complex128Of(v)
	y, ok2 := complex128Of(w)
	if !ok || !ok2 {
		return Value{}
	}
	switch op {
	case token.ADD:
		return wrapComplex128(x + y)
	case token.SUB:
		return wrapComplex128(x - y)
	case token.MUL: // each product is rounded (expr.Divide)
		re := float64(real(x)*real(y)) - float64(imag(x)*imag(y))
		return wrapComplex128(complex(re, float64(real(x)*imag(y))+float64(imag(x)*real(y))))
	case token.QUO:
		return wrapComplex128(expr.Divide(x, y))
	case token.EQL:
		return BoolValue(x == y)
	case token.NEQ:
		return BoolValue(x != y)
	}
	return Value{}
}

// binText is the operators of strings. Where a content is not known, lengths may
// still decide, and a concatenation still has its length.
func binText(op token.Token, v, w Value) Value {
	x, ok := v.Content()
	y, ok2 := w.Content()
	if ok && ok2 {
		if op == token.ADD {
			return Text(x + y)
		}
		return compare(op, x, y)
	}
	n, ok := v.Word(1)
	m, ok2 := w.Word(1)
	if !ok || !ok2 {
		return Value{}
	}
	switch {
	case op == token.ADD:
		return Value{known: 2, more: &more{words: []uint64{n + m}}}
	case n != m && (op == token.EQL || op == token.NEQ):
		return BoolValue(op == token.NEQ)
	}
	return Value{}
}

// Shift computes x op y, op one of << and >>, for x of kind k and y of kind ky.
func Shift(op token.Token, k, ky types.BasicKind, x, y Value) (Value, error) {
	n, ok := y.Bits()
	if !ok {
		return Value{}, nil
	}
	if IsSigned(ky) {
		i := Signed(ky, n)
		if i < 0 {
			return Value{}, errShift
		}
		n = uint64(i)
	}
	a, ok := x.Bits()
	if !ok {
		return Value{}, nil
	}
	switch k {
	case types.Int8:
		return shift(op, int8(a), n), nil
	case types.Int16:
		return shift(op, int16(a), n), nil
	case types.Int32:
		return shift(op, int32(a), n), nil
	case types.Int64:
		return shift(op, int64(a), n), nil
	case types.Uint8:
		return shift(op, uint8(a), n), nil
	case types.Uint16:
		return shift(op, uint16(a), n), nil
	case types.Uint32:
		return shift(op, uint32(a), n), nil
	case types.Uint64:
		return shift(op, a, n), nil
	}
	return Value{}, nil
}

func shift[T integer](op token.Token, x T, n uint64) Value {
	if op == token.SHL {
		return wrap(x << n)
	}
	return wrap(x >> n)
}

// IsSigned reports whether k is a kind of signed integers.
func IsSigned(k types.BasicKind) bool {
	return k >= types.Int && k <= types.Int64 || k == types.UntypedInt || k == types.UntypedRune
}

// Signed sign-extends the image of an integer of kind k.
func Signed(k types.BasicKind, a uint64) int64 {
	switch k {
	case types.Int8:
		return int64(int8(a))
	case types.Int16:
		return int64(int16(a))
	case types.Int32, types.UntypedRune:
		return int64(int32(a))
	}
	return int64(a)
}

// Neg, Not and Complement are the unary operators.

// Neg computes -x for x of kind k.
func Neg(k types.BasicKind, x Value) Value {
	a, ok := x.Bits()
	if !ok {
		return Value{}
	}
	switch k {
	case types.Float32:
		return WrapFloat(-Float32Of(a))
	case types.Float64:
		return WrapFloat(-Float64Of(a))
	case types.Complex64:
		return WrapComplex64(-complex64Of(a))
	case types.Complex128:
		c, ok := complex128Of(x)
		if !ok {
			return Value{}
		}
		return wrapComplex128(-c)
	}
	if !IsInteger(k) {
		return Value{}
	}
	return Known(-a & Mask(SizeOfKind(k)))
}

// Not computes !x.
func Not(x Value) Value {
	a, ok := x.Bits()
	if !ok {
		return Value{}
	}
	return Known(a&1 ^ 1)
}

// Complement computes ^x for x of kind k.
func Complement(k types.BasicKind, x Value) Value {
	a, ok := x.Bits()
	if !ok || !IsInteger(k) {
		return Value{}
	}
	return Known(^a & Mask(SizeOfKind(k)))
}

// SizeOfKind returns the size of a kind in bytes; 0 for kinds that are not basic.
func SizeOfKind(k types.BasicKind) int64 {
	switch k {
	case types.Bool, types.Int8, types.Uint8:
		return 1
	case types.Int16, types.Uint16:
		return 2
	case types.Int32, types.Uint32, types.Float32:
		return 4
	case types.Int64, types.Uint64, types.Float64, types.Complex64, types.UnsafePointer, types.Int, types.Uint, types.Uintptr:
		return 8
	case types.Complex128, types.String:
		return 16
	}
	return 0
}

// IsNaN reports whether v is a NaN of kind k. The bits of a NaN that an operator
// returns depend on the order in which the compiler put its operands.
func IsNaN(k types.BasicKind, v Value) bool {
	a, ok := v.Bits()
	switch {
	case !ok:
		return false
	case k == types.Float32:
		f := Float32Of(a)
		return f != f
	case k == types.Float64:
		f := Float64Of(a)
		return f != f
	}
	return false
}

// IsZero reports whether v is known to be zero in its first word.
func IsZero(v Value) bool {
	b, ok := v.Bits()
	return ok && b == 0
}

// SameWord computes x == y for values of one word.
func SameWord(x, y Value) Value {
	a, ok := x.Bits()
	b, ok2 := y.Bits()
	if !ok || !ok2 {
		return Value{}
	}
	return BoolValue(a == b)
}

// Sub computes x - y for values of one word.
func Sub(x, y Value) Value {
	a, ok := x.Bits()
	b, ok2 := y.Bits()
	if !ok || !ok2 {
		return Value{}
	}
	return Known(a - b)
}

// ExtremeFloat computes min or max of floats, including NaN and -0.
func ExtremeFloat[T float](name string, x, y T) Value {
	if name == "min" {
		return WrapFloat(min(x, y))
	}
	return WrapFloat(max(x, y))
}
