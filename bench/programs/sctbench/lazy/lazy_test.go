//go:build sctbench

// Package lazy is lazy01_bad: a check that fails if it comes after both additions.
package lazy

import (
	"sync"
	"testing"

	"github.com/presage-race/presage/bench/programs/sctbench/thread"
)

func TestLazy01(t *testing.T) {
	var mu sync.Mutex
	data := 0
	add := func(n int) {
		mu.Lock()
		data += n
		mu.Unlock()
	}
	check := func() {
		mu.Lock()
		if data >= 3 {
			t.Error("BUG: data", data)
		}
		mu.Unlock()
	}
	thread.Run(func() { add(1) }, func() { add(2) }, check)
}
