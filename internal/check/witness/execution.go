package witness

import "github.com/presage-race/presage/internal/predict/model"

// An Execution is a witness that was executed.
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

// Admits reports whether the events of w, in the order recorded, are an execution of it. They have
// been one: if this fails, the window says something of the run that is wrong, and witnesses that
// need the event of the error are not found. What is only known to be next (M8) is left out, with
// what follows it. A trace may have what a receiver did before it waited behind the non-blocking
// send that found it waiting (U): that comes first.
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

// Done reports whether an event has happened.
func (x *Execution) Done(i int32) bool { return x.s.done[i] }

// Intact reports whether a read has seen what was recorded.
func (x *Execution) Intact(i int32) bool { return x.s.isIntact(i) }

// Seen is what a read saw.
func (x *Execution) Seen(i int32) (word uint64, known bool) {
	return x.s.seen[i].val, x.s.seen[i].known
}

// Wrote is what a write or send left.
func (x *Execution) Wrote(i int32) (word uint64, known bool) {
	return x.s.wrote[i].val, x.s.wrote[i].known
}

// Value is what a term amounts to.
func (x *Execution) Value(t *model.Term) (word uint64, known bool) {
	v := x.s.evaluate(t)
	return v.val, v.known
}

// Text is what a term amounts to that is the content of a string.
func (x *Execution) Text(t *model.Term) (text string, known bool) {
	a := x.s.amount(t)
	return a.text, a.ok
}
