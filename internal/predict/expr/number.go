package expr

import "math"

// Go's operators on numbers. An integer is computed in 64 bits and cut to its width; of a float,
// Go's operator on the type itself is used, as rounding in two steps would be another result.

// extend returns the number whose image is x.
func extend(k Kind, x uint64) int64 {
	n := 64 - 8*k.Size()
	if k.IsSigned() {
		return int64(x<<n) >> n
	}
	return int64(x)
}

func truth(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

func unary(op Op, k Kind, x uint64) uint64 {
	switch {
	case op == Not:
		return x&1 ^ 1
	case op == Com:
		return ^x & k.mask()
	case k == Float32:
		return x ^ 1<<31
	case k == Float64:
		return x ^ 1<<63
	}
	return -x & k.mask()
}

func signed(op Op, k Kind, a, b uint64) (uint64, bool) {
	x, y := extend(k, a), extend(k, b)
	switch op {
	case Quo, Rem:
		if y == 0 {
			return 0, false
		}
		if op == Quo {
			return uint64(x/y) & k.mask(), true
		}
		return uint64(x%y) & k.mask(), true
	case Lss:
		return truth(x < y), true
	case Leq:
		return truth(x <= y), true
	case Gtr:
		return truth(x > y), true
	case Geq:
		return truth(x >= y), true
	case Min:
		return uint64(min(x, y)) & k.mask(), true
	case Max:
		return uint64(max(x, y)) & k.mask(), true
	}
	return unsigned(op, k, a, b)
}

// unsigned has besides what does not depend on the sign.
func unsigned(op Op, k Kind, x, y uint64) (uint64, bool) {
	switch op {
	case Add:
		return (x + y) & k.mask(), true
	case Sub:
		return (x - y) & k.mask(), true
	case Mul:
		return x * y & k.mask(), true
	case Quo, Rem:
		if y == 0 {
			return 0, false
		}
		if op == Quo {
			return x / y, true
		}
		return x % y, true
	case And:
		return x & y, true
	case Or:
		return x | y, true
	case Xor:
		return x ^ y, true
	case AndNot:
		return x &^ y, true
	case Min:
		return min(x, y), true
	case Max:
		return max(x, y), true
	}
	return compare(op, x, y)
}

func compare[T uint64 | float32 | float64 | string](op Op, x, y T) (uint64, bool) {
	switch op {
	case Eql:
		return truth(x == y), true
	case Neq:
		return truth(x != y), true
	case Lss:
		return truth(x < y), true
	case Leq:
		return truth(x <= y), true
	case Gtr:
		return truth(x > y), true
	case Geq:
		return truth(x >= y), true
	}
	return 0, false
}

// shift computes x << n or x >> n, the count of kind kn.
func shift(op Op, k, kn Kind, x, n uint64) (uint64, bool) {
	switch {
	case kn.IsSigned() && extend(kn, n) < 0:
		return 0, false
	case op == Shl:
		return x << n & k.mask(), true
	case k.IsSigned():
		return uint64(extend(k, x)>>n) & k.mask(), true
	}
	return x >> n, true
}

func float(op Op, k Kind, a, b uint64) (uint64, bool) {
	if op >= Eql && op <= Geq {
		if k == Float32 {
			return compare(op, float32Of(a), float32Of(b))
		}
		return compare(op, float64Of(a), float64Of(b))
	}
	if k == Float32 {
		return image32(arithmetic(op, float32Of(a), float32Of(b)))
	}
	return image64(arithmetic(op, float64Of(a), float64Of(b)))
}

func arithmetic[T float32 | float64](op Op, x, y T) (T, bool) {
	switch op {
	case Add:
		return x + y, true
	case Sub:
		return x - y, true
	case Mul:
		return x * y, true
	case Quo:
		return x / y, true
	case Min:
		return min(x, y), true
	case Max:
		return max(x, y), true
	}
	return 0, false
}

func float32Of(a uint64) float32 { return math.Float32frombits(uint32(a)) }
func float64Of(a uint64) float64 { return math.Float64frombits(a) }

// image32 and image64 return the bits of a result; none if it is a NaN (TE1).
func image32(x float32, ok bool) (uint64, bool) {
	return uint64(math.Float32bits(x)), ok && x == x
}

func image64(x float64, ok bool) (uint64, bool) { return math.Float64bits(x), ok && x == x }

// Divide returns n/m as runtime.complex128div does, each product rounded: the compiler of presage
// itself may round x*y + z once.
func Divide(n, m complex128) complex128 {
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

func quotient(op Op, a []Value) (uint64, bool) {
	q := Divide(complex(float64Of(a[0].Word), float64Of(a[1].Word)), complex(float64Of(a[2].Word), float64Of(a[3].Word)))
	if op == QuoRe {
		return image64(real(q), true)
	}
	return image64(imag(q), true)
}

func convert(to, from Kind, x uint64) (uint64, bool) {
	switch {
	case from == Bool || to == Bool:
		return x, from == to
	case from == Float32:
		return ofFloat(to, float64(float32Of(x))) // exact
	case from == Float64:
		return ofFloat(to, float64Of(x))
	case to == Float32 && from == Uint64:
		return image32(float32(x), true)
	case to == Float64 && from == Uint64:
		return image64(float64(x), true)
	case to == Float32:
		return image32(float32(extend(from, x)), true)
	case to == Float64:
		return image64(float64(extend(from, x)), true)
	}
	return uint64(extend(from, x)) & to.mask(), true
}

// ofFloat converts x; to an integer only if it is in range when its fraction is dropped (TE1).
func ofFloat(to Kind, x float64) (uint64, bool) {
	switch to {
	case Float32:
		return image32(float32(x), true)
	case Float64:
		return image64(x, true)
	}
	x = math.Trunc(x)
	bits := int(8 * to.Size())
	low, high := 0.0, math.Ldexp(1, bits)
	if to.IsSigned() {
		low, high = -math.Ldexp(1, bits-1), math.Ldexp(1, bits-1)
	}
	switch {
	case !(x >= low && x < high):
		return 0, false
	case to == Uint64:
		return uint64(x), true
	}
	return uint64(int64(x)) & to.mask(), true
}
