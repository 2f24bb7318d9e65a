// Package flags holds atomic flags that decide who goes on (SY4).
package flags

import "sync/atomic"

type sub struct {
	closed  atomic.Uint32
	stopped atomic.Bool
	busy    int32
	reason  string
	how     string
	jobs    int
	late    int
}

// Stop may be called by many; one of them goes on.
func (s *sub) Stop(why string) {
	if !s.closed.CompareAndSwap(0, 1) {
		s.late++ // want "late" "stops"
		return
	}
	s.reason = why
}

// Shut is as Stop, by Swap.
func (s *sub) Shut(how string) {
	if s.stopped.Swap(true) {
		return
	}
	s.how = how
}

// run has its turn until it gives the flag back.
func (s *sub) run() {
	if atomic.CompareAndSwapInt32(&s.busy, 0, 1) {
		s.jobs++
		atomic.StoreInt32(&s.busy, 0)
		s.late++ // want "late" "runs"
	}
}

func Run() {
	s := &sub{}
	for range 3 {
		go s.Stop("a")
		go s.Shut("b")
		go s.run()
	}
}
