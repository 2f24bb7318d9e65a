// Package callback is a source of events whose callback is registered by another goroutine. The
// callback and the goroutine that has registered it use one counter. In most runs the source loads
// the callback before it is stored, and calls nothing.
package callback

import (
	"sync"
	"sync/atomic"
	"testing"
)

type source struct{ callback atomic.Pointer[func()] }

func (s *source) emit() {
	if f := s.callback.Load(); f != nil {
		(*f)()
	}
}

func TestCallback(t *testing.T) {
	var s source
	var wg sync.WaitGroup
	wg.Go(func() {
		events := 0
		f := func() {
			events++ // race
		}
		s.callback.Store(&f)
		events++ // race
	})
	s.emit()
	wg.Wait()
}

func TestCallbackFixed(t *testing.T) {
	var s source
	var wg sync.WaitGroup
	wg.Go(func() {
		events := 0
		f := func() { events++ }
		events++
		s.callback.Store(&f)
	})
	s.emit()
	wg.Wait()
}
