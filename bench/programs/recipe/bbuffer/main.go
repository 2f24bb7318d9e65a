// Command bbuffer is ConTest's bounded buffer: two producers and a consumer wait for each other at one condition.
//
// The known bugs: whoever changes the buffer wakes one of those that wait, which may be one of the wrong kind; how full the buffer
// is, how much has passed through it and whether it was halted is looked at without the lock.
package main

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

const perProducer = 12

type buffer struct {
	mu      sync.Mutex
	changed *sync.Cond
	items   [4]int
	in, out int
	n       int // in the buffer
	put     int // so far
	taken   int
	halted  bool
	ended   atomic.Int32
}

func (b *buffer) enqueue(x int) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	for b.n == len(b.items) {
		if b.halted {
			return false
		}
		b.changed.Wait()
	}
	b.items[b.in] = x
	b.in = (b.in + 1) % len(b.items)
	b.n++
	b.put++
	b.changed.Signal()
	return true
}

func (b *buffer) dequeue() (int, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for b.n == 0 {
		if b.halted {
			return 0, false
		}
		b.changed.Wait()
	}
	x := b.items[b.out]
	b.out = (b.out + 1) % len(b.items)
	b.n--
	b.taken++
	b.changed.Signal()
	return x, true
}

// full and empty have no lock.
func (b *buffer) full() bool { return b.n == len(b.items) }

func (b *buffer) empty() bool { return b.n == 0 }

// producer puts its numbers. It leaves the processor to others once if the buffer is full.
type producer struct {
	b              *buffer
	first, retries int
}

func (p *producer) run() {
	for i := range perProducer {
		if p.b.full() {
			p.retries++
			runtime.Gosched()
		}
		if p.b.halted || !p.b.enqueue(p.first+i) {
			break
		}
	}
	p.b.ended.Add(1)
}

type consumer struct {
	b         *buffer
	sum, most int
	idle      int
}

func (c *consumer) run() {
	for !c.b.halted {
		if c.b.empty() {
			c.idle++
			runtime.Gosched()
		}
		x, ok := c.b.dequeue()
		if !ok {
			break
		}
		c.sum += x
		if n := c.b.n; n > c.most { // how full it was at most, as a statistic
			c.most = n
		}
	}
	c.b.ended.Add(1)
}

func main() {
	b := &buffer{}
	b.changed = sync.NewCond(&b.mu)
	go (&producer{b: b, first: 1}).run()
	go (&producer{b: b, first: 100}).run()
	c := &consumer{b: b}
	go c.run()
	for range 20 {
		time.Sleep(time.Millisecond)
		if b.put == 2*perProducer && b.taken == b.put {
			break
		}
	}
	for b.ended.Load() < 3 { // one of them may come to wait just after the others were woken
		b.halted = true
		b.changed.Broadcast()
		time.Sleep(time.Millisecond)
	}
	fmt.Println("put", b.put, "taken", b.taken)
}
