package callers

import "sync"

// cache locks on some ways only, and looks once more when it returns: the lock is held there (SY2).
type cache struct {
	mu   sync.Mutex
	rows map[int]int
	hits int
}

func (c *cache) Find(key int, locked bool) int {
	if locked {
		c.mu.Lock()
		defer c.mu.Unlock()
		defer func() { c.look() }()
	} else {
		c.hits++ // want "hits"
	}
	return key
}

func (c *cache) look() int { return len(c.rows) }

func (c *cache) sweep() {
	c.mu.Lock()
	delete(c.rows, 1) // want "length"
	c.hits++          // want "hits"
	c.mu.Unlock()
}

func Sweep() {
	c := &cache{rows: map[int]int{}}
	go c.sweep()
	c.Find(1, len(c.rows) > 0) // want "length"
}
