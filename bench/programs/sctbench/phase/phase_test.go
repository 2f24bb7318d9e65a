//go:build sctbench

// Package phase is phase01_bad: a thread ends with a lock held that the other one takes next, so
// there is a deadlock in every schedule.
package phase

import (
	"sync"
	"testing"

	"github.com/presage-race/presage/bench/programs/sctbench/thread"
)

func TestPhase01(*testing.T) {
	var x, y sync.Mutex
	status := 0
	phases := func() {
		x.Lock()
		status++
		x.Unlock()
		y.Lock()
		status--
		// y is not unlocked
	}
	thread.Run(phases, phases)
}
