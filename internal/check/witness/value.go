package witness

import (
	"github.com/presage-race/presage/internal/predict/expr"
	"github.com/presage-race/presage/internal/predict/model"
	"github.com/presage-race/presage/internal/trace/format"
)

// sees records the value that read i returns.
func (s *state) sees(i int32, x word) {
	s.seen[i] = x
	s.intact[i] = x.known && x.val == s.w.Events[i].Val
}

// produced is the value that a write or send leaves (V): the recorded one if the reads that it is
// computed from are intact, else the value of its term.
func (s *state) produced(i int32, e *model.Event, recorded uint64, asRecorded bool) word {
	x := word{recorded, true, i}
	switch {
	case asRecorded:
	case e.Value == nil:
		x.known = false
	case e.Value.Copies():
		x = s.seen[e.Value.Reads()[0]]
	default:
		x = s.evaluate(e.Value)
		x.known = x.known && !s.w.Names.Ambiguous(x.val)
	}
	x.by = i
	s.wrote[i] = x
	return x
}

// evaluate computes a term over the plain words that its reads have returned (V).
func (s *state) evaluate(t *model.Term) word {
	a := s.amount(t)
	return word{val: a.bits, known: a.ok}
}

func (s *state) amount(t *model.Term) amount {
	v := evaluation{done: map[*expr.Expr]amount{}, read: func(r int64) (uint64, bool) {
		if r < 0 || r >= int64(len(s.seen)) {
			return 0, false
		}
		w, ok := s.w.Names.Sees(s.seen[r].val, s.w.Events[r].Val)
		return w, ok && s.seen[r].known
	}}
	return v.of(t.Expr)
}

// guards checks (V): each guard of event i has its recorded value.
func (s *state) guards(i int32) error {
	for _, g := range s.w.Events[i].Guards {
		switch v := s.evaluate(g.Term); {
		case !v.known:
			return s.violation("V", i, "the guard %v has no known value", g.Term)
		case v.val != g.Want:
			return s.violation("V", i, "the guard %v is %d, not %d", g.Term, v.val, g.Want)
		}
	}
	return nil
}

// termReads checks that the terms of event i are over earlier reads of its thread.
func (s *state) termReads(i int32) error {
	e := &s.w.Events[i]
	check := func(t *model.Term, own bool) error {
		for _, r := range t.Reads() {
			if r < 0 || r > i || r == i && !own || s.w.Events[r].Thread != e.Thread || !isRead(s.w.Events[r].Kind) {
				return s.violation("X", i, "a term reads %d, which is not an earlier read of its thread", r)
			}
		}
		return nil
	}
	for _, g := range e.Guards {
		if err := check(g.Term, false); err != nil {
			return err
		}
	}
	if e.Value == nil {
		return nil
	}
	return check(e.Value, e.Kind == format.AtomicRMW)
}
