package witness

import (
	"errors"

	"github.com/presage-race/presage/internal/predict/model"
	"github.com/presage-race/presage/internal/trace/format"
)

// partRule is the rule that checkWhole is. It is no rule of the model: there each part is an event
// of its own.
const partRule = "A"

// IsPart reports whether a witness is refused only because another goroutine reads a part of an
// access of the race. Whoever searches may find such an order; it is no mistake of the search.
func IsPart(err error) bool {
	var v *Violation
	return errors.As(err, &v) && v.Rule == partRule
}

// checkWhole refuses (A) a witness in which another goroutine reads what a part of an access of the
// race, one of several parts, has left: the access takes place at the end of the witness, so nobody
// knows how far it is before that. It is O(events of the witness).
func (s *state) checkWhole(p model.Pair, order []int32) error {
	left := make(map[model.Obj]int32) // the part, by location
	for _, i := range order {
		e := &s.w.Events[i]
		switch part, ok := left[e.Obj]; {
		case e.Kind.IsWrite() && (s.sameAccess(i, p.A) || s.sameAccess(i, p.B)):
			left[e.Obj] = i
		case ok && e.Kind.IsAccess() && e.Kind != format.Write && e.Kind != format.AtomicWrite && e.Thread != s.w.Events[part].Thread:
			return s.violation(partRule, i, "reads event %d, a part of an access of the race", part)
		}
	}
	return nil
}

// sameAccess reports whether two events are parts of one access. Number 0 is the start of a trace,
// or none.
func (s *state) sameAccess(i, k int32) bool {
	e, o := &s.w.Events[i], &s.w.Events[k]
	return i != k && e.Index > 0 && e.Index == o.Index && e.Thread == o.Thread && e.Kind == o.Kind
}
