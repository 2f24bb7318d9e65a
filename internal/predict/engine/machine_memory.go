package engine

import "github.com/presage-race/presage/internal/predict/model"

// met notes what the read x sees of the write or send y; a needed one must see what it saw.
func (m *machine) met(x int32, see word, r rule, y int32) {
	m.intact[x] = see.known && see.val == m.static.w.Events[x].Val
	if m.values != nil {
		m.values.seen[x], m.values.from[x] = see, y
	}
	if !m.intact[x] && m.needed(x) {
		m.fail(r, x, y)
	}
}

// needed reports that x must be intact: it is strict, or the search assumes so.
func (m *machine) needed(x int32) bool {
	if m.static.w.Events[x].Strict {
		return true
	}
	l := m.reads.needLit[x]
	return l != noLit && m.reads.sat.holds(l)
}

func (m *machine) allIntact(reads []int32) bool {
	for _, r := range reads {
		if !m.intact[r] {
			return false
		}
	}
	return true
}

func (m *machine) stepRead(x int32, e *model.Event) {
	st := m.state(e.Obj)
	m.met(x, st.word, ruleRead, st.writer)
	if m.values != nil {
		if !m.from.agrees(x, st.writer) {
			m.fail(ruleSource, x, st.writer)
		}
	}
}

func (m *machine) stepWrite(x int32, e *model.Event, val uint64, ok bool) {
	st := m.state(e.Obj)
	st.word, st.writer = m.produced(e, val, ok), x
}

// produced is the value that e leaves: the recorded one, if all that it is computed from is intact;
// otherwise that of its term (MO11).
func (m *machine) produced(e *model.Event, recorded uint64, asRecorded bool) word {
	switch {
	case asRecorded && m.allIntact(e.ValDeps):
		return word{recorded, true}
	case e.Value == nil:
		return word{}
	}
	return m.values.stored(e.Value)
}

// sent is the element that the executed send y has left.
func (m *machine) sent(y int32, e *model.Event) word {
	if m.values != nil {
		return m.values.seen[y]
	}
	return word{e.Val, m.allIntact(e.ValDeps)}
}

// guardHolds judges guard number k of x.
func (m *machine) guardHolds(x int32, k int) bool {
	g := &m.static.w.Events[x].Guards[k]
	if m.allIntact(g.Term.Reads()) && m.values.isRegular(x) {
		return true
	}
	v := m.values.evaluate(g.Term)
	return v.known && v.val == g.Want
}
