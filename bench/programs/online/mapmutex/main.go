// Command mapmutex counts in one map behind a mutex.
package main

import (
	"fmt"
	"sync"
)

func main() {
	var mu sync.Mutex
	m := make(map[int]int)
	var wg sync.WaitGroup
	for w := range 4 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := range 400_000 {
				mu.Lock()
				m[(i*7+w)%1000]++
				mu.Unlock()
			}
		}()
	}
	wg.Wait()
	fmt.Println(len(m))
}
