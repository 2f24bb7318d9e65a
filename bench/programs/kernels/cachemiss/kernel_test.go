// Package cachemiss is a cache that counts its misses without a lock. In most runs the second user
// comes when the value is there. The race needs two users that both miss.
package cachemiss

import (
	"sync"
	"testing"
)

type cache struct {
	mu     sync.RWMutex
	values map[string]int
	misses int
}

func (c *cache) lookup(key string) (int, bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	v, ok := c.values[key]
	return v, ok
}

func (c *cache) get(key string) int {
	v, ok := c.lookup(key)
	if !ok {
		c.misses++ // race
		v = len(key)
		c.mu.Lock()
		c.values[key] = v
		c.mu.Unlock()
	}
	return v
}

// load is get with the defect repaired.
func (c *cache) load(key string) int {
	v, ok := c.lookup(key)
	if !ok {
		v = len(key)
		c.mu.Lock()
		c.misses++
		c.values[key] = v
		c.mu.Unlock()
	}
	return v
}

func TestCachemiss(t *testing.T)      { run((*cache).get) }
func TestCachemissFixed(t *testing.T) { run((*cache).load) }

func run(get func(*cache, string) int) {
	c := &cache{values: make(map[string]int)}
	var wg sync.WaitGroup
	wg.Go(func() { get(c, "key") })
	get(c, "key")
	wg.Wait()
}
