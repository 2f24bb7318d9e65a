// Package atomicflag: no race. The data is read only after the atomic flag was seen set.
//
// The order of the two goroutines could be another one, but then the flag would read false
// and the data would not be read.
package atomicflag

import (
	"runtime"
	"sync/atomic"
)

// Run publishes data through an atomic flag.
func Run() int {
	var (
		data  int
		ready atomic.Bool
		done  = make(chan struct{})
	)
	go func() {
		data = 42
		ready.Store(true)
		close(done)
	}()
	for !ready.Load() {
		runtime.Gosched()
	}
	n := data
	<-done
	return n
}
