// Package lockorder: a race hidden by the order in which a mutex was taken.
//
// The writer touches balance before its critical section, the reader after its own. When
// the writer is first, as the pause makes it, the mutex orders the two by luck. Nothing
// makes the writer be first.
package lockorder

import (
	"sync"
	"time"
)

// Run moves money without holding the lock that guards the log.
func Run() int {
	var (
		mu      sync.Mutex
		balance int
		log     [2]string
		wg      sync.WaitGroup
	)
	wg.Add(1)
	go func() {
		defer wg.Done()
		balance = 100 // race(balance)
		mu.Lock()
		log[0] = "deposit"
		mu.Unlock()
	}()
	time.Sleep(20 * time.Millisecond)
	mu.Lock()
	log[1] = "audit"
	mu.Unlock()
	seen := balance // race(balance)
	wg.Wait()
	return seen
}
