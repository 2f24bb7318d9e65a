// Package whole copies and replaces whole objects through pointers, beside accesses of their fields
// (LI3).
package whole

import "sync"

type Stats struct{ hits, misses int }

type Cache struct {
	mu    sync.Mutex
	size  int
	limit int
	stats *Stats
	old   *Stats
}

func (c *Cache) grow() {
	c.mu.Lock()
	c.size++ // want "copy"
	c.mu.Unlock()
}

func (c *Cache) Run() { go c.grow() }

func (c *Cache) Copy() Cache { return *c } // want "copy"

func (c *Cache) Hit() {
	c.mu.Lock()
	c.stats.hits++ // want "below"
	c.mu.Unlock()
}

func (c *Cache) Stats() Stats { return *c.stats } // want "below"

// Reset replaces the object that Old reads a part of.
func (c *Cache) Reset() {
	c.mu.Lock()
	*c.old = Stats{} // want "replaced"
	c.mu.Unlock()
}

func (c *Cache) Old() int { return c.old.misses } // want "replaced"

type counts struct{ hits int }

// Guarded has all its accesses under the lock.
type Guarded struct {
	mu    sync.Mutex
	stats *counts
}

func (g *Guarded) Run() { go g.hit() }

func (g *Guarded) hit() {
	g.mu.Lock()
	g.stats.hits++
	g.mu.Unlock()
}

func (g *Guarded) Stats() counts {
	g.mu.Lock()
	defer g.mu.Unlock()
	return *g.stats
}

func (g *Guarded) Reset() {
	g.mu.Lock()
	*g.stats = counts{}
	g.mu.Unlock()
}

// Options are copied, and only the copy is changed.
type Options struct{ retries, limit int }

type Client struct {
	mu   sync.Mutex
	opts *Options
	runs int
}

func New(o *Options) *Client {
	c := *o
	c.retries = 3
	return &Client{opts: &c}
}

func (c *Client) run() {
	o := *c.opts
	o.limit++
	c.mu.Lock()
	c.runs += o.limit
	c.mu.Unlock()
}

func (c *Client) Start() { go c.run() }
