// Package witness checks that a predicted race can happen: it executes a
// witness, event by event, under the execution model of docs/theory/model.md.
//
// A witness is a sequence σ of events of a window, followed by the two accesses
// of the race. Check accepts it only if every event is allowed, by the rules of
// the model, in the state that the events before it have produced. Whoever found
// the witness, and how, is of no importance: this package shares no code with the
// engine, knows nothing of solvers, and searches for nothing.
//
// Crossing is a second look at the same witness, of traces with missing methods (package excluded):
// it works on the trace, without the edges of the window.
//
// Recorded is another checker, for races of the recorded run itself. It shares no code with package
// hb.
//
// # Rules
//
// The numbers are those of docs/theory/model.md, but for A, and are part of every error.
//
//	M1 program order      L locks         U unbuffered channels
//	M2 thread start       W WaitGroups    S select and len
//	M3 join               O Once          P pins
//	M4 hard edges         N Cond          R the race itself
//	M6 needed reads       C channels      V guards
//	M9 orders on condition                X the window is malformed
//	A  accesses as wholes
//
// Those of Recorded are (H1) to (H9), those of Crossing (Y1) to (Y5).
//
// (M5, every event is enabled in the state it meets, appears as one of the
// lettered rules.)
//
// # Soundness
//
// No race is reported without the consent of Check or Recorded, so a false race needs a wrong rule
// in the model, a wrong window, or a mistake in this package, never just a
// mistake in the engine. Check is therefore kept as plain as the page it
// implements: the state is a struct, a rule is a condition on it, in one switch.
//
// # Complexity
//
// O(events + edges + dependencies of the window), except that waking from a Cond
// is linear in the number of its waiters.
package witness

import (
	"fmt"

	"github.com/presage-race/presage/internal/predict/model"
	"github.com/presage-race/presage/internal/trace/format"
)

// A Violation says which rule of the model a witness breaks, and where.
type Violation struct {
	Rule   string // as in docs/theory/model.md
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

// Check reports whether order, followed by the pair's two accesses, is a possible
// execution of the window in which the pair races. The error is a *Violation.
func Check(w *model.Window, p model.Pair, order []int32) error {
	_, err := Execute(w, p, order)
	return err
}

// step executes one event of the witness, which must be the next of its thread.
func (s *state) step(i int32, p model.Pair) error {
	if i < 0 || int(i) >= len(s.w.Events) {
		return &Violation{Rule: "M1", Event: -1, Reason: fmt.Sprintf("no event has index %d", i)}
	}
	e := &s.w.Events[i]
	if i == p.A || i == p.B {
		return s.violation("R", i, "the witness already contains an access of the race")
	}
	// (M8) What is not known to do what it says is not executed.
	if e.Last {
		return s.violation("M8", i, "is only known to be next")
	}
	if err := s.isNext(i); err != nil {
		return err
	}
	for _, from := range s.weakly[i] {
		if !s.done[from] {
			return s.violation("M4", i, "weak edge: event %d must come before", from)
		}
	}
	if err := s.neededReads(i); err != nil {
		return err
	}
	if err := s.execute(i, e); err != nil {
		return err
	}
	// (M6) A strict read is intact or not executed.
	if e.Strict && isRead(e.Kind) && !s.intact[i] {
		return s.violation("M6", i, "strict read does not keep its value %d", e.Val)
	}
	s.done[i] = true
	s.next[e.Thread]++
	return s.ordered(i)
}

// isNext checks that nothing but its own semantics keeps event i from happening now.
func (s *state) isNext(i int32) error {
	e := &s.w.Events[i]
	t := e.Thread
	// (M7) What a goroutine did after it left its path.
	if e.Never {
		return s.violation("M7", i, "is not on the path of its goroutine")
	}
	// (M1) A thread executes its events in program order.
	if !s.isNextOfItsThread(i) {
		return s.violation("M1", i, "not the next event of thread %d", t)
	}
	// (M2) A thread that a Go event starts has no event before it.
	if g := s.starter[t]; g >= 0 && !s.done[g] {
		return s.violation("M2", i, "thread %d is not started", t)
	}
	// (U) The sender of an element that nobody has taken is blocked.
	if c := s.blockedOn[t]; c >= 0 {
		return s.violation("U", i, "thread %d is blocked sending on channel %d", t, c)
	}
	// (M4) Hard edges.
	for _, from := range s.before[i] {
		if !s.done[from] {
			return s.violation("M4", i, "hard edge: event %d must come before", from)
		}
	}
	return nil
}

// neededReads checks (M6): what event i depends on has been read as recorded.
func (s *state) neededReads(i int32) error {
	for _, d := range s.w.Events[i].Deps {
		if !s.isIntact(d) {
			return s.violation("M6", i, "needs the read %d, which does not keep its value", d)
		}
	}
	return s.guards(i)
}

// isIntact reports whether read i was executed and kept its value.
func (s *state) isIntact(i int32) bool {
	return i >= 0 && int(i) < len(s.intact) && s.done[i] && s.intact[i]
}

// allIntact reports whether a value computed from the given reads is as recorded.
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
			return s.violation("R", i, "a read of what a string says is no access of the program's")
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
		// (M10) It takes place where it did.
		for _, d := range s.w.Events[i].Where {
			if !s.isIntact(d) {
				return s.violation("M10", i, "is elsewhere if the read %d does not keep its value", d)
			}
		}
	}
	return s.checkOnlyWrite(p)
}

// checkOnlyWrite checks that the pair's write writes: a compare-and-swap that
// meets another value does not, and with a plain read it is the only write.
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
		return s.violation("R", a, "races with a read, but may meet another value and write nothing")
	}
	return nil
}

func (s *state) violation(rule string, i int32, reason string, args ...any) error {
	return &Violation{Rule: rule, Event: i, Kind: s.w.Events[i].Kind, Reason: fmt.Sprintf(reason, args...)}
}

// isRead reports whether events of kind k obtain a value.
func isRead(k format.Kind) bool {
	switch k {
	case format.Read, format.AtomicRead, format.AtomicRMW, format.ChanRecv, format.ChanLen:
		return true
	}
	return false
}
