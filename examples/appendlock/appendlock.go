// Package appendlock: a race hidden by a mutex under which results are appended to a slice.
//
// Where the second goroutine puts its result rests on the first one's critical section, and goes nowhere but back into the slice: in the other
// order the same code runs, and leaves the elements in another order. What is read of them at the end is read after both.
package appendlock

import (
	"sync"
	"time"
)

type results struct {
	mu   sync.Mutex
	list []int
	last int
}

func (r *results) add(n int) {
	r.mu.Lock()
	r.list = append(r.list, n)
	r.mu.Unlock()
}

// Run collects two results, and remembers the last one without the lock.
func Run() (sum, last int) {
	r := &results{}
	done := make(chan struct{})
	go func() {
		r.last = 1 // race(last)
		r.add(1)
		close(done)
	}()
	time.Sleep(20 * time.Millisecond)
	r.add(2)
	r.last = 2 // race(last)
	<-done
	for _, n := range r.list {
		sum += n
	}
	return sum, r.last
}
