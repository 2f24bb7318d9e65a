package witness

import "github.com/presage-race/presage/internal/predict/model"

// An Execution is the state after a witness.
type Execution struct{ s *state }

// Execute is Check, and returns the execution.
func Execute(w *model.Window, p model.Pair, order []int32) (*Execution, error) {
	s, err := newState(w)
	if err != nil {
		return nil, err
	}
	if err := s.checkPair(p); err != nil {
		return nil, err
	}
	for _, i := range order {
		if err := s.step(i, p); err != nil {
			return nil, err
		}
	}
	if err := s.checkWhole(p, order); err != nil {
		return nil, err
	}
	return &Execution{s}, s.checkRace(p)
}

// Admits reports whether the events of w are an execution of it in their recorded order. An error
// means that the window is wrong: then witnesses that need the event of the error are not found.
// Events that may only race (MO8) are left out, with the later events of their threads. The events
// of a receiver before its receive are executed before the non-blocking send that found it waiting
// (U), whatever the order of the trace.
func Admits(w *model.Window) error {
	s, err := newState(w)
	if err != nil {
		return err
	}
	ended := make([]bool, len(s.threads))
	for i := range w.Events {
		if p := w.Events[i].Partner; p >= 0 && int(p) < len(w.Events) {
			t := w.Events[p].Thread
			for _, before := range s.threads[t][s.next[t]:] {
				if before == p {
					break
				}
				if err := s.recorded(before, ended); err != nil {
					return err
				}
			}
		}
		if err := s.recorded(int32(i), ended); err != nil {
			return err
		}
	}
	return nil
}

// recorded executes an event in the recorded order, if its thread has not ended.
func (s *state) recorded(i int32, ended []bool) error {
	e := &s.w.Events[i]
	if ended[e.Thread] = ended[e.Thread] || e.Last; ended[e.Thread] || s.done[i] {
		return nil
	}
	return s.step(i, model.Pair{A: -1, B: -1})
}

// Done reports whether an event is executed.
func (x *Execution) Done(i int32) bool { return x.s.done[i] }

// Intact reports whether a read has returned its recorded value.
func (x *Execution) Intact(i int32) bool { return x.s.isIntact(i) }

// Seen is the value that a read has returned.
func (x *Execution) Seen(i int32) (word uint64, known bool) {
	return x.s.seen[i].val, x.s.seen[i].known
}

// Wrote is the value that a write or send has left.
func (x *Execution) Wrote(i int32) (word uint64, known bool) {
	return x.s.wrote[i].val, x.s.wrote[i].known
}

// Value is the value of a term over the reads of the witness.
func (x *Execution) Value(t *model.Term) (word uint64, known bool) {
	v := x.s.evaluate(t)
	return v.val, v.known
}

// Text is the value of a term that is the content of a string.
func (x *Execution) Text(t *model.Term) (text string, known bool) {
	a := x.s.amount(t)
	return a.text, a.ok
}
