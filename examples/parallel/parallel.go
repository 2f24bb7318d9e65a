// Package parallel: parallel subtests share a variable of their parent. The race is in the test.
package parallel

import "sync"

// Guard is a mutex that both subtests use, for something else.
type Guard struct {
	mu   sync.Mutex
	used [2]bool
}

// Use marks user i.
func (g *Guard) Use(i int) {
	g.mu.Lock()
	g.used[i] = true
	g.mu.Unlock()
}
