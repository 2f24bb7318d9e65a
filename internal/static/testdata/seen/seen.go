// Package seen holds flags that are tested under a lock (LI7).
package seen

import (
	"fmt"
	"sync"
)

type Patch struct {
	mu       sync.Mutex
	executed bool
	status   *int
	note     string
	again    bool
	redo     *int
}

// Execute says that it has begun: Sync does not come any more.
func (p *Patch) Execute() {
	p.mu.Lock()
	p.executed = true
	p.mu.Unlock()
	fmt.Println(p.status)
	p.mu.Lock()
	fmt.Println(p.note)
	p.mu.Unlock()
}

// Sync writes the note when the lock is released already.
func (p *Patch) Sync(s *int) {
	p.mu.Lock()
	if p.executed {
		p.mu.Unlock()
		return
	}
	p.status = s
	p.mu.Unlock()
	p.note = "synced" // want "note"
}

// Redo and Begin have a flag that is taken back.
func (p *Patch) Redo(s *int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.again {
		p.redo = s // want "redo"
	}
	p.again = false
}

func (p *Patch) Begin() {
	p.mu.Lock()
	p.again = true
	p.mu.Unlock()
	fmt.Println(p.redo) // want "redo"
}

type Client struct {
	mu   sync.RWMutex
	conn *int
	addr *int
}

// Conn is written once; who has seen it does not need the lock any more.
func (c *Client) Conn() *int {
	c.mu.RLock()
	if c.conn != nil {
		c.mu.RUnlock()
		return c.conn
	}
	c.mu.RUnlock()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.conn == nil {
		c.conn = new(int)
	}
	return c.conn
}

// Addr tests under the wrong lock: another may have written between.
func (c *Client) Addr() *int {
	c.mu.RLock()
	if c.addr != nil {
		c.mu.RUnlock()
		return c.addr // want "addr"
	}
	c.mu.RUnlock()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.addr = connect() // want "addr"
	return c.addr
}

func connect() *int { return nil }

type monitor struct {
	stop chan struct{}
	runs int
}

func (m *monitor) Run() { <-m.stop }

func (m *monitor) other() {
	fmt.Println(m.stop) // want "stop"
}

type Monitors struct {
	mu   sync.Mutex
	all  map[string]*monitor
	wg   sync.WaitGroup
	stop bool
}

// Start starts each monitor once: its goroutine comes after the only write.
func (q *Monitors) Start() {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, m := range q.all {
		if m.stop == nil {
			m.stop = make(chan struct{}) // want "stop"
			q.wg.Go(m.Run)
		}
	}
}

// Watch starts a goroutine before any lock.
func (q *Monitors) Watch(name string) {
	go q.all[name].other()
}

type Queue struct {
	mu     sync.Mutex
	cond   *sync.Cond
	closed bool
	last   *int
	wake   *int
}

func (q *Queue) Put(p *int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed {
		return
	}
	q.put(p)
	q.cond.Wait()
	q.wake = p // want "wake"
}

func (q *Queue) put(p *int) { q.last = p }

// Close comes after all that Put does, but for what it does after it has waited.
func (q *Queue) Close() {
	q.mu.Lock()
	if q.closed {
		q.mu.Unlock()
		return
	}
	q.closed = true
	q.mu.Unlock()
	q.flush()
}

func (q *Queue) flush() {
	fmt.Println(q.last)
	fmt.Println(q.wake) // want "wake"
}
