package goval

import (
	"errors"
	"fmt"
	"go/token"
	"go/types"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

//go:generate go run ./testdata/genops

// A compiledOp is an operator as the compiler made it, on images of values.
type compiledOp struct {
	op    token.Token
	k, ky types.BasicKind
	f     func(x, y uint64) uint64
}

type compiledText struct {
	k types.BasicKind
	f func(x uint64) string
}

func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// edges returns images of kind k worth trying: borders of the type and of the
// types it is converted to, special floats, and some random ones.
func edges(k types.BasicKind) []uint64 {
	var r []uint64
	switch k {
	case types.Float32:
		for _, f := range floatEdges() {
			r = append(r, uint64(math.Float32bits(float32(f))))
		}
		return append(r, 1, 0x7fffff, 0x7fc00001, 0xff800001, 0x80000001)
	case types.Float64:
		for _, f := range floatEdges() {
			r = append(r, math.Float64bits(f))
		}
		return append(r, 1, 0xfffffffffffff, 0x7ff8000000000001, 0xfff0000000000001)
	}
	m := Mask(SizeOfKind(k))
	for _, x := range []uint64{0, 1, 2, 3, 7, 8, 31, 32, 33, 63, 64, 65, 127, 128, 255, 256, 0x7fff, 0x8000, 0xd800, 0xfffd,
		0xffff, 0x10ffff, 0x110000, 1<<31 - 1, 1 << 31, 1<<32 - 1, 1 << 32, 1<<53 + 1, 1<<63 - 1, 1 << 63, 1<<63 + 1025, 1<<64 - 1} {
		r = append(r, x&m, -x&m)
	}
	rng := rand.New(rand.NewPCG(1, uint64(k)))
	for range 8 {
		r = append(r, rng.Uint64()&m)
	}
	return r
}

func floatEdges() []float64 {
	r := []float64{0, math.Copysign(0, -1), 0.5, 1, 1.5, math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat64,
		math.SmallestNonzeroFloat64, math.MaxFloat32, math.Pi, 1e300}
	for _, n := range []float64{7, 8, 15, 16, 31, 32, 53, 63, 64} {
		p := math.Pow(2, n)
		r = append(r, p, p-1, p+1, -p, -p-1, 1-p, p-0.5, math.Nextafter(p, 0))
	}
	return r
}

// compile calls f and returns its result or the panic.
func compiled(c compiledOp, x, y uint64) (r uint64, failure error) {
	defer func() {
		if p := recover(); p != nil {
			failure = p.(error)
		}
	}()
	return c.f(x, y), nil
}

func sameResult(k types.BasicKind, v Value, err error, want uint64, failure error) bool {
	if err != nil || failure != nil {
		return err != nil && failure != nil && "runtime error: "+err.Error() == failure.Error()
	}
	if IsNaN(k, v) && IsNaN(k, Known(want)) {
		return true
	}
	got, ok := v.Bits()
	return ok && got == want
}

func TestBinaryOperators(t *testing.T) {
	n := 0
	for _, c := range compiledBinary {
		for _, x := range edges(c.k) {
			for _, y := range edges(c.ky) {
				var v Value
				var err error
				if c.op == token.SHL || c.op == token.SHR {
					v, err = Shift(c.op, c.k, c.ky, Known(x), Known(y))
				} else {
					v, err = BinOp(c.op, c.k, Known(x), Known(y))
				}
				want, failure := compiled(c, x, y)
				k := c.k
				if c.op.Precedence() == 3 {
					k = types.Bool
				}
				if n++; !sameResult(k, v, err, want, failure) {
					t.Fatalf("%v: %#x %v %#x = %v, %v; the compiler: %#x, %v", c.k, x, c.op, y, v, err, want, failure)
				}
			}
		}
	}
	t.Logf("%d results compared", n)
}

func TestUnaryOperators(t *testing.T) {
	for _, c := range compiledUnary {
		for _, x := range edges(c.k) {
			v := Neg(c.k, Known(x))
			if c.op == token.XOR {
				v = Complement(c.k, Known(x))
			}
			if want, _ := compiled(c, x, 0); !sameResult(c.k, v, nil, want, nil) {
				t.Fatalf("%v: %v %#x = %v; the compiler: %#x", c.k, c.op, x, v, want)
			}
		}
	}
	for x := range uint64(2) {
		if v, _ := Not(Known(x)).Bits(); v != bit(x == 0) {
			t.Errorf("!%v = %v", x, v)
		}
	}
}

func TestConversions(t *testing.T) {
	for _, c := range compiledConversions {
		for _, x := range edges(c.ky) {
			v := ConvertBasic(c.k, c.ky, Known(x))
			if !representable(c.k, c.ky, x) {
				if _, known := v.Bits(); known {
					t.Fatalf("from kind %v %#x to %v: %v, but the language leaves it open", c.ky, x, c.k, v)
				}
				continue
			}
			if want, _ := compiled(c, x, 0); !sameResult(c.k, v, nil, want, nil) {
				t.Fatalf("from kind %v %#x to %v: %v; the compiler: %#x", c.ky, x, c.k, v, want)
			}
		}
	}
	for _, c := range compiledRunes {
		for _, x := range edges(c.k) {
			if v, ok := ConvertBasic(types.String, c.k, Known(x)).Content(); !ok || v != c.f(x) {
				t.Fatalf("string(%#x) = %q; the compiler: %q", x, v, c.f(x))
			}
		}
	}
	for _, k := range []types.BasicKind{types.Int64, types.Uint64, types.Uint32} {
		for _, x := range edges(k) { // the spec: out of range is "\uFFFD"
			want := "\uFFFD"
			if x <= math.MaxInt32 {
				want = string(rune(x))
			}
			if v, ok := ConvertBasic(types.String, k, Known(x)).Content(); !ok || v != want {
				t.Fatalf("kind %v: string(%#x) = %q, want %q", k, x, v, want)
			}
		}
	}
}

// representable reports whether the language defines the conversion of the float x
// to kind to: the whole part of x must be a value of that kind.
func representable(to, from types.BasicKind, x uint64) bool {
	f := 0.0
	switch from {
	case types.Float32:
		f = float64(Float32Of(x))
	case types.Float64:
		f = Float64Of(x)
	default:
		return true
	}
	if to == types.Float32 || to == types.Float64 {
		return true
	}
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return false
	}
	whole, _ := big.NewFloat(f).Int(nil)
	bits := uint(8 * SizeOfKind(to))
	low, high := big.NewInt(0), new(big.Int).Lsh(big.NewInt(1), bits)
	if IsSigned(to) {
		high.Rsh(high, 1)
		low.Neg(high)
	}
	return whole.Cmp(low) >= 0 && whole.Cmp(high) < 0
}

