// Package mapcount: a race hidden by a mutex under which numbers in a map are counted.
//
// What the second goroutine finds in the map rests on the first one's critical section, and goes nowhere but back into the map: in the other
// order the same code runs, and leaves other numbers. The map itself and its keys are the same in both orders.
package mapcount

import (
	"sync"
	"time"
)

type server struct {
	mu   sync.Mutex
	hits map[string]int
	last string
}

func (s *server) count(path string) {
	s.mu.Lock()
	s.hits[path]++
	s.mu.Unlock()
}

// Run serves two requests, and remembers the last one without the lock.
func Run() (int, string) {
	s := &server{hits: make(map[string]int)}
	done := make(chan struct{})
	go func() {
		s.last = "/" // race(last)
		s.count("/")
		close(done)
	}()
	time.Sleep(20 * time.Millisecond)
	s.count("/")
	s.count("/favicon.ico")
	s.last = "/favicon.ico" // race(last)
	<-done
	return s.hits["/"], s.last
}
