// Package inorder runs two goroutines in a recorded order that nothing in the program demands.
//
// A pause makes the first be first. A mutex that both take, for something else, then orders all that the first did
// before all that the second does: no happens-before detector sees a race of the two in this run, and whether another execution
// has one is left to reasoning about reads, values and branches, as in RECIPE's examples.
package inorder

import (
	"sync"
	"time"
)

// Run runs first, and after it by the clock, second.
func Run(first, second func()) {
	var (
		mu   sync.Mutex
		seen [2]bool
		wg   sync.WaitGroup
	)
	wg.Add(2)
	go func() {
		defer wg.Done()
		first()
		mu.Lock()
		seen[0] = true
		mu.Unlock()
	}()
	go func() {
		defer wg.Done()
		time.Sleep(20 * time.Millisecond)
		mu.Lock()
		seen[1] = true
		mu.Unlock()
		second()
	}()
	wg.Wait()
}
