// Package counter: a race hidden by a mutex whose critical sections share data.
//
// The second goroutine reads the hits that the first one wrote, so that a tool which keeps
// every read's writer must keep the order of the critical sections. But no branch and no address depends on the
// number read: in the other order the same code runs, with another number.
package counter

import (
	"sync"
	"time"
)

// Run counts under the lock and remembers the last visitor without it.
func Run() (int, string) {
	var (
		mu   sync.Mutex
		hits int
		last string
		wg   sync.WaitGroup
	)
	wg.Add(1)
	go func() {
		defer wg.Done()
		last = "gopher" // race(last)
		mu.Lock()
		hits++
		mu.Unlock()
	}()
	time.Sleep(20 * time.Millisecond)
	mu.Lock()
	hits++
	mu.Unlock()
	last = "crab" // race(last)
	wg.Wait()
	return hits, last
}
