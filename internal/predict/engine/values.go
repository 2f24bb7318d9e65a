package engine

import (
	"slices"

	"github.com/presage-race/presage/internal/predict/expr"
	"github.com/presage-race/presage/internal/predict/model"
	"github.com/presage-race/presage/internal/trace/format"
)

// word is a value in memory or in a channel; what is not known equals nothing.
type word struct {
	val   uint64
	known bool
}

// values evaluates terms during an execution (MO11).
type values struct {
	w     *model.Window
	seen  []word  // of each executed read and send
	from  []int32 // of each executed read: the write or send it sees, -1: the initial value
	memos map[*model.Term]*memo
	terms expr.Evaluator

	regular []int8 // of each event: isRegular, 0: not computed yet
}

// What from may be besides an event.
const (
	nowhere     = -2 // the value does not depend on the order
	unexplained = -3 // the object has had a violation before
)

func newValues(w *model.Window) *values {
	n := len(w.Events)
	return &values{w: w, seen: make([]word, n), from: make([]int32, n), regular: make([]int8, n), memos: map[*model.Term]*memo{}}
}

// isRegular reports whether the guards of x hold where their reads are intact: in a recorded
// window they do, in a variant they need not.
func (u *values) isRegular(x int32) bool {
	if u.regular[x] == 0 {
		u.regular[x] = 1
		for _, g := range u.w.Events[x].Guards {
			v, ok := u.terms.Eval(g.Term.Expr, func(r int64) (uint64, bool) { return u.w.Names.Plain(u.w.Events[r].Val), true })
			if !ok || v != g.Want {
				u.regular[x] = -1
			}
		}
	}
	return u.regular[x] > 0
}

// hasTerms reports whether anything in the window is evaluated.
func hasTerms(w *model.Window) bool {
	return slices.ContainsFunc(w.Events, func(e model.Event) bool { return len(e.Guards) > 0 || e.Value != nil })
}

// isConstant reports that the write or send e always leaves the same value.
func isConstant(e *model.Event) bool {
	return len(e.ValDeps) == 0 && e.Value == nil && e.Kind != format.AtomicRMW
}

// stored is the value that a write of a term leaves.
func (u *values) stored(t *model.Term) word {
	if t.Copies() {
		return u.seen[t.Reads()[0]]
	}
	v := u.evaluate(t)
	return word{v.val, v.known && !u.w.Names.Ambiguous(v.val)}
}

// memo is the last value of a term. Successive orders of the search differ in few places.
type memo struct {
	seen []word // by read
	word word
}

// maxForgotten is the size up to which terms have no memo.
const maxForgotten = 24

// evaluate computes a term from the plain words that its reads see.
func (u *values) evaluate(t *model.Term) word {
	if t.Expr.Size() <= maxForgotten {
		return u.compute(t)
	}
	m, same := u.memos[t]
	if !same {
		m = &memo{seen: make([]word, len(t.Reads()))}
		u.memos[t] = m
	}
	for i, r := range t.Reads() {
		if now := u.seen[r]; now != m.seen[i] {
			m.seen[i], same = now, false
		}
	}
	if !same {
		m.word = u.compute(t)
	}
	return m.word
}

func (u *values) compute(t *model.Term) word {
	v, ok := u.terms.Eval(t.Expr, func(r int64) (uint64, bool) {
		seen := &u.seen[r]
		w, ok := u.w.Names.Sees(seen.val, u.w.Events[r].Val)
		return w, ok && seen.known
	})
	return word{v, ok}
}
