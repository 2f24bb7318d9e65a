package engine

import (
	"github.com/presage-race/presage/internal/predict/model"
	"github.com/presage-race/presage/internal/trace/format"
)

// held returns the number of elements of a channel (with capacity 0: in the slot).
func (s *Solver) held(o model.Obj, st *state) int32 {
	return int32(len(s.w.Init[o].Queue)+len(st.sends)) - st.got
}

// room returns how many elements fit (MO13, MO14).
func (s *Solver) room(o model.Obj) int32 { return max(1, s.w.Init[o].Cap) }

func (s *Solver) stepSend(x int32, e *model.Event) { // (MO13, MO14)
	st := s.state(e.Obj)
	switch {
	case st.failed:
		return
	case st.closed != notClosed:
		s.failOn(st, ruleClosed, x, st.closed)
		return
	case s.held(e.Obj, st) >= s.room(e.Obj):
		s.failOn(st, ruleFull, x, -1)
		return
	}
	if s.values != nil {
		s.values.seen[x] = s.produced(e, e.Val, true)
	}
	s.element[x] = int32(len(s.w.Init[e.Obj].Queue) + len(st.sends))
	st.sends = append(st.sends, x)
	if s.handsOver(e) && !s.isWaiting(e.Partner) {
		s.failOn(st, rulePartner, x, e.Partner)
	}
}

// handsOver reports a send that needs a waiting receiver.
func (s *Solver) handsOver(e *model.Event) bool {
	return e.Kind == format.ChanSend && e.Flags&format.FlagNonBlocking != 0 && s.w.Init[e.Obj].Cap == 0
}

// isWaiting reports that p is the next event of its thread.
func (s *Solver) isWaiting(p int32) bool {
	return p >= 0 && s.ran[p] != s.run && (s.prev[p] < 0 || s.ran[s.prev[p]] == s.run)
}

func (s *Solver) stepRecv(x int32, e *model.Event) { // (MO13, MO14)
	st := s.state(e.Obj)
	s.intact[x] = true
	if s.values != nil { // until take says more
		s.values.seen[x], s.values.from[x] = word{e.Val, true}, unexplained
	}
	held := s.held(e.Obj, st)
	switch {
	case st.failed:
	case e.Flags&format.FlagClosed != 0:
		if s.values != nil {
			s.values.from[x] = nowhere
		}
		if st.closed == notClosed {
			s.failOn(st, ruleOpen, x, -1)
		} else if held > 0 {
			s.failOn(st, ruleRemaining, x, -1)
		}
	case held <= 0:
		s.failOn(st, ruleEmpty, x, -1)
	default:
		s.take(x, e, st)
	}
}

// take removes the oldest element.
func (s *Solver) take(x int32, e *model.Event, st *state) {
	queue := s.w.Init[e.Obj].Queue
	k := int(st.got)
	st.got++
	if k < len(queue) {
		s.met(x, word{queue[k], true}, ruleElement, -1)
		return
	}
	y := st.sends[k-len(queue)]
	send := &s.w.Events[y]
	if s.handsOver(send) && send.Partner != x {
		s.failOn(st, ruleStolen, x, y)
		return
	}
	if s.w.Init[e.Obj].Cap == 0 && s.readyCase(x) != patient && s.readyCase(y) != patient {
		s.failOn(st, ruleImpatient, x, y)
		return
	}
	s.met(x, s.sent(y, send), ruleElement, y)
}

const (
	patient   = -1
	impatient = -2
)

// readyCase returns a ready case of the select that x belongs to, or that x is
// patient, or that it never waits.
func (s *Solver) readyCase(x int32) int {
	e := &s.w.Events[x]
	if e.Flags&format.FlagNonBlocking != 0 {
		return impatient
	}
	for i, c := range e.Cases {
		if s.ready(c) {
			return i
		}
	}
	return patient
}

// ready reports that a case could be chosen (MO15).
func (s *Solver) ready(c model.Case) bool {
	st := s.state(c.Chan)
	n, size := s.held(c.Chan, st), s.w.Init[c.Chan].Cap
	return !st.failed && (st.closed != notClosed || c.Send && n < size || !c.Send && n > 0)
}

func (s *Solver) stepClose(x int32, e *model.Event) { // (MO13, MO14)
	st := s.state(e.Obj)
	switch {
	case st.failed:
	case st.closed != notClosed:
		s.failOn(st, ruleClosed, x, st.closed)
	case s.w.Init[e.Obj].Cap == 0 && s.held(e.Obj, st) > 0:
		s.failOn(st, ruleRemaining, x, -1)
	default:
		st.closed = x
	}
}

func (s *Solver) stepLen(x int32, e *model.Event) { // (MO15)
	st := s.state(e.Obj)
	s.intact[x] = true
	if s.values != nil {
		s.values.seen[x], s.values.from[x] = word{e.Val, true}, unexplained
	}
	if !st.failed {
		s.met(x, word{uint64(s.length(e.Obj, st)), true}, ruleLen, nowhere)
	}
}

// length is what len(channel) is: an unbuffered channel has no elements.
func (s *Solver) length(o model.Obj, st *state) int32 {
	if s.w.Init[o].Cap == 0 {
		return 0
	}
	return s.held(o, st)
}

func (s *Solver) stepDefault(x int32, e *model.Event) { // (MO15)
	for i, c := range e.Cases {
		if s.ready(c) {
			s.failOn(s.state(c.Chan), ruleReady, x, int32(i))
		}
	}
}
