// Package capture: goroutines of one loop share a captured variable.
//
// Each goroutine takes the lock before and after its work, and stores its result in between, without the lock. As long as
// they run one after the other, every critical section is ordered.
package capture

import (
	"sync"
	"time"
)

// Run starts two workers that write the same captured variable.
func Run() string {
	var (
		mu                sync.Mutex
		started, finished [2]bool
		last              string
		wg                sync.WaitGroup
	)
	for i, name := range []string{"a", "b"} {
		wg.Add(1)
		go func() {
			defer wg.Done()
			time.Sleep(time.Duration(i) * 20 * time.Millisecond)
			mu.Lock()
			started[i] = true
			mu.Unlock()
			last = name // race(last)
			mu.Lock()
			finished[i] = true
			mu.Unlock()
		}()
	}
	wg.Wait()
	return last
}
