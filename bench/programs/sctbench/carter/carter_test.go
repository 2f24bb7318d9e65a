//go:build sctbench

// Package carter is carter01_bad: two threads count themselves under one lock, and the first of
// each kind takes another one inside, which a thread keeps while it comes back for the first.
package carter

import (
	"sync"
	"testing"

	"github.com/presage-race/presage/bench/programs/sctbench/thread"
)

func TestCarter01(*testing.T) {
	var m, l sync.Mutex
	use := func(users *int) {
		m.Lock()
		if *users++; *users == 1 {
			l.Lock()
		}
		m.Unlock()
		m.Lock()
		if *users--; *users == 0 {
			l.Unlock()
		}
		m.Unlock()
	}
	a, b := 0, 0
	idle := func() {}
	thread.Run(func() { use(&a) }, func() { use(&b) }, idle, idle)
}
