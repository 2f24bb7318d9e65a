package expr

import (
	"math"
	"math/rand/v2"
	"testing"
)

// sumOfQuotients is a sum of the images of 100,000 quotients, as runtime.complex128div has them on
// amd64, where it rounds each product.
const sumOfQuotients = 0x6256de80439fcf1b

// TestDivide: the quotient is that of a compiler without fused multiply-adds.
func TestDivide(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	some := func() complex128 { return complex(float64(r.Int64()), float64(-r.Int64())) }
	var sum, native uint64
	add := func(to *uint64, q complex128) {
		*to = *to*31 + math.Float64bits(real(q)) ^ math.Float64bits(imag(q))
	}
	for range 100_000 {
		n, m := some(), some()
		add(&sum, Divide(n, m))
		add(&native, n/m)
	}
	if sum != sumOfQuotients {
		t.Errorf("%#x, not %#x", sum, uint64(sumOfQuotients))
	}
	if !fuses() && sum != native {
		t.Error("the quotients are not those of the compiler")
	}
	if q := Divide(1, 0); !math.IsInf(real(q), 1) {
		t.Errorf("1/0 = %v", q)
	}
}

// fuses reports whether the compiler of this test rounds x*y + z once.
func fuses() bool {
	x, y, z := 0.1*one(), 10*one(), -one()
	return x*y+z != 0
}

//go:noinline
func one() float64 { return 1 }
