// Command atomics counts with atomic counters, some of them shared.
package main

import (
	"fmt"
	"sync"
	"sync/atomic"
)

func main() {
	var shared atomic.Int64
	var own [4]struct {
		n atomic.Int64
		_ [56]byte
	}
	var wg sync.WaitGroup
	for w := range 4 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := range 800_000 {
				own[w].n.Add(int64(i))
				if i%4 == 0 {
					shared.Add(1)
				}
			}
		}()
	}
	wg.Wait()
	fmt.Println(shared.Load(), own[1].n.Load())
}
