// Package doublecheck is a table that is built by the first user. The fast path tests for "not new"
// and not for "ready". In most runs the table is either new or ready when a user looks; the race
// needs one that looks while the table is built.
package doublecheck

import (
	"sync"
	"sync/atomic"
	"testing"
)

const (
	fresh = iota
	building
	ready
)

type table struct {
	mu    sync.Mutex
	state atomic.Int32
	rows  []int
}

func (t *table) build() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.state.Load() == ready {
		return
	}
	t.state.Store(building)
	t.rows = []int{1, 2, 3} // race
	t.state.Store(ready)
}

func (t *table) size() int {
	if t.state.Load() == fresh {
		t.build()
	}
	return len(t.rows) // race
}

// length is size with the defect repaired.
func (t *table) length() int {
	if t.state.Load() != ready {
		t.build()
	}
	return len(t.rows)
}

func TestDoublecheck(t *testing.T)      { run((*table).size) }
func TestDoublecheckFixed(t *testing.T) { run((*table).length) }

func run(size func(*table) int) {
	t := &table{}
	var wg sync.WaitGroup
	wg.Go(func() { size(t) })
	size(t)
	wg.Wait()
}
