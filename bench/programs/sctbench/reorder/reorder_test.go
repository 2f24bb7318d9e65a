//go:build sctbench

// Package reorder is reorder_3_bad to reorder_20_bad: threads that set two variables after one
// another, and one that checks both.
package reorder

import (
	"testing"

	"github.com/presage-race/presage/bench/programs/sctbench/thread"
)

func run(t *testing.T, threads int, variable func() thread.Int) {
	a, b := variable(), variable()
	set := func() {
		a.Store(1)
		b.Store(-1)
	}
	check := func() {
		x, y := a.Load(), b.Load()
		if !(x == 0 && y == 0 || x == 1 && y == -1) {
			t.Errorf("BUG: %d, %d", x, y)
		}
	}
	thread.Run(append(thread.Times(threads-1, set), check)...)
}

func TestReorder3(t *testing.T)        { run(t, 3, thread.Plain) }
func TestReorder3Atomic(t *testing.T)  { run(t, 3, thread.Atomic) }
func TestReorder4(t *testing.T)        { run(t, 4, thread.Plain) }
func TestReorder4Atomic(t *testing.T)  { run(t, 4, thread.Atomic) }
func TestReorder5(t *testing.T)        { run(t, 5, thread.Plain) }
func TestReorder5Atomic(t *testing.T)  { run(t, 5, thread.Atomic) }
func TestReorder10(t *testing.T)       { run(t, 10, thread.Plain) }
func TestReorder10Atomic(t *testing.T) { run(t, 10, thread.Atomic) }
func TestReorder20(t *testing.T)       { run(t, 20, thread.Plain) }
func TestReorder20Atomic(t *testing.T) { run(t, 20, thread.Atomic) }
