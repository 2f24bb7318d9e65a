package smt

import (
	"fmt"

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
	Why     string  // of Unknown: a reason that callers count
}

// Options are the limits of a Solver. The zero value is the recommended setting.
type Options struct {
	// Events is the largest number of events that σ may have; beyond it the pair is Unknown.
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

// Solve decides whether the pair races. An error is one of the process, not a verdict on the pair.
func (s *Solver) Solve(p model.Pair) (Result, error) {
	if !conflict(&s.w.Events[p.A], &s.w.Events[p.B]) {
		return Result{Verdict: NoRace}, nil
	}
	q := newQuery(s.w, p)
	if q.ev.size() > s.opt.Events {
		return Result{Why: "too many events"}, nil
	}
	q.encode()
	if q.script.unsupported != "" {
		return Result{Why: q.script.unsupported}, nil
	}
	sat, model, err := s.p.solve(q.script.logic(), q.pos.declarations()+q.script.text.String(), q.pos.words())
	switch {
	case err == errTime:
		return Result{Why: err.Error()}, nil
	case err != nil:
		return Result{}, fmt.Errorf("pair %d %d: %w", p.A, p.B, err)
	case !sat:
		return Result{Verdict: NoRace}, nil
	}
	return Result{Verdict: Race, Order: q.pos.reordering(model)}, nil
}

// Text is the query for a pair, for reading. The error says why there is none.
func Text(w *model.Window, p model.Pair) (string, error) {
	q := newQuery(w, p)
	if q.encode(); q.script.unsupported != "" {
		return "", fmt.Errorf("pair %d %d: %s", p.A, p.B, q.script.unsupported)
	}
	return fmt.Sprintf("(set-logic %s)\n%s%s(check-sat)\n", q.script.logic(), q.pos.declarations(), &q.script.text), nil
}

// conflict reports whether two accesses may race in some order.
func conflict(a, b *model.Event) bool {
	return a.Kind.IsAccess() && b.Kind.IsAccess() && !a.IsText() && !b.IsText() && a.Obj == b.Obj && a.Thread != b.Thread &&
		(a.Kind.IsWrite() || b.Kind.IsWrite()) && !(a.Kind.IsAtomic() && b.Kind.IsAtomic())
}
