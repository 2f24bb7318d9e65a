//go:build sctbench

// Package arithmetic is arithmetic_prog_bad: a producer and a consumer that adds numbers. The sum
// is a number that it must not be, in every schedule.
package arithmetic

import (
	"sync"
	"testing"

	"github.com/presage-race/presage/bench/programs/sctbench/thread"
)

func TestArithmeticProg(t *testing.T) {
	const n = 3
	var mu sync.Mutex
	empty, full := sync.NewCond(&mu), sync.NewCond(&mu)
	num, total := 0, 0
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
		for i := range n {
			mu.Lock()
			for num == 0 {
				full.Wait()
			}
			total += i + 1
			num--
			mu.Unlock()
			empty.Signal()
		}
	}
	thread.Run(produce, consume)
	if total == n*(n+1)/2 {
		t.Error("BUG: total", total)
	}
}
