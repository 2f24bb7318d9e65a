// Package callers holds locks that are taken further up, and objects that are not shared yet further up.
package callers

import "sync"

type conn struct {
	mu   sync.Mutex
	subs map[int]int
	errs int
}

// Subscribe starts a goroutine under the lock: what it does after that is still guarded (LI4).
func (c *conn) Subscribe() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.subscribeLocked()
}

func (c *conn) subscribeLocked() {
	go c.wait()
	c.subs[1] = 1
	c.errs++ // want "errs"
}

func (c *conn) wait() {
	c.mu.Lock()
	c.subs[2] = 2
	c.mu.Unlock()
	c.errs++ // want "errs"
}

// refreshLocked is reached from Trip only: that holds the lock.
type Round struct {
	mu   sync.RWMutex
	last int
	seen int
}

func (r *Round) Trip() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.refreshLocked()
	r.seen++ // want "seen"
	return r.last
}

func (r *Round) refreshLocked() { r.last++ }

func (r *Round) Last() int {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.last
}

func (r *Round) Seen() int { return r.seen } // want "seen"

// fifo gives its lock up for a while, on some ways: it is held again at the end (SY2).
type fifo struct {
	mu     sync.Mutex
	eager  bool
	synced bool
	items  []int
}

func (f *fifo) Pop(process func(int)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.during(process)
	f.synced = true
}

func (f *fifo) during(process func(int)) {
	if f.eager {
		f.mu.Unlock()
		defer f.mu.Lock()
	}
	process(len(f.items)) // want "items"
}

func (f *fifo) Synced() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.synced
}

func (f *fifo) Add(i int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.items = append(f.items, i) // want "items"
}

// Dial makes the connection whole before it is shared; what it leads to, too (LI5).
func Dial() *client {
	c := &client{}
	c.pool()
	go c.loop()
	return c
}

type client struct {
	mu      sync.Mutex
	servers []int
}

func (c *client) pool() {
	c.servers = make([]int, 4)
	c.shuffle()
}

func (c *client) shuffle() {
	for i := range c.servers {
		c.servers[i] = i
	}
}

func (c *client) loop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.servers[0] = 1
}
