package witness

import (
	"errors"

	"github.com/presage-race/presage/internal/predict/model"
	"github.com/presage-race/presage/internal/trace/format"
)

// partRule is the rule of checkWhole. The model has it in prose, since there each part of an access
// is an event of its own.
const partRule = "A"

// IsPart reports whether a witness is refused only because another goroutine reads a part of an
// access of the race. The engine may return such an order: that is not a mistake of the engine.
func IsPart(err error) bool {
	var v *Violation
	return errors.As(err, &v) && v.Rule == partRule
}

// checkWhole checks (A). An access of the race may have several parts, and takes place at the end
// of the witness. So no other goroutine may read before what one of its parts wrote. It takes time
// in the number of events of the witness.
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

// sameAccess reports whether two events are parts of one access. Index 0 is no number of an
// access.
func (s *state) sameAccess(i, k int32) bool {
	e, o := &s.w.Events[i], &s.w.Events[k]
	return i != k && e.Index > 0 && e.Index == o.Index && e.Thread == o.Thread && e.Kind == o.Kind
}
