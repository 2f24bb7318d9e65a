package model

import (
	"maps"
	"slices"

	"github.com/presage-race/presage/internal/predict/expr"
)

// A Term is a word that an execution computes from words it has read: the symbolic form of
// RECIPE's trace. The reads of its expression are events of the window, each standing for the
// plain word (Plain) of what the event sees. Terms are evaluated, not solved for (MO11).
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

// Copies reports whether the term is one read of a whole word. A write of such a term stores the
// value that the read sees, not its plain word (Names).
func (t *Term) Copies() bool { return t.Expr.Op() == expr.Read && t.Expr.Bytes() == 8 }

// String returns the text form of the expression.
func (t *Term) String() string { return t.Expr.String() }

// A Guard is a condition on what an execution reads: its term must have the value that it had in
// the recorded run, for the event to happen as recorded (MO11). The term of a branch is its
// condition; the term of a dereference is its pointer.
type Guard struct {
	Term *Term
	Want uint64
}

// Names translates between the values of a window and the words that the program sees. A pointer
// into memory that the window allocates stands for the object, so its value is not its word
// (docs/theory/model.md, Values).
//
// A term computes with plain words. A write whose term evaluates to a word stores that word as its
// value, with one exception: if the word may be such a pointer, it is unknown which object is
// meant, and the write stores an unknown value. A term that is one read of a whole word passes on
// the value itself.
type Names struct {
	Words  map[uint64]uint64 // the words of values that are not their own word
	Mixed  map[uint64]bool   // values that share their word with another object, or have none
	Allocs []Extent          // memory that the window allocates
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

// Ambiguous reports whether the plain word v may be an address in memory that the window
// allocates.
func (n *Names) Ambiguous(v uint64) bool {
	return v >= 4096 && v < 1<<48 && slices.ContainsFunc(n.Allocs, func(x Extent) bool { return v-x.Addr < x.Size })
}

// Strange reports whether another value of the window may have the same word as v, because memory
// was allocated anew. A term, which computes with words, can not tell the two objects apart. So a
// read that sees a strange value has no word for terms, unless it is the value that its event has.
func (n *Names) Strange(v uint64) bool {
	return n.Mixed[v] || n.Ambiguous(v)
}

// Sees returns the word with which a term computes where a read, whose event has the value own,
// sees v.
func (n *Names) Sees(v, own uint64) (word uint64, ok bool) {
	return n.Plain(v), v == own || !n.Strange(v)
}

// EachMixed calls f for the values in Mixed, in order.
func (n *Names) EachMixed(f func(v uint64)) {
	for _, v := range slices.Sorted(maps.Keys(n.Mixed)) {
		f(v)
	}
}

// Each calls f for every value that is not its own word, and that word, in the order of values.
func (n *Names) Each(f func(value, word uint64)) {
	for _, v := range slices.Sorted(maps.Keys(n.Words)) {
		f(v, n.Words[v])
	}
}

// Allocated calls f for each stretch of memory that the window allocates.
func (n *Names) Allocated(f func(addr, size uint64)) {
	for _, x := range n.Allocs {
		f(x.Addr, x.Size)
	}
}

// Union returns the union of two sorted sets of events. It may share memory with either.
func Union(a, b []int32) []int32 {
	switch {
	case len(b) == 0 || len(a) == len(b) && &a[0] == &b[0]:
		return a
	case len(a) == 0:
		return b
	}
	out := append(slices.Clone(a), b...)
	slices.Sort(out)
	return slices.Compact(out)
}
