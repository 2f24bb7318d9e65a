package goval

import (
	"go/types"
	"math"
	"unicode/utf8"
)

// Conversions between numeric types, and of integers to strings.

// ConvertBasic converts x from one numeric kind to another, or an integer to a string.
func ConvertBasic(to, from types.BasicKind, x Value) Value {
	a, ok := x.Bits()
	if to == from || !ok && from != types.Complex128 {
		if to == from {
			return x
		}
		return Value{}
	}
	switch from {
	case types.Int8, types.Int16, types.Int32, types.Int64:
		return convertInt(to, Signed(from, a))
	case types.Uint8, types.Uint16, types.Uint32:
		return convertInt(to, int64(a))
	case types.Uint64, types.UnsafePointer:
		return convertUint64(to, a)
	case types.Float32:
		return convertFloat(to, Float32Of(a))
	case types.Float64:
		return convertFloat(to, Float64Of(a))
	case types.Complex64:
		if to == types.Complex128 {
			return wrapComplex128(complex128(complex64Of(a)))
		}
	case types.Complex128:
		if c, ok := complex128Of(x); ok && to == types.Complex64 {
			return WrapComplex64(complex64(c))
		}
	}
	return Value{}
}

func convertInt(to types.BasicKind, x int64) Value {
	switch to {
	case types.Float32:
		return WrapFloat(float32(x))
	case types.Float64:
		return WrapFloat(float64(x))
	case types.String:
		return runeText(x)
	}
	if n := SizeOfKind(to); n > 0 && n <= 8 {
		return Known(uint64(x) & Mask(n))
	}
	return Value{}
}

func runeText(x int64) Value {
	if x < 0 || x > utf8.MaxRune {
		x = utf8.RuneError
	}
	return Text(string(rune(x)))
}

func convertUint64(to types.BasicKind, x uint64) Value {
	switch to {
	case types.Float32:
		return WrapFloat(float32(x))
	case types.Float64:
		return WrapFloat(float64(x))
	case types.String:
		return runeText(int64(min(x, utf8.MaxRune+1)))
	}
	return convertInt(to, int64(x))
}

// convertFloat converts a float. The result is known if it is in the range of the type. Otherwise
// it depends on the compiler, its version and its flags.
func convertFloat[T float](to types.BasicKind, x T) Value {
	switch to {
	case types.Float32:
		return WrapFloat(float32(x))
	case types.Float64:
		return WrapFloat(float64(x))
	}
	n, whole := SizeOfKind(to), math.Trunc(float64(x))
	switch to {
	case types.Int8, types.Int16, types.Int32, types.Int64:
		if limit := math.Ldexp(1, int(8*n-1)); -limit <= whole && whole < limit {
			return Known(uint64(int64(whole)) & Mask(n))
		}
	case types.Uint8, types.Uint16, types.Uint32, types.Uint64:
		if 0 <= whole && whole < math.Ldexp(1, int(8*n)) {
			return Known(uint64(whole))
		}
	}
	return Value{}
}
