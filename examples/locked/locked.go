// Package locked: no race. Every access is under the mutex, in whatever order.
package locked

import "sync"

// Run counts from four goroutines.
func Run() int {
	var (
		mu sync.Mutex
		n  int
		wg sync.WaitGroup
	)
	for range 4 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for range 10 {
				mu.Lock()
				n++
				mu.Unlock()
			}
		}()
	}
	wg.Wait()
	return n
}
