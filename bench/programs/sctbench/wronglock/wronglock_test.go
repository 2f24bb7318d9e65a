//go:build sctbench

// Package wronglock is wronglock_bad and wronglock_3_bad: one thread holds a lock where it adds to
// a variable, and the others hold another lock.
package wronglock

import (
	"sync"
	"testing"

	"github.com/presage-race/presage/bench/programs/sctbench/thread"
)

func run(t *testing.T, others int, variable func() thread.Int) {
	var right, wrong sync.Mutex
	data := variable()
	checked := func() {
		right.Lock()
		x := data.Load()
		data.Store(data.Load() + 1)
		if y := data.Load(); y != x+1 {
			t.Errorf("BUG: %d, want %d", y, x+1)
		}
		right.Unlock()
	}
	add := func() {
		wrong.Lock()
		data.Store(data.Load() + 1)
		wrong.Unlock()
	}
	thread.Run(append(thread.Times(others, add), checked)...)
}

func TestWronglock(t *testing.T)        { run(t, 7, thread.Plain) }
func TestWronglockAtomic(t *testing.T)  { run(t, 7, thread.Atomic) }
func TestWronglock3(t *testing.T)       { run(t, 3, thread.Plain) }
func TestWronglock3Atomic(t *testing.T) { run(t, 3, thread.Atomic) }
