package witness

import (
	"presage/internal/trace/format"
	"presage/internal/window"
)

// checkWhole refuses (R) a witness in which another goroutine reads what a part of an access of the race, which is of several, has
// left: the access has not taken place before the end of the witness, so nobody knows how far it is.
func (s *state) checkWhole(p window.Pair, order []int32) error {
	left := make(map[window.Obj]int32) // the part, by location
	for _, i := range order {
		e := &s.w.Events[i]
		switch part, ok := left[e.Obj]; {
		case e.Kind.IsWrite() && (s.sameAccess(i, p.A) || s.sameAccess(i, p.B)):
			left[e.Obj] = i
		case ok && e.Kind.IsAccess() && e.Kind != format.Write && e.Kind != format.AtomicWrite && e.Thread != s.w.Events[part].Thread:
			return s.violation("R", i, "reads event %d, a part of an access of the race", part)
		}
	}
	return nil
}

// sameAccess reports whether two events are parts of one access. Number 0 is the start of a trace, or none.
func (s *state) sameAccess(i, k int32) bool {
	e, o := &s.w.Events[i], &s.w.Events[k]
	return i != k && e.Index > 0 && e.Index == o.Index && e.Thread == o.Thread && e.Kind == o.Kind
}
