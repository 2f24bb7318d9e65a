// Package locker: a race between two critical sections of two locks, which are locked as a
// sync.Locker.
//
// The recorded order of audit hides it. The calls through the interface are operations of the
// locks in it, so they keep no order between the two locks.
package locker

import (
	"sync"
	"time"
)

type account struct {
	sync.Mutex
}

var (
	audit sync.Mutex
	total int
	safe  int
)

// note is what each side does when it is not in its critical section.
func note() {
	audit.Lock()
	defer audit.Unlock()
}

// Run adds to total under two locks, and to safe under one. It returns their sum.
func Run() int {
	a, b := &account{}, &account{}
	locks := []sync.Locker{a, b}
	done := make(chan bool)
	go func() {
		add(locks[0], func() { total++ }) // race(total)
		add(locks[0], func() { safe++ })
		note()
		done <- true
	}()
	time.Sleep(20 * time.Millisecond)
	note()
	add(locks[1], func() { total++ }) // race(total)
	add(locks[0], func() { safe++ })
	<-done
	return total + safe
}

func add(l sync.Locker, f func()) {
	l.Lock()
	defer l.Unlock()
	f()
}
