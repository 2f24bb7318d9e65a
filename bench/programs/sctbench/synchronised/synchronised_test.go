//go:build sctbench

// Package synchronised is sync01_bad and sync02_bad: a producer and a consumer begin with one
// element, and end with one, in every schedule, where none is expected.
package synchronised

import (
	"sync"
	"testing"

	"github.com/presage-race/presage/bench/programs/sctbench/thread"
)

func run(t *testing.T, n int) {
	var mu sync.Mutex
	empty, full := sync.NewCond(&mu), sync.NewCond(&mu)
	num := 1
	produce := func() {
		for range n {
			mu.Lock()
			for num > 0 {
				empty.Wait()
			}
			num++
			mu.Unlock()
			full.Signal()
		}
	}
	consume := func() {
		for range n {
			mu.Lock()
			for num == 0 {
				full.Wait()
			}
			num--
			mu.Unlock()
			empty.Signal()
		}
	}
	thread.Run(produce, consume)
	if num != 0 {
		t.Error("BUG: num", num)
	}
}

func TestSync01(t *testing.T) { run(t, 1) }
func TestSync02(t *testing.T) { run(t, 4) }
