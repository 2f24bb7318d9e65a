// Package waitgroupgo: races hidden by the order in which two critical sections came, between goroutines that WaitGroup.Go starts.
//
// The goroutine is begun by code of package sync, which does nothing there but count. The second pair is of method values.
package waitgroupgo

import (
	"sync"
	"time"
)

type shop struct {
	mu     sync.Mutex
	sold   int
	open   bool
	keeper string
}

func (s *shop) sell() {
	s.mu.Lock()
	s.sold++
	s.mu.Unlock()
}

func (s *shop) unlocks() {
	s.keeper = "Ada" // race(keeper)
	s.sell()
}

func (s *shop) visits() {
	time.Sleep(20 * time.Millisecond)
	s.sell()
	_ = s.keeper // race(keeper)
}

// Run opens the shop, and sells.
func Run() int {
	s := &shop{}
	var wg sync.WaitGroup
	wg.Go(func() {
		s.open = true // race(open)
		s.sell()
	})
	wg.Go(func() {
		time.Sleep(20 * time.Millisecond)
		s.sell()
		_ = s.open // race(open)
	})
	wg.Wait()
	wg.Go(s.unlocks)
	wg.Go(s.visits)
	wg.Wait()
	return s.sold
}
