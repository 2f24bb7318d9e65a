package window

import "slices"

// A Term is a word that an execution computes from words it has read: the symbolic form
// of RECIPE's trace (seed 000 section III.A), of which only two things matter here, what it
// is computed from and what it amounts to. Package program makes terms from the
// program's SSA; nobody solves for them, they are evaluated (rule V).
type Term interface {
	// Reads are the reads it is computed from, as event indexes, ascending.
	Reads() []int32

	// Eval computes the word from the values of Reads, in their order. It is a pure
	// function; ok is false where its value is not known: an operation that is not
	// modelled, a panic, a budget that is spent.
	Eval(reads []uint64) (word uint64, ok bool)
}

// A Guard is a condition on what an execution reads: its term must have the value
// that it had in the recorded run, for the event to happen as recorded (V). A branch has the
// word of its condition; a dereferenced pointer is a guard too, the heap invariant of seed 000.
type Guard struct {
	Term Term
	Want uint64
}

// Causal returns the window as maximal causality has it: no terms, and all that a guard
// rests on must be intact.
func (w *Window) Causal() *Window {
	c := *w
	c.Semantics = NeededReads
	c.Events = slices.Clone(w.Events)
	for i := range c.Events {
		e := &c.Events[i]
		for _, g := range e.Guards {
			e.Deps = merge(e.Deps, g.Term.Reads())
		}
		e.Guards, e.Value = nil, nil
	}
	return &c
}
