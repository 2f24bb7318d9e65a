// Package maplock: a map that one of two methods uses without its lock.
package maplock

import (
	"sync"
	"time"
)

type registry struct {
	mu    sync.Mutex
	names map[string]int
	calls [2]int
}

func (r *registry) add(name string, n int) {
	r.mu.Lock()
	r.names[name] = n // race(names)
	r.mu.Unlock()
}

func (r *registry) lookup(name string) int {
	r.mu.Lock()
	r.calls[1] = 1
	r.mu.Unlock()
	return r.names[name] // race(names)
}

// Run adds and looks up.
func Run() int {
	r := &registry{names: make(map[string]int)}
	done := make(chan struct{})
	go func() {
		r.add("presage", 1)
		close(done)
	}()
	time.Sleep(20 * time.Millisecond)
	n := r.lookup("presage")
	<-done
	return n
}
