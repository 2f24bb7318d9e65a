// Command bufwriter is ConTest's bufwriter: three writers fill a buffer, a checker counts the places that were left empty.
//
// The known bugs: one of the writers and the checker do not take the lock, and those that run look at a plain flag whether to stop.
package main

import (
	"fmt"
	"sync"
	"time"
)

const perWriter = 6

type buffer struct {
	mu    sync.Mutex
	data  [16]byte
	count int
}

// put has the caller's lock, or none.
func (b *buffer) put(id byte) {
	if b.count < len(b.data) {
		b.data[b.count] = id
		b.count++
	} else {
		b.count = 0
	}
}

type writer struct {
	b       *buffer
	id      byte
	locks   bool
	stopped bool
	written int
}

func (w *writer) run() {
	for range perWriter {
		if w.stopped {
			return
		}
		if w.locks {
			w.b.mu.Lock()
			w.b.put(w.id)
			w.b.mu.Unlock()
		} else {
			w.b.put(w.id)
		}
		w.written++
		time.Sleep(time.Millisecond)
	}
}

type checker struct {
	b       *buffer
	stopped bool
	empty   int
}

func (c *checker) run() {
	for !c.stopped {
		n := c.b.count
		for i := range n {
			if c.b.data[i] == 0 {
				c.empty++
			}
		}
		time.Sleep(3 * time.Millisecond)
	}
}

func main() {
	b := &buffer{}
	c := &checker{b: b}
	writers := []*writer{{b: b, id: 1, locks: true}, {b: b, id: 2, locks: true}, {b: b, id: 3}}
	var checks, writes sync.WaitGroup
	checks.Add(1)
	go func() {
		defer checks.Done()
		c.run()
	}()
	for _, w := range writers {
		writes.Add(1)
		go func() {
			defer writes.Done()
			w.run()
		}()
	}
	time.Sleep(10 * time.Millisecond)
	for _, w := range writers {
		w.stopped = true
	}
	writes.Wait()
	c.stopped = true
	checks.Wait()
	fmt.Println("written", b.count, "empty", c.empty)
}
