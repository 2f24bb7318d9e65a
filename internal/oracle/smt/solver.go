package smt

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/presage-race/presage/internal/predict/model"
)

// Verdict says whether a pair races.
type Verdict uint8

const (
	Unknown Verdict = iota // Result.Why says why
	Race                   // Result.Order is a reordering after which both accesses are next
	NoRace                 // there is no such reordering of the window
)

func (v Verdict) String() string {
	switch v {
	case Unknown:
		return "unknown"
	case Race:
		return "race"
	case NoRace:
		return "no race"
	}
	return "verdict?"
}

// Result is the answer for one pair.
type Result struct {
	Verdict Verdict
	Order   []int32 // of a Race: the events of the reordering, without the pair
	Why     string  // of Unknown: a few words that group well
}

// Options are the limits of a Solver. The zero value is the recommended setting.
type Options struct {
	// Events is the number of events that may stand before a pair; beyond it the pair is Unknown.
	// 0: 400.
	Events int
}

// Solver answers for the pairs of one window.
type Solver struct {
	w   *model.Window
	p   *Process
	opt Options
}

// New prepares a Solver for a window. Solvers may share a process.
func New(w *model.Window, p *Process, opt Options) *Solver {
	if opt.Events == 0 {
		opt.Events = 400
	}
	return &Solver{w: w, p: p, opt: opt}
}

// Solve decides whether the pair races. An error is one of the process, and says nothing of the
// pair.
func (s *Solver) Solve(p model.Pair) (Result, error) {
	if !conflict(&s.w.Events[p.A], &s.w.Events[p.B]) {
		return Result{Verdict: NoRace}, nil
	}
	q := newQuery(s.w, p)
	if q.size() > s.opt.Events {
		return Result{Why: "too many events"}, nil
	}
	q.encode()
	if q.unsupported != "" {
		return Result{Why: q.unsupported}, nil
	}
	sat, model, err := s.p.solve(q.logic(), q.positions()+q.text.String(), q.order())
	switch {
	case err == errTime:
		return Result{Why: err.Error()}, nil
	case err != nil:
		return Result{}, fmt.Errorf("pair %d %d: %w", p.A, p.B, err)
	case !sat:
		return Result{Verdict: NoRace}, nil
	}
	return Result{Verdict: Race, Order: q.reordering(model)}, nil
}

// Text is the query for a pair, for a look at it; err says why there is none.
func Text(w *model.Window, p model.Pair) (string, error) {
	q := newQuery(w, p)
	if q.encode(); q.unsupported != "" {
		return "", fmt.Errorf("pair %d %d: %s", p.A, p.B, q.unsupported)
	}
	return fmt.Sprintf("(set-logic %s)\n%s%s(check-sat)\n", q.logic(), q.positions(), &q.text), nil
}

// conflict is the part of the race rule that does not depend on an order.
func conflict(a, b *model.Event) bool {
	return a.Kind.IsAccess() && b.Kind.IsAccess() && !a.IsText() && !b.IsText() && a.Obj == b.Obj && a.Thread != b.Thread &&
		(a.Kind.IsWrite() || b.Kind.IsWrite()) && !(a.Kind.IsAtomic() && b.Kind.IsAtomic())
}

func (q *query) size() int {
	n := 0
	for _, t := range q.threads {
		n += len(t)
	}
	return n
}

func (q *query) logic() string {
	if q.floats {
		return "QF_BVFP"
	}
	return "QF_BV"
}

// order are the words that σ is read from.
func (q *query) order() []sexp {
	list := []sexp{cut}
	for _, t := range q.threads {
		for _, e := range t {
			list = append(list, q.pos(e))
		}
	}
	return list
}

// reordering is the σ of a model.
func (q *query) reordering(model map[sexp]uint64) []int32 {
	var order []int32
	for _, t := range q.threads {
		for _, e := range t {
			if model[q.pos(e)] < model[cut] {
				order = append(order, e)
			}
		}
	}
	slices.SortStableFunc(order, func(e, f int32) int { return cmp.Compare(model[q.pos(e)], model[q.pos(f)]) })
	return order
}
