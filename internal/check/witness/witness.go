package witness

import (
	"fmt"

	"github.com/presage-race/presage/internal/predict/model"
	"github.com/presage-race/presage/internal/trace/format"
)

// A Violation says which rule of the model a witness breaks, and where.
type Violation struct {
	Rule   string // of docs/theory/model.md, or of this package
	Event  int32  // index in the window's Events; -1: no event
	Kind   format.Kind
	Reason string
}

func (v *Violation) Error() string {
	if v.Event < 0 {
		return fmt.Sprintf("witness: (%s) %s", v.Rule, v.Reason)
	}
	return fmt.Sprintf("witness: (%s) event %d %s: %s", v.Rule, v.Event, kindName(v.Kind), v.Reason)
}

func kindName(k format.Kind) string {
	if k == model.Pin {
		return "pin"
	}
	return k.String()
}

// Check reports whether order, followed by the pair's two accesses, is an execution of the window
// in which the pair races. The error is a *Violation.
func Check(w *model.Window, p model.Pair, order []int32) error {
	_, err := Execute(w, p, order)
	return err
}

// step executes one event of the witness, which must be the next of its thread.
func (s *state) step(i int32, p model.Pair) error {
	if i < 0 || int(i) >= len(s.w.Events) {
		return &Violation{Rule: "MO1", Event: -1, Reason: fmt.Sprintf("no event has index %d", i)}
	}
	e := &s.w.Events[i]
	if i == p.A || i == p.B {
		return s.violation("R", i, "the witness already contains an access of the race")
	}
	// (MO8) An event whose value or effect is unknown is not executed.
	if e.Last {
		return s.violation("MO8", i, "its effect is unknown, so it can be an access of the race but not be executed")
	}
	if err := s.isNext(i); err != nil {
		return err
	}
	for _, from := range s.weakly[i] {
		if !s.done[from] {
			return s.violation("MO4", i, "weak edge: event %d must come before", from)
		}
	}
	if err := s.neededReads(i); err != nil {
		return err
	}
	if err := s.execute(i, e); err != nil {
		return err
	}
	// (MO6) A strict read is executed only if it is intact.
	if e.Strict && isRead(e.Kind) && !s.intact[i] {
		return s.violation("MO6", i, "a strict read returns another value than %d", e.Val)
	}
	s.done[i] = true
	s.next[e.Thread]++
	return s.ordered(i)
}

// isNext checks that event i can be next, its own effect on objects aside.
func (s *state) isNext(i int32) error {
	e := &s.w.Events[i]
	t := e.Thread
	// (MO7) In a variant, the event is one after the fork.
	if e.Never {
		return s.violation("MO7", i, "its goroutine has left the path that the event is on")
	}
	// (MO1) A thread executes its events in program order.
	if !s.isNextOfItsThread(i) {
		return s.violation("MO1", i, "is not the next event of thread %d", t)
	}
	// (MO2) A thread that a Go event starts has no event before it.
	if g := s.starter[t]; g >= 0 && !s.done[g] {
		return s.violation("MO2", i, "thread %d is not started", t)
	}
	// (U) A sender is blocked until its element is received.
	if c := s.blockedOn[t]; c >= 0 {
		return s.violation("U", i, "thread %d is blocked sending on channel %d", t, c)
	}
	// (MO4) Hard edges.
	for _, from := range s.before[i] {
		if !s.done[from] {
			return s.violation("MO4", i, "hard edge: event %d must come before", from)
		}
	}
	return nil
}

// neededReads checks (MO6): the reads that event i depends on have returned their recorded values.
func (s *state) neededReads(i int32) error {
	for _, d := range s.w.Events[i].Deps {
		if !s.isIntact(d) {
			return s.violation("MO6", i, "needs the read %d, which returns another value or is not executed", d)
		}
	}
	return s.guards(i)
}

// isIntact reports whether read i was executed and returned its recorded value.
func (s *state) isIntact(i int32) bool {
	return i >= 0 && int(i) < len(s.intact) && s.done[i] && s.intact[i]
}

// allIntact reports whether a value that is computed from reads is the recorded one.
func (s *state) allIntact(reads []int32) bool {
	for _, r := range reads {
		if !s.isIntact(r) {
			return false
		}
	}
	return true
}

// checkPair checks that the pair's accesses conflict.
func (s *state) checkPair(p model.Pair) error {
	for _, i := range []int32{p.A, p.B} {
		if i < 0 || int(i) >= len(s.w.Events) {
			return &Violation{Rule: "R", Event: -1, Reason: fmt.Sprintf("no event has index %d", i)}
		}
		if !s.w.Events[i].Kind.IsAccess() {
			return s.violation("R", i, "not a memory access")
		}
		if s.w.Events[i].Kind == format.Read && s.w.Events[i].Flags&format.FlagText != 0 {
			return s.violation("R", i, "a read of the content of a string is no access by the program")
		}
	}
	a, b := &s.w.Events[p.A], &s.w.Events[p.B]
	switch {
	case a.Thread == b.Thread:
		return s.violation("R", p.A, "both accesses are of thread %d", a.Thread)
	case a.Obj != b.Obj:
		return s.violation("R", p.A, "the accesses are to locations %d and %d", a.Obj, b.Obj)
	case !a.Kind.IsWrite() && !b.Kind.IsWrite():
		return s.violation("R", p.A, "neither access is a write")
	case a.Kind.IsAtomic() && b.Kind.IsAtomic():
		return s.violation("R", p.A, "both accesses are atomic")
	}
	return nil
}

// checkRace checks that, in the state reached, both accesses are next.
func (s *state) checkRace(p model.Pair) error {
	for _, i := range []int32{p.A, p.B} {
		if err := s.isNext(i); err != nil {
			return err
		}
		if err := s.neededReads(i); err != nil {
			return err
		}
		// (MO10) It accesses the recorded address.
		for _, d := range s.w.Events[i].Where {
			if !s.isIntact(d) {
				return s.violation("MO10", i, "has another address if the read %d returns another value", d)
			}
		}
	}
	return s.checkOnlyWrite(p)
}

// checkOnlyWrite checks that one access of the pair writes. Where an update races with a read, it
// is the only write, and it writes nothing if it is a compare-and-swap that finds another value.
func (s *state) checkOnlyWrite(p model.Pair) error {
	a, b := p.A, p.B
	if s.w.Events[a].Kind != format.AtomicRMW {
		a, b = b, a
	}
	rmw := &s.w.Events[a]
	if rmw.Kind != format.AtomicRMW || s.w.Events[b].Kind != format.Read {
		return nil
	}
	if l := &s.objects[rmw.Obj]; !l.known || l.val != rmw.Val {
		return s.violation("R", a, "races with a read, but may find another value and write nothing")
	}
	return nil
}

func (s *state) violation(rule string, i int32, reason string, args ...any) error {
	return &Violation{Rule: rule, Event: i, Kind: s.w.Events[i].Kind, Reason: fmt.Sprintf(reason, args...)}
}

// isRead reports whether events of kind k return a value.
func isRead(k format.Kind) bool {
	switch k {
	case format.Read, format.AtomicRead, format.AtomicRMW, format.ChanRecv, format.ChanLen:
		return true
	}
	return false
}
