// Package appending: two goroutines append to one slice.
//
// An append reads the slice and writes it back: the slice variable itself is what races.
package appending

import (
	"sync"
	"time"
)

// Run collects results of two workers.
func Run() []int {
	var (
		mu      sync.Mutex
		log     [2]bool
		results = make([]int, 0, 8)
		wg      sync.WaitGroup
	)
	wg.Add(1)
	go func() {
		defer wg.Done()
		results = append(results, 1) // race(results)
		mu.Lock()
		log[0] = true
		mu.Unlock()
	}()
	time.Sleep(20 * time.Millisecond)
	mu.Lock()
	log[1] = true
	mu.Unlock()
	results = append(results, 2) // race(results)
	wg.Wait()
	return results
}
