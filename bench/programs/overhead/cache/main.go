// Command cache has goroutines look up and update a map behind a mutex.
package main

import (
	"fmt"
	"sync"
)

type cache struct {
	mu   sync.Mutex
	m    map[int]int
	hits int
}

func (c *cache) get(k int) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	if v, ok := c.m[k]; ok {
		c.hits++
		return v
	}
	v := k * k
	c.m[k] = v
	return v
}

func main() {
	c := &cache{m: map[int]int{}}
	var wg sync.WaitGroup
	sums := make([]int, 4)
	for g := range sums {
		wg.Add(1)
		go func() {
			defer wg.Done()
			x := uint32(g + 1)
			for range 100_000 {
				x = x*1664525 + 1013904223
				sums[g] += c.get(int(x >> 20))
			}
		}()
	}
	wg.Wait()
	fmt.Println(sums, c.hits)
}
