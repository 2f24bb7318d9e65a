// Package doublecheck: double-checked locking with a plain flag.
//
// The second caller finds the flag set. In the recorded run it had used the mutex for something
// else just before, which ordered it after the first. Only the flag is reported: value is read only when the flag was seen set,
// and in the executions that presage judges its write has then happened.
package doublecheck

import (
	"sync"
	"time"
)

type lazy struct {
	mu    sync.Mutex
	done  bool
	value int
	users [2]bool
}

func (l *lazy) enter(user int) {
	l.mu.Lock()
	l.users[user] = true
	l.mu.Unlock()
}

func (l *lazy) get() int {
	if !l.done { // race(done)
		l.mu.Lock()
		if !l.done {
			l.value = 7
			l.done = true // race(done)
		}
		l.mu.Unlock()
	}
	return l.value
}

// Run calls get from two goroutines, one after the other by the clock only.
func Run() int {
	l := &lazy{}
	first := make(chan int)
	go func() { first <- l.get() }()
	time.Sleep(20 * time.Millisecond)
	l.enter(1)
	return l.get() + <-first
}
