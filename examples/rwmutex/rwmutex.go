// Package rwmutex: a race hidden by a writer's unlock before a reader's lock.
//
// Readers of an RWMutex do not order each other, but a writer that happens to come first
// orders all readers after it, and with it what it did before it locked.
package rwmutex

import (
	"sync"
	"time"
)

type config struct {
	mu    sync.RWMutex
	name  string
	stale bool // meant to be guarded by mu
}

// Run reloads the configuration while another goroutine reads it.
func Run() (string, bool) {
	c := &config{}
	done := make(chan struct{})
	go func() {
		c.stale = true // race(stale)
		c.mu.Lock()
		c.name = "new"
		c.mu.Unlock()
		close(done)
	}()
	time.Sleep(20 * time.Millisecond)
	c.mu.RLock()
	name := c.name
	c.mu.RUnlock()
	stale := c.stale // race(stale)
	<-done
	return name, stale
}
