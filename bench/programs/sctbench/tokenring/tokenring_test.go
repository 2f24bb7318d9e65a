//go:build sctbench

// Package tokenring is token_ring_bad: the ring of Dijkstra ("Self-stabilizing systems in spite of
// distributed control", Communications of the ACM, 1974) begins in a state with three tokens, which
// a check finds that comes before the first move.
package tokenring

import (
	"sync"
	"testing"

	"github.com/presage-race/presage/bench/programs/sctbench/thread"
)

func TestTokenRing(t *testing.T) {
	var mu sync.Mutex
	x1, x2, x3 := 1, 2, 1
	locked := func(f func()) func() {
		return func() {
			mu.Lock()
			defer mu.Unlock()
			f()
		}
	}
	check := func() {
		tokens := 0
		for _, has := range []bool{x1 == x3, x2 != x1, x3 != x2} {
			if has {
				tokens++
			}
		}
		if tokens != 1 {
			t.Errorf("BUG: %d tokens", tokens)
		}
	}
	thread.Run(locked(func() { x1 = (x3 + 1) % 4 }), locked(func() { x2 = x1 }), locked(func() { x3 = x2 }), locked(check))
}
