//go:build sctbench

// Package twostage is twostage_bad and twostage_100_bad: two values that belong together are
// written in two critical sections, and read between them.
package twostage

import (
	"sync"
	"testing"

	"github.com/presage-race/presage/bench/programs/sctbench/thread"
)

func run(t *testing.T, writers int, variable func() thread.Int) {
	var firstLock, secondLock sync.Mutex
	first, second := variable(), variable()
	write := func() {
		firstLock.Lock()
		first.Store(1)
		firstLock.Unlock()
		secondLock.Lock()
		second.Store(first.Load() + 1)
		secondLock.Unlock()
	}
	read := func() {
		firstLock.Lock()
		x := first.Load()
		firstLock.Unlock()
		if x == 0 {
			return
		}
		secondLock.Lock()
		y := second.Load()
		secondLock.Unlock()
		if y != x+1 {
			t.Errorf("BUG: %d, %d", x, y)
		}
	}
	thread.Run(append(thread.Times(writers, write), read)...)
}

// One writer has no race.
func TestTwostage(t *testing.T) { run(t, 1, thread.Plain) }

func TestTwostage100(t *testing.T)       { run(t, 99, thread.Plain) }
func TestTwostage100Atomic(t *testing.T) { run(t, 99, thread.Atomic) }
