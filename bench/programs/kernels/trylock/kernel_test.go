// Package trylock is a refresh that is skipped while another one runs. Skipped refreshes are
// counted without the lock that they did not get. In most runs each refresh gets the lock.
package trylock

import (
	"sync"
	"sync/atomic"
	"testing"
)

type cache struct {
	mu      sync.Mutex
	value   int
	skipped int
}

func (c *cache) refresh() {
	if !c.mu.TryLock() {
		c.skipped++ // race
		return
	}
	defer c.mu.Unlock()
	c.value++
	if c.skipped > 0 { // race
		c.value++
	}
}

func TestTrylock(t *testing.T) {
	c := &cache{}
	var wg sync.WaitGroup
	wg.Go(c.refresh)
	c.refresh()
	wg.Wait()
}

type counted struct {
	mu      sync.Mutex
	value   int
	skipped atomic.Int32
}

func (c *counted) refresh() {
	if !c.mu.TryLock() {
		c.skipped.Add(1)
		return
	}
	defer c.mu.Unlock()
	c.value++
	if c.skipped.Load() > 0 {
		c.value++
	}
}

func TestTrylockFixed(t *testing.T) {
	c := &counted{}
	var wg sync.WaitGroup
	wg.Go(c.refresh)
	c.refresh()
	wg.Wait()
}