func TestComplexOperators(t *testing.T) {
	sample := []float64{0, math.Copysign(0, -1), 1, -2.5, math.NaN(), math.Inf(1), 1e300}
	for i := range len(sample) * len(sample) * len(sample) * len(sample) {
		n := len(sample)
		x := complex(sample[i%n], sample[i/n%n])
		y := complex(sample[i/n/n%n], sample[i/n/n/n])
		for op, want := range map[token.Token]complex128{token.ADD: x + y, token.SUB: x - y, token.MUL: x * y, token.QUO: x / y} {
			v, err := BinOp(op, types.Complex128, wrapComplex128(x), wrapComplex128(y))
			got, ok := complex128Of(v)
			if fuses() && (op == token.MUL || op == token.QUO) {
				continue // TestDivide of package expr
			}
			if err != nil || !ok || !sameComplex(got, want) {
				t.Errorf("%v %v %v = %v; the compiler: %v", x, op, y, got, want)
			}
		}
		a, b := complex64(x), complex64(y)
		for op, want := range map[token.Token]complex64{token.ADD: a + b, token.SUB: a - b, token.MUL: a * b, token.QUO: a / b} {
			v, _ := BinOp(op, types.Complex64, WrapComplex64(a), WrapComplex64(b))
			got, ok := v.Bits()
			if fuses() && op == token.QUO {
				continue
			}
			if !ok || !sameComplex(complex128(complex64Of(got)), complex128(want)) {
				t.Errorf("%v %v %v = %v; the compiler: %v", a, op, b, complex64Of(got), want)
			}
		}
		if v, _ := BinOp(token.EQL, types.Complex128, wrapComplex128(x), wrapComplex128(y)); v.bits != bit(x == y) {
			t.Errorf("%v == %v: %v", x, y, v)
		}
	}
}

func sameComplex(x, y complex128) bool {
	same := func(a, b float64) bool { return a != a && b != b || math.Float64bits(a) == math.Float64bits(b) }
	return same(real(x), real(y)) && same(imag(x), imag(y))
}

func TestStringOperators(t *testing.T) {
	texts := []string{"", "a", "b", "ab", "a\x00", "日本", "\xff"}
	for _, x := range texts {
		for _, y := range texts {
			if v, _ := BinOp(token.ADD, types.String, Text(x), Text(y)); fmt.Sprint(v.Content()) != fmt.Sprint(x+y, true) {
				t.Errorf("%q + %q = %v", x, y, v)
			}
			for op, want := range map[token.Token]bool{token.EQL: x == y, token.NEQ: x != y, token.LSS: x < y, token.GEQ: x >= y} {
				if v, _ := BinOp(op, types.String, Text(x), Text(y)); v.bits != bit(want) || v.known != 1 {
					t.Errorf("%q %v %q = %v", x, op, y, v)
				}
			}
			hidden := Words([]uint64{0x1000, uint64(len(y))})
			v, _ := BinOp(token.EQL, types.String, Text(x), hidden)
			if got, ok := v.Bits(); ok && len(x) == len(y) && x != "" || ok && got != bit(x == y) {
				t.Errorf("%q == a string of length %d = %v", x, len(y), v)
			}
		}
	}
}

func TestUnknownOperands(t *testing.T) {
	for k := types.Bool; k <= types.String; k++ {
		for _, op := range []token.Token{token.ADD, token.EQL, token.AND} {
			if v, err := BinOp(op, k, Value{}, Known(1)); err != nil || v.known&1 != 0 {
				t.Errorf("kind %v: ? %v 1 = %v, %v", k, op, v, err)
			}
		}
	}
	if _, err := BinOp(token.QUO, types.Int64, Value{}, Known(0)); !errors.Is(err, errDivide) {
		t.Errorf("? / 0: %v", err)
	}
}

// fuses reports whether the compiler of this test may round x*y + z once, as that for arm64: then
// it is no standard for products and quotients of complex numbers.
func fuses() bool {
	x, y, z := 0.1*one(), 10*one(), -one()
	return x*y+z != 0
}

//go:noinline
func one() float64 { return 1 }
