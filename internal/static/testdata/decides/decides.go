// Package decides holds functions whose parameters say whether to take a lock (SY2).
package decides

import "sync"

// Cache takes the lock in the function, until that returns.
type Cache struct {
	mu    sync.Mutex
	items map[string]int
}

func (c *Cache) get(k string, lock bool) int {
	if lock {
		c.mu.Lock()
		defer c.mu.Unlock()
	}
	return c.items[k]
}

func (c *Cache) Get(k string) int { return c.get(k, true) }

func (c *Cache) Set(k string, v int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.get(k, false) == 0 {
		c.items[k] = v
	}
}

func (c *Cache) Add(k string, v int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.set(k, v, false)
}

func (c *Cache) Put(k string, v int) { c.set(k, v, true) }

func (c *Cache) set(k string, v int, lock bool) {
	if lock {
		c.mu.Lock()
	}
	c.items[k] = v
	if lock {
		c.mu.Unlock()
	}
}

// Other releases the lock on a second branch.
type Other struct {
	mu    sync.Mutex
	items map[string]int
}

func (c *Other) get(k string, lock bool) int {
	if lock {
		c.mu.Lock()
	}
	n := c.items[k]
	if lock {
		c.mu.Unlock()
	}
	return n
}

func (c *Other) Get(k string) int { return c.get(k, true) }

func (c *Other) Set(k string, v int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.get(k, false) == 0 {
		c.items[k] = v
	}
}

// Bad has a caller that does not hold the lock.
type Bad struct {
	mu    sync.Mutex
	items map[string]int
}

func (c *Bad) get(k string, lock bool) int {
	if lock {
		c.mu.Lock()
		defer c.mu.Unlock()
	}
	return c.items[k] // want "bad"
}

func (c *Bad) Get(k string) int { return c.get(k, true) }

func (c *Bad) Peek(k string) int { return c.get(k, false) }

func (c *Bad) Set(k string, v int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.items[k] = v // want "bad"
}

// Deep passes the parameter on.
type Deep struct {
	mu    sync.Mutex
	items map[string]int
}

func (c *Deep) get(k string, lock bool) int { return c.find(k, lock, 3) }

func (c *Deep) find(k string, lock bool, n int) int {
	if !lock {
		return c.items[k]
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.items[k] + n
}

func (c *Deep) Get(k string) int { return c.get(k, true) }

func (c *Deep) Set(k string, v int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.items[k] = c.get(k, false) + v
}

// Any lets its callers say.
type Any struct {
	mu    sync.Mutex
	items map[string]int
}

func (c *Any) get(k string, lock bool) int {
	if lock {
		c.mu.Lock()
		defer c.mu.Unlock()
	}
	return c.items[k] // want "any"
}

func (c *Any) Get(k string, lock bool) int { return c.get(k, lock) }

func (c *Any) Set(k string, v int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.items[k] = v // want "any"
}

// Turned passes on the opposite.
type Turned struct {
	mu    sync.Mutex
	items map[string]int
}

func (c *Turned) get(k string, locked bool) int {
	if !locked {
		c.mu.Lock()
		defer c.mu.Unlock()
	}
	return c.items[k]
}

func (c *Turned) find(k string, lock bool) int { return c.get(k, !lock) }

func (c *Turned) Get(k string) int { return c.find(k, true) }

func (c *Turned) Set(k string, v int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.items[k] = c.find(k, false) + v
}

// Asked calls a helper for what it was told itself.
type Asked struct {
	mu    sync.Mutex
	items map[string]int
}

func (c *Asked) put(k string, v int, lock bool) {
	if lock {
		c.mu.Lock()
		c.write(k, v, lock)
		c.mu.Unlock()
		return
	}
	c.write(k, v, !lock)
}

func (c *Asked) write(k string, v int, held bool) {
	if !held {
		c.mu.Lock()
		defer c.mu.Unlock()
	}
	c.items[k] = v
}

func (c *Asked) Put(k string, v int) { c.put(k, v, true) }

// Same compares the parameter with a constant.
type Same struct {
	mu sync.Mutex
	n  int
}

func (a *Same) get(locked bool) int {
	if locked == false {
		a.mu.Lock()
		defer a.mu.Unlock()
	}
	return a.n
}

func (a *Same) Get() int { return a.get(false) }

func (a *Same) Inc() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.n = a.get(true) + 1
}
