package driver

import (
	"sync"
	"testing"
	"time"
)

// TestTogether runs the two calls side by side.
func TestTogether(t *testing.T) {
	first, second := calls(t)
	var wg sync.WaitGroup
	wg.Add(2)
	go func() { defer wg.Done(); first() }()
	go func() { defer wg.Done(); second() }()
	wg.Wait()
}

// TestMasked lets the second call begin late, behind a lock that the first
// goroutine has released after its call: the lock orders the calls in this run,
// and nothing orders them in general.
func TestMasked(t *testing.T) {
	first, second := calls(t)
	var mu sync.Mutex
	var wg sync.WaitGroup
	wg.Add(2)
	go func() {
		defer wg.Done()
		first()
		mu.Lock()
		mu.Unlock()
	}()
	go func() {
		defer wg.Done()
		time.Sleep(100 * time.Millisecond)
		mu.Lock()
		mu.Unlock()
		second()
	}()
	wg.Wait()
}
