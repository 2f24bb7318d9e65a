package window

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/presage-race/presage/internal/predict/expr"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// content is what a Read event of the trace returns, put together from what is in the
// window: an atom that is shared is what its event sees, one that is not has the
// content that its goroutine wrote. Nil is not known: there, reads must be intact.
type content struct {
	pieces []piece
}

// piece is one atom of a read: its bytes, shifted down to the lowest, over events of the window.
type piece struct {
	mask uint8
	is   *expr.Expr
}

// first is the lowest byte of a mask, ones their number; a mask is dense if they follow each other.
func first(mask uint8) int64 { return int64(bits.TrailingZeros8(mask)) }
func ones(mask uint8) int64  { return int64(bits.OnesCount8(mask)) }
func dense(mask uint8) bool  { return mask>>first(mask) == 1<<ones(mask)-1 }

// atomOf is the bytes of mask in a word that an access wrote, shift bits up in the aligned one.
func atomOf(word *expr.Expr, shift uint64, mask uint8) *expr.Expr {
	off := first(mask)
	if dense(mask) && off >= int64(shift/8) {
		return expr.PartOf(word, off-int64(shift/8), ones(mask))
	}
	e := expr.Binary(expr.Shl, expr.Uint64, expr.Uint64, word, expr.Word(shift))
	e = expr.Binary(expr.And, expr.Uint64, 0, e, expr.Word(bitMask(mask)))
	return expr.Binary(expr.Shr, expr.Uint64, expr.Uint64, e, expr.Word(uint64(8*off)))
}

// word is what a read of the bytes of mask returns; nil if the pieces do not cover it.
func (c *content) word(mask uint8) *expr.Expr {
	covered := uint8(0)
	tidy := true
	for _, p := range c.pieces {
		covered |= p.mask
		tidy = tidy && dense(p.mask)
	}
	switch {
	case covered != mask:
		return nil
	case len(c.pieces) == 1:
		return c.pieces[0].is
	case tidy:
		return c.concat()
	}
	e := expr.Word(0)
	for _, p := range c.pieces {
		x := expr.Binary(expr.Shl, expr.Uint64, expr.Uint64, p.is, expr.Word(uint64(8*first(p.mask))))
		x = expr.Binary(expr.And, expr.Uint64, 0, x, expr.Word(bitMask(p.mask)))
		e = expr.Binary(expr.Or, expr.Uint64, 0, x, e)
	}
	return atomOf(e, 0, mask)
}

// concat puts dense pieces together, the highest first.
func (c *content) concat() *expr.Expr {
	list := slices.Clone(c.pieces)
	slices.SortFunc(list, func(p, q piece) int { return cmp.Compare(q.mask, p.mask) })
	e := list[0].is
	for _, p := range list[1:] {
		e = expr.Concat(p.is, ones(p.mask), e)
	}
	return e
}

// learn notes a piece of what the read i returns.
func (m *maker) learn(i int, mask uint8, is *expr.Expr) {
	if !m.b.opt.Symbolic {
		return
	}
	for len(m.contents) < len(m.recs) {
		m.contents = append(m.contents, nil)
	}
	if m.contents[i] == nil {
		m.contents[i] = &content{}
	}
	m.contents[i].pieces = append(m.contents[i].pieces, piece{mask, is})
}

// learnEvent notes that a piece is what event n sees, v in the recorded run.
func (m *maker) learnEvent(i int, mask uint8, n int32, v uint64) {
	if m.b.opt.Symbolic {
		m.learn(i, mask, expr.NewRead(int64(n), ones(mask), m.plain(v)))
	}
}

// term makes an expression over trace events one over events of the window; nil if a read is not known.
func (m *maker) term(e *expr.Expr) *expr.Expr { return m.terms.Replace(e, m.open) }

// read is what a Read of a trace event becomes.
func (m *maker) read(r *expr.Expr) *expr.Expr {
	recorded, _ := r.Recorded()
	i := m.recordOf(r.Number())
	switch {
	case i < 0: // before the window
		return expr.Word(recorded)
	case int(i) < len(m.contents) && m.contents[i] != nil:
		return m.contents[i].word(readMask(&m.recs[i].e))
	case len(m.src[i]) == 0: // it rests on nothing of the window
		return expr.Word(recorded)
	}
	return nil
}

// readMask is what an event reads of an aligned word. A receive takes a whole one.
func readMask(e *trace.Event) uint8 {
	if !e.Kind.IsAccess() {
		return 0xff
	}
	return byteMask(uint64(e.Obj)&7, e.Size)
}

// mix finds the names of the window that share their word with another object (Names.Strange): one that another Alloc of the window made in
// the same place, or that was there before the first.
func (m *maker) mix() {
	if len(m.names) == 0 {
		return
	}
	old := make(map[int32]bool) // allocs in whose place there was something that the window knows of
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
			m.w.Names.mixed[name] = true
		}
	}
}

// guard makes a Pin of a record's guards (V, P). One that has no term makes its reads needed.
func (m *maker) guard(i int, r *record, t *thread) {
	var deps []int32
	var guards []Guard
	for _, g := range r.guards {
		if e := m.term(g.Term); e != nil {
			switch v, ok := e.Recorded(); {
			case e.IsConst() && v == g.Want:
				continue
			case ok && v == g.Want:
				if t := NewTerm(e); t.Copies() { // needed as such: a pointer is the object, not the number
					deps = merge(deps, t.reads)
				} else {
					guards = append(guards, Guard{t, g.Want})
				}
				continue
			}
		}
		deps = merge(deps, m.resolve(numbers(g.Term)))
	}
	if len(deps) > 0 || len(guards) > 0 {
		m.add(t, i, Event{Kind: Pin, Obj: -1, Deps: deps, Guards: guards})
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

// valueOf makes the term of what the write event n stores in the atom of mask; nil if there is none, or if it does
// not amount to what was recorded.
func (m *maker) valueOf(r *record, n int32, shift uint64, mask uint8) *Term {
	if r.value == nil {
		return nil
	}
	e := atomOf(m.term(r.value), shift, mask)
	if e == nil {
		return nil
	}
	want := m.w.Events[n].Val
	if m.w.Events[n].Kind == format.AtomicRMW {
		want = m.w.Events[n].Aux
	}
	t := NewTerm(e)
	if v, ok := m.stores(t); !ok || v != want {
		return nil
	}
	return t
}

// stores is what the term of a write amounts to where its reads see what their events have.
func (m *maker) stores(t *Term) (uint64, bool) {
	if t.Copies() {
		return m.w.Events[t.reads[0]].Val, true
	}
	v, ok := t.Expr.Recorded()
	return v, ok && !m.w.Names.Ambiguous(v)
}
