// Package captured holds closures that are called where no other goroutine can reach what they have captured, and closures that are not.
package captured

import "sync"

type result struct{ health, message string }

type cache struct {
	mu   sync.RWMutex
	last *result
	kept func()
}

func (c *cache) with(f func()) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	f()
}

// get has a variable of its own.
func (c *cache) get() result {
	res := result{health: "unknown"}
	c.with(func() { res.message = "" })
	return res
}

// build writes to an object that only it has.
func (c *cache) build() *result {
	r := &result{}
	for range 3 {
		func() {
			c.mu.RLock()
			defer c.mu.RUnlock()
			func() { r.message = "built" }()
		}()
	}
	return r
}

// update writes to what others have.
func (c *cache) update() {
	r := c.last
	func() {
		c.mu.RLock()
		defer c.mu.RUnlock()
		r.health = "new" // want "update"
	}()
}

func serve(c *cache) {
	for range 2 {
		go func() {
			_ = c.get()
			_ = c.build()
			c.update()
		}()
	}
}

type total struct {
	mu sync.Mutex
	n  int
}

// started hands its closure to a goroutine: the variable is shared from then on.
func (t *total) started() int {
	n := 0
	add := func() { n++ } // want "self" "started"
	go add()
	add()
	return n // want "started"
}
