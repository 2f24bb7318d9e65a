package window

import (
	"math/bits"

	"github.com/presage-race/presage/internal/predict/built"
	"github.com/presage-race/presage/internal/predict/expr"
	"github.com/presage-race/presage/internal/predict/model"
	"github.com/presage-race/presage/internal/trace/format"
)

// resolver knows what reads of the trace are in the window: which events must be intact for them to
// return what they returned, and what they return as a function of events.
type resolver struct {
	*graph
	// by record: the reads that must be intact for this read's value to be
	src      [][]int32
	contents []*built.Content // by record: what this read returns, in a symbolic walk
	terms    expr.Replacer    // by contents
	open     int64            // what reads from this number on return is not settled yet
	base     int              // record of the first step of the alternative at hand

	marks  []uint32 // by event: the last collection that has it
	mark   uint32
	asked  []int64 // the last argument of resolve, and its result
	answer []int32
}

func newResolver(g *graph) *resolver {
	m := &resolver{graph: g, src: make([][]int32, len(g.recs))}
	m.terms.With = m.read
	return m
}

// learn notes a piece of what the read i returns.
func (m *resolver) learn(i int, mask uint8, is *expr.Expr) {
	if !m.b.opt.Symbolic {
		return
	}
	for len(m.contents) < len(m.recs) {
		m.contents = append(m.contents, nil)
	}
	if m.contents[i] == nil {
		m.contents[i] = &built.Content{}
	}
	m.contents[i].Pieces = append(m.contents[i].Pieces, built.Piece{Mask: mask, Is: is})
}

// learnEvent notes that a piece is what event n sees, v in the recorded run.
func (m *resolver) learnEvent(i int, mask uint8, n int32, v uint64) {
	if m.b.opt.Symbolic {
		m.learn(i, mask, expr.NewRead(int64(n), int64(bits.OnesCount8(mask)), m.plain(v)))
	}
}

// term makes an expression over trace events one over events of the window; nil if a read is not
// known.
func (m *resolver) term(e *expr.Expr) *expr.Expr { return m.terms.Replace(e, m.open) }

// read is what a Read of a trace event becomes.
func (m *resolver) read(r *expr.Expr) *expr.Expr {
	recorded, _ := r.Recorded()
	i := m.recordOf(r.Number())
	switch {
	case i < 0: // before the window
		return expr.Word(recorded)
	case int(i) < len(m.contents) && m.contents[i] != nil:
		return m.contents[i].Word(built.ReadMask(&m.recs[i].Event))
	case len(m.src[i]) == 0: // it rests on nothing of the window
		return expr.Word(recorded)
	}
	return nil
}

// mix finds the names of the window that share their word with another object (Names.Strange): one
// that another Alloc of the window made in the same place, or that was there before the first.
func (m *graph) mix() {
	if len(m.names) == 0 {
		return
	}
	// allocs in whose place there was something that the window knows of
	old := make(map[int32]bool)
	note := func(v uint64) {
		if v >= 4096 && v < 1<<48 {
			if k := m.lastAlloc(v, 1); k >= 0 {
				old[k] = true
			}
		}
	}
	for i := range m.w.Events {
		note(m.w.Events[i].Val)
		note(m.w.Events[i].Aux)
	}
	for i := range m.w.Init {
		note(m.w.Init[i].Val)
		for _, v := range m.w.Init[i].Queue {
			note(v)
		}
	}
	for p, name := range m.names {
		n := 0
		for _, list := range [][]int32{m.allocIn[p[0]>>carryPageShift], m.bigs} {
			for _, k := range list {
				if s := m.allocs[k]; p[0]-s.addr < s.size {
					n++
					if old[k] {
						n++
					}
				}
			}
		}
		if n > 1 {
			m.w.Names.Mixed[name] = true
		}
	}
}

// guard makes a Pin of a record's guards (V, P). One that has no term makes its reads needed.
func (m *resolver) guard(i int, r *record, t *thread) {
	var deps []int32
	var guards []model.Guard
	for _, g := range r.guards {
		if e := m.term(g.Term); e != nil {
			switch v, ok := e.Recorded(); {
			case e.IsConst() && v == g.Want:
				continue
			case ok && v == g.Want:
				if t := model.NewTerm(e); t.Copies() {
					// needed as such: a pointer is the object, not the number
					deps = model.Union(deps, t.Reads())
				} else {
					guards = append(guards, model.Guard{Term: t, Want: g.Want})
				}
				continue
			}
		}
		deps = model.Union(deps, m.resolve(numbers(g.Term)))
	}
	if len(deps) > 0 || len(guards) > 0 {
		m.add(t, i, model.Event{Kind: model.Pin, Obj: -1, Deps: deps, Guards: guards})
	}
}

// numbers are the trace indexes of the reads of an expression.
func numbers(e *expr.Expr) []int64 {
	list := make([]int64, len(e.Reads()))
	for i, r := range e.Reads() {
		list[i] = r.Number()
	}
	return list
}

// valueOf makes the term of what the write event n stores in the atom of mask; nil if there is
// none, or if it does not amount to what was recorded.
func (m *resolver) valueOf(r *record, n int32, shift uint64, mask uint8) *model.Term {
	if r.Value == nil {
		return nil
	}
	e := built.AtomOf(m.term(r.Value), shift, mask)
	if e == nil {
		return nil
	}
	want := m.w.Events[n].Val
	if m.w.Events[n].Kind == format.AtomicRMW {
		want = m.w.Events[n].Aux
	}
	t := model.NewTerm(e)
	if v, ok := m.stores(t); !ok || v != want {
		return nil
	}
	return t
}

// stores is what the term of a write amounts to where its reads see what their events have.
func (m *resolver) stores(t *model.Term) (uint64, bool) {
	if t.Copies() {
		return m.w.Events[t.Reads()[0]].Val, true
	}
	v, ok := t.Expr.Recorded()
	return v, ok && !m.w.Names.Ambiguous(v)
}
