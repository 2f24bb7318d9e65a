// Package timer: the function of a time.AfterFunc races with the goroutine that set it.
package timer

import (
	"sync"
	"time"
)

// Run sets a timer and looks, after more than its time, whether it has fired.
func Run() bool {
	var (
		mu    sync.Mutex
		seen  [2]bool
		fired bool
		done  = make(chan struct{})
	)
	time.AfterFunc(time.Millisecond, func() {
		fired = true // race(fired)
		mu.Lock()
		seen[0] = true
		mu.Unlock()
		close(done)
	})
	time.Sleep(30 * time.Millisecond)
	mu.Lock()
	seen[1] = true
	mu.Unlock()
	f := fired // race(fired)
	<-done
	return f
}
