// Package once: a race hidden by the mutex inside sync.Once.
//
// Two goroutines that call Do while f runs wait on the mutex of the Once and get it one after
// the other. That orders the first before the second, for -race and by accident: Once promises only that
// both come after f.
package once

import (
	"sync"
	"time"
)

// Run makes two goroutines wait for the same initialisation.
func Run() int {
	var (
		once  sync.Once
		ready = make(chan struct{})
		last  int
		wg    sync.WaitGroup
	)
	slow := func() {
		close(ready)
		time.Sleep(60 * time.Millisecond)
	}
	wg.Add(3)
	go func() {
		defer wg.Done()
		once.Do(slow)
	}()
	<-ready
	go func() {
		defer wg.Done()
		last = 1 // race(last)
		once.Do(slow)
	}()
	go func() {
		defer wg.Done()
		time.Sleep(20 * time.Millisecond)
		once.Do(slow)
		last = 2 // race(last)
	}()
	wg.Wait()
	return last
}
