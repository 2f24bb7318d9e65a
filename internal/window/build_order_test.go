package window

import (
	"math/rand/v2"
	"testing"
)

// TestBeyond holds what a footprint has been told of points against a list of them, one by one.
func TestBeyond(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for range 2000 {
		var u use
		told := make([]bool, 40)
		for n := 1; n <= len(told); n += rng.IntN(4) {
			if len(told[:n]) == u.seen {
				continue // nobody asks
			}
			later := u.seen + rng.IntN(n-u.seen+1)
			got := make([]bool, n)
			for from, to := range u.unseen(later, n) {
				for k := from; k < to; k++ {
					if got[k] {
						t.Fatalf("point %d twice: %+v, from %d up to %d", k, u, later, n)
					}
					got[k] = true
				}
			}
			for k := range n {
				if want := k >= later && !told[k]; got[k] != want {
					t.Fatalf("point %d: %v: %+v, from %d up to %d", k, got[k], u, later, n)
				}
			}
			for k := later; k < n; k++ {
				told[k] = true
			}
			u.sees(later, n)
			for k := range n {
				if known := k < u.seen; known && !told[k] {
					t.Fatalf("point %d was not told: %+v", k, u)
				}
			}
		}
	}
}
