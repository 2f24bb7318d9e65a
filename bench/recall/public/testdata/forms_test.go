package driver

import (
	"sync"
	"testing"
	"time"
)

// TestOpen starts both sides together.
func TestOpen(t *testing.T) {
	first, second := sides(t)
	start := make(chan struct{})
	var done sync.WaitGroup
	for _, side := range []func(){first, second} {
		done.Add(1)
		go func() {
			defer done.Done()
			<-start
			for range rounds {
				side()
			}
		}()
	}
	close(start)
	done.Wait()
}

// TestHidden lets the first side come before the second one. A mutex that has nothing to do with
// them orders the two, so a happens-before detector sees no race.
func TestHidden(t *testing.T) {
	first, second := sides(t)
	var mu sync.Mutex
	var done sync.WaitGroup
	done.Add(2)
	go func() {
		defer done.Done()
		first()
		mu.Lock()
		mu.Unlock()
	}()
	go func() {
		defer done.Done()
		time.Sleep(50 * time.Millisecond)
		mu.Lock()
		mu.Unlock()
		second()
	}()
	done.Wait()
}
