package window

import (
	"github.com/presage-race/presage/internal/predict/expr"
	"github.com/presage-race/presage/internal/trace"
)

// What the checker of alternatives looks up in the window's builder (package witness/stray). All of it holds only while
// the window is being looked at: until the function that the builder emits to returns.

// A Place is where an Obj of a window stands in memory. A location is the bytes of Mask in the word at Addr; other objects
// have no Mask.
type Place struct {
	Addr uint64
	Mask uint8
}

// Places returns the place of each Obj, zero for those without one: versions of contents.
func (b *Built) Places() []Place {
	m := b.m
	out := make([]Place, len(m.w.Init))
	for i := range m.words {
		w := &m.words[i]
		for k := range w.atoms {
			if a := &w.atoms[k]; a.obj >= 0 {
				out[a.obj] = Place{w.addr, a.mask}
			}
		}
	}
	for i := range m.objs {
		if o := &m.objs[i]; o.obj >= 0 {
			out[o.obj] = Place{Addr: uint64(o.key.addr)}
		}
	}
	return out
}

// Term makes a term over reads of the trace one over events of the window. ok is false if that is not known.
func (b *Built) Term(e *expr.Expr) (t *Term, ok bool) {
	if e = b.m.term(e); e == nil {
		return nil, false
	}
	return NewTerm(e), true
}

// Sources returns the events that have to be intact for reads of the trace to return what they returned.
func (b *Built) Sources(reads []int64) []int32 { return b.m.resolve(reads) }

// A Traced is an event of the trace, and how what it writes came about.
type Traced struct {
	*trace.Event
	Index int64
	Value *expr.Expr // of a write: what is written, if it rests on reads
	Rests bool       // it rests on reads, with a Value or without
}

// Trace calls yield for the events of the trace that the window was made of, in order.
func (b *Built) Trace(yield func(r *Traced) bool) {
	for i := range b.m.recs[:b.m.onPath] {
		r := &b.m.recs[i]
		if !yield(&Traced{Event: &r.e, Index: r.index, Value: r.value, Rests: len(r.from) > 0}) {
			return
		}
	}
}
