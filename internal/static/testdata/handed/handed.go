// Package handed has locks that goroutines give up for who started them (SY6).
package handed

import "sync"

// Conn opens itself under its lock, in a goroutine that gives the lock up.
type Conn struct {
	mu   sync.Mutex
	addr string
	err  error
	open bool
}

func (c *Conn) Open(addr string) {
	c.mu.Lock()
	c.addr = addr
	go func() {
		defer c.mu.Unlock()
		c.dial()
	}()
}

func (c *Conn) dial() { c.err, c.open = nil, c.addr != "" }

// Err has the lock.
func (c *Conn) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// Recovered is the same behind a function that calls what it is given.
type Recovered struct {
	mu  sync.Mutex
	err error
}

func recovered(f func()) {
	defer func() { recover() }()
	f()
}

func (r *Recovered) Open() {
	r.mu.Lock()
	go recovered(func() {
		defer func() { r.mu.Unlock() }()
		r.err = nil
	})
}

// Err has the lock.
func (r *Recovered) Err() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err
}

// Late goes on when the goroutine has the lock.
type Late struct {
	mu  sync.Mutex
	err error
	n   int
}

func (l *Late) Open() {
	l.mu.Lock()
	go func() {
		l.n++ // want "late"
		l.mu.Unlock()
		l.err = nil // want "after"
	}()
	l.n = 0 // want "late"
}

// Err has the lock.
func (l *Late) Err() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.err // want "after"
}

// Own locks by itself what its starter has locked: nothing is handed over.
type Own struct {
	mu sync.Mutex
	n  int
}

func (o *Own) Open() {
	o.mu.Lock()
	go func() {
		o.n++ // want "own"
		o.mu.Lock()
		o.n++
		o.mu.Unlock()
	}()
	o.n = 0 // want "own"
	o.mu.Unlock()
}
