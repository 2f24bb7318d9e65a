// Package polledonce is an initialisation that the first caller makes. Later callers only look
// whether it is done, and do not wait for it. In most runs it is done when the second caller comes.
package polledonce

import (
	"sync"
	"sync/atomic"
	"testing"
)

type lazy struct {
	calls atomic.Int32
	done  chan bool
	value int
}

func (l *lazy) get() int {
	if l.calls.Add(1) == 1 {
		l.value = 42 // race
		close(l.done)
		return l.value
	}
	select {
	case <-l.done:
	default: // it cannot take long
	}
	return l.value // race
}

func TestPolledonce(t *testing.T) {
	l := &lazy{done: make(chan bool)}
	var wg sync.WaitGroup
	wg.Go(func() { l.get() })
	l.get()
	wg.Wait()
}

func TestPolledonceFixed(t *testing.T) {
	var once sync.Once
	value := 0
	get := func() int {
		once.Do(func() { value = 42 })
		return value
	}
	var wg sync.WaitGroup
	wg.Go(func() { get() })
	get()
	wg.Wait()
}
