//go:build sctbench

// Package deadlock is deadlock01_bad: two threads take two locks, in either order.
package deadlock

import (
	"sync"
	"testing"

	"github.com/presage-race/presage/bench/programs/sctbench/thread"
)

func TestDeadlock01(*testing.T) {
	var a, b sync.Mutex
	counter := 0
	both := func(first, second *sync.Mutex, by int) {
		first.Lock()
		second.Lock()
		counter += by
		second.Unlock()
		first.Unlock()
	}
	thread.Run(func() { both(&a, &b, 1) }, func() { both(&b, &a, -1) })
}
