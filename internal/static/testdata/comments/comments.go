// Package comments holds types whose comments say how many goroutines use them (LI1).
package comments

import "sync"

// Counter counts. It is safe for concurrent use by multiple goroutines.
type Counter struct{ n, limit int }

func (c *Counter) Add() {
	c.n++ // want "counter"
}

// Reset starts anew. It must not be called concurrently.
func (c *Counter) Reset() {
	c.limit = 0
}

// Plain says nothing.
type Plain struct{ n int }

func (p *Plain) Add() { p.n++ }

// Partly is safe for concurrent use once it has been started.
type Partly struct{ n int }

func (p *Partly) Add() { p.n++ }

// Iterator is NOT safe for concurrent use: its lock is for Stop, which
// another goroutine calls.
type Iterator struct {
	mu      sync.Mutex
	at      int
	stopped bool
}

func (i *Iterator) Next() bool {
	i.at++
	i.mu.Lock()
	defer i.mu.Unlock()
	return !i.stopped
}

func (i *Iterator) Seek(n int) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.at = n
}

// Stop ends the iteration. It may be called by multiple goroutines.
func (i *Iterator) Stop() {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.stopped = true
}

// Codec encodes.
type Codec interface {
	// Name may be called concurrently.
	Name() string
	Open()
}

// Text is a Codec: what its Name does, others may do beside it.
type Text struct {
	name string
	open bool
}

func (t *Text) Name() string {
	if t.name == "" {
		t.name = "text" // want "text"
	}
	return t.name
}

func (t *Text) Open() { t.open = true }
