package shadow_test

import (
	"math/rand/v2"
	"testing"

	"github.com/presage-race/presage/internal/detect/shadow"
	"github.com/presage-race/presage/internal/trace/format"
)

// TestReset compares random accesses and resets with one state for each byte. A reset of a small
// object leaves the other bytes of its word as they are.
func TestReset(t *testing.T) {
	const size = 2048
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 1))
		var m shadow.Memory[int]
		live := 0
		m.Split = func(to, from *int) { live += min(1, *from) }
		m.Drop = func(c *int) { live -= min(1, *c) }
		var want [size]int
		for step := 1; step < 400; step++ {
			x := r.IntN(64)
			if r.IntN(4) > 0 {
				n := 1 + r.IntN(8-x%8)
				mask := shadow.Mask(format.Addr(x), uint16(n))
				m.Each(format.Addr(x), mask, func(c *int) {
					if *c == 0 {
						live++
					}
					*c = step
				})
				for i := x; i < x+n; i++ {
					want[i] = step
				}
			} else {
				n := r.IntN(30)
				if r.IntN(20) == 0 {
					n = r.IntN(size - x)
				}
				m.Reset(format.Addr(x), uint64(n))
				clear(want[x : x+n])
			}
			for i := 0; i < 72 && step%20 == 0; i++ {
				got := 0
				m.Each(format.Addr(i), shadow.Mask(format.Addr(i), 1), func(c *int) { got = *c })
				if got != want[i] {
					t.Fatalf("seed %d, step %d: byte %d has %d, want %d", seed, step, i, got, want[i])
				}
			}
		}
		m.Reset(0, size)
		if live != 0 {
			t.Fatalf("seed %d: %d states were not dropped", seed, live)
		}
	}
}
