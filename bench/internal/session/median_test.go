package session

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestInterval(t *testing.T) {
	count := func(n int) (v []float64) {
		for i := range n {
			v = append(v, float64(n-i))
		}
		return v
	}
	// From the table of the sign test: the ranks of the bounds.
	for _, x := range []struct{ n, low, high int }{{6, 1, 6}, {8, 1, 8}, {9, 2, 8}, {10, 2, 9}, {12, 3, 10}, {20, 6, 15}, {25, 8, 18}, {50, 18, 33}} {
		if low, high := Interval(count(x.n)); low != float64(x.low) || high != float64(x.high) {
			t.Errorf("of %d: %v to %v, want %d to %d", x.n, low, high, x.low, x.high)
		}
	}
	if low, high := Interval(count(5)); !math.IsInf(low, -1) || !math.IsInf(high, 1) {
		t.Errorf("of 5: %v to %v", low, high)
	}
	rng := rand.New(rand.NewPCG(1, 1))
	within := 0
	for range 2000 {
		var v []float64
		for range 20 {
			v = append(v, rng.ExpFloat64())
		}
		if low, high := Interval(v); low <= math.Ln2 && math.Ln2 <= high {
			within++
		}
	}
	if within < 1880 || within > 1960 { // 95.9 % for 20
		t.Errorf("%d of 2000", within)
	}
}
