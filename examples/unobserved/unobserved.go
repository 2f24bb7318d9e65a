// Package unobserved: a race on a branch that the run did not take.
//
// Were the reader first, closed would be false and it would write the shared counter without the lock. The recorded run
// has no such access: path relaxation executes the branch, the levels below reason about accesses that were recorded.
package unobserved

import (
	"sync"
	"time"
)

// Run takes the branch that has no race.
func Run() int {
	var (
		mu     sync.Mutex
		closed bool
		n      int
		wg     sync.WaitGroup
	)
	wg.Add(1)
	go func() {
		defer wg.Done()
		n = 1 // race(n, by-path)
		mu.Lock()
		closed = true
		mu.Unlock()
	}()
	time.Sleep(20 * time.Millisecond)
	mu.Lock()
	c := closed
	mu.Unlock()
	if !c {
		n = 2 // race(n, by-path)
	}
	wg.Wait()
	return n
}
