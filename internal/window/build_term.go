package window

import (
	"slices"

	"presage/internal/trace/format"
)

// content is what a Read event of the trace returns, put together from what is in the
// window: an atom that is shared is what its event sees, one that is not has the
// content that its goroutine wrote. Nil is not known: there, reads must be intact.
type content struct {
	pieces []piece
}

// piece is one atom of a read.
type piece struct {
	mask  uint8
	event int32     // the read of a shared atom, -1: not shared
	value *termOf   // not shared: what was written, if that changes
	atom  valueMask // and which part of it
	bits  uint64    // neither: the recorded bits
}

// valueMask says where an atom stands in the word that an access wrote.
type valueMask struct {
	shift uint64
	mask  uint8
}

func (v valueMask) of(word uint64) uint64 { return extract(word<<v.shift, v.mask) }

// deposit is the inverse of extract.
func deposit(v uint64, mask uint8) uint64 {
	off := 0
	for mask>>off&1 == 0 {
		off++
	}
	return v << (8 * off) & bitMask(mask)
}

// termOf is a FlowTerm over events of the window: a Term of its raw bits.
type termOf struct {
	flow  FlowTerm
	in    []input // by read of flow
	reads []int32
	size  int
	m     *maker
}

// input is one read of a FlowTerm: its content, or a constant.
type input struct {
	content *content
	shift   uint64
	bytes   uint16
	bits    uint64
}

// maxTermOf bounds the inputs of a term and of the terms it is made of.
const maxTermOf = 512

// Reads implements [Term].
func (t *termOf) Reads() []int32 { return t.reads }

// Eval implements [Term].
func (t *termOf) Eval(vals []uint64) (uint64, bool) {
	return t.eval(func(r int32) uint64 {
		i, _ := slices.BinarySearch(t.reads, r)
		return vals[i]
	})
}

func (t *termOf) eval(seen func(int32) uint64) (uint64, bool) {
	words := make([]uint64, len(t.in))
	for i := range t.in {
		w, ok := t.in[i].word(t.m, seen)
		if !ok {
			return 0, false
		}
		words[i] = w
	}
	return t.flow.Eval(words)
}

func (in *input) word(m *maker, seen func(int32) uint64) (uint64, bool) {
	if in.content == nil {
		return in.bits, true
	}
	w := uint64(0)
	for i := range in.content.pieces {
		p := &in.content.pieces[i]
		v := p.bits
		switch {
		case p.event >= 0:
			v = m.plain(seen(p.event))
		case p.value != nil:
			word, ok := p.value.eval(seen)
			if !ok {
				return 0, false
			}
			v = p.atom.of(word)
		}
		w |= deposit(v, p.mask)
	}
	return extract(w, byteMask(in.shift/8, in.bytes)), true
}

// learn notes a piece of what the read i returns; unknown if it is of no use.
func (m *maker) learn(i int, p piece) {
	if !m.b.opt.Symbolic {
		return
	}
	for len(m.contents) < len(m.recs) {
		m.contents = append(m.contents, nil)
	}
	if m.contents[i] == nil {
		m.contents[i] = &content{}
	}
	m.contents[i].pieces = append(m.contents[i].pieces, p)
}

// term makes a FlowTerm one over events; nil if a read is not known.
func (m *maker) term(f FlowTerm) *termOf {
	reads, recorded := f.Reads(), f.Recorded()
	t := &termOf{flow: f, in: make([]input, len(reads)), size: 1 + len(reads), m: m}
	for k, x := range reads {
		t.in[k].bits = recorded[k]
		i := m.recordOf(x)
		if i < 0 { // before the window
			continue
		}
		e := &m.recs[i].e
		if int(i) >= len(m.contents) || m.contents[i] == nil {
			if len(m.src[i]) == 0 {
				continue // it rests on nothing of the window
			}
			return nil
		}
		c := m.contents[i]
		t.in[k] = input{content: c, shift: 8 * (uint64(e.Obj) & 7), bytes: e.Size}
		if !e.Kind.IsAccess() { // a receive
			t.in[k].shift, t.in[k].bytes = 0, 8
		}
		covered := uint8(0)
		for _, p := range c.pieces {
			covered |= p.mask
			switch {
			case p.event >= 0:
				t.reads = append(t.reads, p.event)
			case p.value != nil:
				t.reads = append(t.reads, p.value.reads...)
				t.size += p.value.size
			}
		}
		if need := byteMask(t.in[k].shift/8, t.in[k].bytes); covered&need != need {
			return nil
		}
	}
	slices.Sort(t.reads)
	t.reads = slices.Compact(t.reads)
	if t.size > maxTermOf || len(t.reads) == 0 {
		return nil
	}
	return t
}

// recordedValue evaluates a term with what its reads saw in the recorded run.
func (m *maker) recordedValue(t Term) (uint64, bool) {
	var vals []uint64
	for _, r := range t.Reads() {
		vals = append(vals, m.w.Events[r].Val)
	}
	return t.Eval(vals)
}

// guard makes a Pin of a record's guards (V, P). One that has no term makes its reads needed.
func (m *maker) guard(i int, r *record, t *thread) {
	var deps []int32
	var guards []Guard
	for _, g := range r.guards {
		x := m.term(g.Term)
		if x != nil {
			if v, ok := m.recordedValue(x); ok && v == g.Want {
				guards = append(guards, Guard{x, g.Want})
				continue
			}
		}
		deps = merge(deps, m.resolve(g.Term.Reads()))
	}
	if len(deps) > 0 || len(guards) > 0 {
		m.add(t, i, Event{Kind: Pin, Obj: -1, Deps: deps, Guards: guards})
	}
}

// stored is the value of one atom that a write leaves, as a Term of the window's numbers.
type stored struct {
	*termOf
	atom   valueMask
	direct bool // it is what one read of a whole word sees
}

// Eval implements [Term]. A computed word that points into what the window allocates
// may mean what was there before: it is not known.
func (s *stored) Eval(vals []uint64) (uint64, bool) {
	if s.direct {
		return vals[0], true
	}
	word, ok := s.termOf.Eval(vals)
	v := s.atom.of(word)
	if !ok || s.atom.mask == 0xff && s.m.allocated(v) {
		return 0, false
	}
	return v, true
}

// allocated reports whether v may be an address in memory that the window allocates.
func (m *maker) allocated(v uint64) bool {
	return v >= 4096 && v < 1<<48 && slices.ContainsFunc(m.allocs, func(s span) bool { return v-s.addr < s.size })
}

// storedAs is a term as what a write leaves in an atom.
func (m *maker) storedAs(t *termOf, f FlowTerm, atom valueMask) *stored {
	s := &stored{termOf: t, atom: atom}
	if f.Single() && atom.mask == 0xff && len(t.reads) == 1 && len(t.in) == 1 {
		c := t.in[0].content
		s.direct = c != nil && len(c.pieces) == 1 && c.pieces[0].event >= 0 && c.pieces[0].mask == 0xff
	}
	return s
}

// valueOf makes the term of what the write event n stores in the atom; nil if there is none.
func (m *maker) valueOf(r *record, n int32, atom valueMask) Term {
	if r.value == nil {
		return nil
	}
	t := m.term(r.value)
	if t == nil {
		return nil
	}
	s := m.storedAs(t, r.value, atom)
	e := &m.w.Events[n]
	want := e.Val
	if e.Kind == format.AtomicRMW {
		want = e.Aux
	}
	if v, ok := m.recordedValue(s); !ok || v != want {
		return nil
	}
	return s
}
