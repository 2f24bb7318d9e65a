package window

import (
	"math/bits"
	"slices"

	"github.com/presage-race/presage/internal/predict/built"
	"github.com/presage-race/presage/internal/predict/expr"
	"github.com/presage-race/presage/internal/predict/flow"
	"github.com/presage-race/presage/internal/predict/model"
	"github.com/presage-race/presage/internal/trace/format"
)

// resolver maps reads of the trace to the window: to the events that must be intact for a read to
// return what it returned, and to what the read returns as a function of events.
type resolver struct {
	*graph
	// src are, by record, the events that must be intact for a read to return what it returned.
	src      [][]int32
	contents []*built.Content // by record: what this read returns, in a symbolic walk
	terms    expr.Replacer    // by contents
	open     int64            // reads from this number on may still get pieces
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

// learn notes a piece of what read i returns.
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

// learnEvent notes that a piece is what event n sees, which is v in the recorded run.
func (m *resolver) learnEvent(i int, mask uint8, n int32, v uint64) {
	if m.b.opt.Symbolic {
		m.learn(i, mask, expr.NewRead(int64(n), int64(bits.OnesCount8(mask)), m.plain(v)))
	}
}

// term turns an expression over reads of the trace into one over events of the window, nil if a
// read has no term.
func (m *resolver) term(e *expr.Expr) *expr.Expr { return m.terms.Replace(e, m.open) }

// read returns what a read of the trace becomes in a term.
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

// guard makes a Pin of the guards of a record (MO6, MO11). If a guard has no
// term, its reads are needed.
func (m *resolver) guard(i int, r *record, t *thread) {
	var deps []int32
	var guards []model.Guard
	for _, g := range r.guards {
		if e := m.term(g.Term); e != nil {
			switch v, ok := e.Recorded(); {
			case e.IsConst() && v == g.Want:
				continue
			case ok && v == g.Want:
				// needed as such: a pointer is the object, not the number
				if t := model.NewTerm(e); t.Copies() {
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

// valueOf makes the term of what write event n stores in the atom of mask. It is nil if there is
// none, or if it does not evaluate to the recorded value.
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

// stores evaluates the term of a write where its reads see what their events have.
func (m *resolver) stores(t *model.Term) (uint64, bool) {
	if t.Copies() {
		return m.w.Events[t.Reads()[0]].Val, true
	}
	v, ok := t.Expr.Recorded()
	return v, ok && !m.w.Names.Ambiguous(v)
}

// pin makes a Pin of the needs of a record, if it has any (MO6).
func (m *resolver) pin(i int, r *record, t *thread) int32 {
	if deps := m.resolve(r.Needs); len(deps) > 0 {
		return m.add(t, i, model.Event{Kind: model.Pin, Obj: -1, Deps: deps})
	}
	return -1
}

// resolve turns trace indexes of reads into the events that must be intact. Reads before the window
// return what they returned. The result is shared and must not be changed: all reads of elements
// that were copied together have the same list.
func (m *resolver) resolve(reads []int64) []int32 {
	if len(reads) == 0 {
		return nil
	}
	if equal(reads, m.asked) {
		return m.answer
	}
	var one, out []int32 // one: what out will begin with, while that is all
	for _, x := range reads {
		i := m.recordOf(x)
		if i < 0 || len(m.src[i]) == 0 {
			continue
		}
		list := m.src[i]
		switch {
		case one == nil:
			one = list
			continue
		case same(list, one):
			continue
		case out == nil:
			m.mark++
			out = m.collect(out, one)
		}
		out = m.collect(out, list)
		one = list
	}
	if out == nil {
		out = one
	} else {
		slices.Sort(out)
		out = slices.Clip(out)
	}
	if len(reads) > 1 {
		m.asked, m.answer = reads, out
	}
	return out
}

func same(a, b []int32) bool { return len(a) == len(b) && &a[0] == &b[0] }

func equal(a, b []int64) bool {
	return len(a) == len(b) && len(a) > 0 && (&a[0] == &b[0] || slices.Equal(a, b))
}

// collect appends the events of list that are not in out, which has been collected since m.mark
// changed.
func (m *resolver) collect(out, list []int32) []int32 {
	for len(m.marks) < len(m.w.Events) {
		m.marks = append(m.marks, 0)
	}
	for _, n := range list {
		if m.marks[n] != m.mark {
			m.marks[n] = m.mark
			out = append(out, n)
		}
	}
	return out
}

// pass notes that the value of read i depends on deps, from which its content was computed.
func (m *resolver) pass(i int, deps []int32) {
	switch {
	case len(deps) == 0:
	case len(m.src[i]) == 0:
		m.src[i] = deps[:len(deps):len(deps)]
	default:
		m.src[i] = model.Union(m.src[i], deps)
	}
	if k := len(m.asked); k > 0 && (m.asked[k-1] >= m.recs[i].Index || m.recs[i].Event.Kind == format.AtomicRMW) {
		m.asked = nil
	}
}

// recordOf is [buffer.recordOf] with the reads of the alternative at hand.
func (m *resolver) recordOf(x int64) int32 {
	if x >= flow.AlternativeBase {
		return int32(m.base) + int32(x-flow.AlternativeBase)
	}
	return m.b.recordOf(x)
}

// source notes that event n is what record i, a read of an alternative, sees of the bytes of mask.
func (m *resolver) source(i int, mask uint8, n int32) {
	for len(m.src) < len(m.recs) {
		m.src = append(m.src, nil)
	}
	if len(m.contents) > i && m.contents[i] != nil && int64(n) <= m.contents[i].Pieces[0].Is.Number() {
		m.contents[i], m.src[i] = nil, nil
	}
	m.src[i] = append(m.src[i], n)
	m.learnEvent(i, mask, n, m.w.Events[n].Val)
}

// conditions returns the guards of a step. ok is false if one of them has no term and its reads are
// in the window, or never holds.
func (m *resolver) conditions(list []flow.Guard) (guards []model.Guard, ok bool) {
	for _, g := range list {
		e := m.term(g.Term)
		if e != nil && !e.IsConst() {
			guards = append(guards, model.Guard{Term: model.NewTerm(e), Want: g.Want})
			continue
		}
		if e == nil {
			if e = g.Term; len(m.resolve(numbers(e))) > 0 {
				return nil, false
			}
		}
		if v, ok := e.Recorded(); !ok || v != g.Want {
			return nil, false
		}
	}
	return guards, true
}
