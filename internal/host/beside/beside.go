// Package beside runs work of a process while another program runs that must not suffer from it,
// such as tests with time limits.
//
// The process uses one processor for the work and its garbage collector, and leaves the others to
// the program. The threads that do the work have a low priority, on systems with a priority for
// each thread (Linux): while the program uses all processors, they get a tenth of one.
//
// A thread cannot raise its priority again without privileges. So the threads end with the work,
// and work that goes on after the program keeps the low priority.
package beside

import (
	"runtime"
	"sync"
)

// limited counts the calls of OneProcessor that have not ended.
var limited struct {
	sync.Mutex
	n, before int
}

// OneProcessor limits this process to one processor, its garbage collector included, until each
// caller has called end.
func OneProcessor() (end func()) {
	l := &limited
	l.Lock()
	defer l.Unlock()
	if l.n++; l.n == 1 {
		l.before = runtime.GOMAXPROCS(1)
	}
	return sync.OnceFunc(func() {
		l.Lock()
		defer l.Unlock()
		if l.n--; l.n == 0 {
			runtime.GOMAXPROCS(l.before)
		}
	})
}

// Go runs f on a goroutine with a thread of its own, which has a low priority. Goroutines that f
// starts have the normal priority; processes that it starts have the low one.
func Go(f func()) {
	go func() {
		runtime.LockOSThread() // and never unlocked: the thread ends with the goroutine
		lower()
		f()
	}()
}
