package window

import (
	"maps"
	"slices"

	"github.com/presage-race/presage/internal/predict/expr"
)

// A Term is a word that an execution computes from words it has read: the symbolic form of RECIPE's
// trace (seed 000 section III.A). The reads of its expression are events of the window, each
// standing for the plain word (Plain) of what the event sees. Terms are not solved for, they are
// evaluated (rule V).
type Term struct {
	Expr  *expr.Expr
	reads []int32
}

// NewTerm returns the term of an expression over events.
func NewTerm(e *expr.Expr) *Term {
	t := &Term{Expr: e, reads: make([]int32, len(e.Reads()))}
	for i, r := range e.Reads() {
		t.reads[i] = int32(r.Number())
	}
	return t
}

// Reads are the reads it is computed from, ascending. They must not be changed.
func (t *Term) Reads() []int32 { return t.reads }

// Copies reports whether the term is nothing but what a read of a whole word sees: what is stored
// is that, name and all (Names).
func (t *Term) Copies() bool { return t.Expr.Op() == expr.Read && t.Expr.Bytes() == 8 }

// String returns the text form of the expression.
func (t *Term) String() string { return t.Expr.String() }

// A Guard is a condition on what an execution reads: its term must have the value
// that it had in the recorded run, for the event to happen as recorded (V). A branch has the
// word of its condition; a dereferenced pointer is a guard too, the heap invariant of seed 000.
type Guard struct {
	Term *Term
	Want uint64
}

// Names tells the values of a window that are not what the program sees: pointers into memory that
// the window allocates are the object, not the number (docs/model.md, Values). A term computes with
// plain words. So what a write's term amounts to stands for itself, but where it may be such a
// pointer, of which it is not known whether it is meant anew: then the write stores what is not
// known. One that is nothing but a read of a whole word stores what that read sees, name and all.
type Names struct {
	Words map[uint64]uint64 // of values that stand for another word
	// values whose word another object has as well, and values that are nothing but their writer's
	Mixed  map[uint64]bool
	Allocs []Extent // memory that the window allocates
}

// An Extent is a stretch of memory.
type Extent struct{ Addr, Size uint64 }

// Plain is the number that the program sees where an event of the window has the value v.
func (n *Names) Plain(v uint64) uint64 {
	if bits, ok := n.Words[v]; ok {
		return bits
	}
	return v
}

// Ambiguous reports whether the plain word v may be an address in memory that the window allocates.
func (n *Names) Ambiguous(v uint64) bool {
	return v >= 4096 && v < 1<<48 && slices.ContainsFunc(n.Allocs, func(x Extent) bool { return v-x.Addr < x.Size })
}

// Strange reports whether another value of the window, another object, may have the same word as v:
// memory that was allocated anew. A term that computes with words would take the one for the other.
// So a read that sees a strange value tells a term nothing, unless it is the value that its event
// has.
func (n *Names) Strange(v uint64) bool {
	return n.Mixed[v] || n.Ambiguous(v)
}

// Sees is the word with which a term computes where a read, whose event has the value own, sees v.
func (n *Names) Sees(v, own uint64) (word uint64, ok bool) {
	return n.Plain(v), v == own || !n.Strange(v)
}

// EachMixed calls f for the values that stand for another word and are Strange.
func (n *Names) EachMixed(f func(v uint64)) {
	for _, v := range slices.Sorted(maps.Keys(n.Mixed)) {
		f(v)
	}
}

// Each calls f for every value that stands for another word, and that word, in the order of the
// values.
func (n *Names) Each(f func(value, word uint64)) {
	for _, v := range slices.Sorted(maps.Keys(n.Words)) {
		f(v, n.Words[v])
	}
}

// Allocated calls f for the memory that the window allocates.
func (n *Names) Allocated(f func(addr, size uint64)) {
	for _, x := range n.Allocs {
		f(x.Addr, x.Size)
	}
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
