// Package beside is for work that a process does beside a program that must not suffer from it,
// such as tests with time limits.
//
//	(W1) The process has one processor for it, its garbage collector included: what another
//	     goroutine of the program could use is left to it.
//	(W2) The threads that do the work have a low priority, where the system has one for each
//	     thread (Linux): while the program wants all processors, they get a tenth of one.
//
// A priority cannot be raised again without privileges. So the threads end with the work, and work
// that goes on when the program has ended keeps it.
package beside

import (
	"runtime"
	"sync"
)

// limited counts those who keep the process to one processor.
var limited struct {
	sync.Mutex
	n, before int
}

// OneProcessor keeps this process to one processor (W1), until what it returns is called, by the
// last of those who have called it.
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

// Go runs f on a goroutine that has a thread of its own, of low priority (W2). What f starts with
// go has not; processes that it starts have.
func Go(f func()) {
	go func() {
		runtime.LockOSThread() // and never unlocked: the thread ends with the goroutine
		lower()
		f()
	}()
}
