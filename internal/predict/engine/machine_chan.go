package engine

import (
	"github.com/presage-race/presage/internal/predict/model"
	"github.com/presage-race/presage/internal/trace/format"
)

// held returns the number of elements of a channel (with capacity 0: in the slot).
func (m *machine) held(o model.Obj, st *state) int32 {
	return int32(len(m.static.w.Init[o].Queue)+len(st.sends)) - st.got
}

// room returns how many elements fit (MO13, MO14).
func (m *machine) room(o model.Obj) int32 { return max(1, m.static.w.Init[o].Cap) }

func (m *machine) stepSend(x int32, e *model.Event) { // (MO13, MO14)
	st := m.state(e.Obj)
	switch {
	case st.failed:
		return
	case st.closed != notClosed:
		m.failOn(st, ruleClosed, x, st.closed)
		return
	case m.held(e.Obj, st) >= m.room(e.Obj):
		m.failOn(st, ruleFull, x, -1)
		return
	}
	if m.values != nil {
		m.values.seen[x] = m.produced(e, e.Val, true)
	}
	m.element[x] = int32(len(m.static.w.Init[e.Obj].Queue) + len(st.sends))
	st.sends = append(st.sends, x)
	if m.handsOver(e) && !m.isWaiting(e.Partner) {
		m.failOn(st, rulePartner, x, e.Partner)
	}
}

// handsOver reports a send that needs one waiting receiver.
func (m *machine) handsOver(e *model.Event) bool {
	tries := e.Kind == format.ChanSend && e.Flags&format.FlagNonBlocking != 0
	return tries && e.Partner != model.Anyone && m.static.w.Init[e.Obj].Cap == 0
}

// isWaiting reports that p is the next event of its thread.
func (m *machine) isWaiting(p int32) bool {
	return p >= 0 && m.ran[p] != m.run && (m.static.prev[p] < 0 || m.ran[m.static.prev[p]] == m.run)
}

func (m *machine) stepRecv(x int32, e *model.Event) { // (MO13, MO14)
	st := m.state(e.Obj)
	m.intact[x] = true
	if m.values != nil { // until take says more
		m.values.seen[x], m.values.from[x] = word{e.Val, true}, unexplained
	}
	held := m.held(e.Obj, st)
	switch {
	case st.failed:
	case e.Flags&format.FlagClosed != 0:
		if m.values != nil {
			m.values.from[x] = nowhere
		}
		if st.closed == notClosed {
			m.failOn(st, ruleOpen, x, -1)
		} else if held > 0 {
			m.failOn(st, ruleRemaining, x, -1)
		}
	case held <= 0:
		m.failOn(st, ruleEmpty, x, -1)
	default:
		m.take(x, e, st)
	}
}

// take removes the oldest element.
func (m *machine) take(x int32, e *model.Event, st *state) {
	queue := m.static.w.Init[e.Obj].Queue
	k := int(st.got)
	st.got++
	if k < len(queue) {
		m.met(x, word{queue[k], true}, ruleElement, -1)
		return
	}
	y := st.sends[k-len(queue)]
	send := &m.static.w.Events[y]
	if m.handsOver(send) && send.Partner != x {
		m.failOn(st, ruleStolen, x, y)
		return
	}
	if m.static.w.Init[e.Obj].Cap == 0 && m.readyCase(x) != patient && m.readyCase(y) != patient {
		m.failOn(st, ruleImpatient, x, y)
		return
	}
	m.met(x, m.sent(y, send), ruleElement, y)
}

const (
	patient   = -1
	impatient = -2
)

// readyCase returns a ready case of the select that x belongs to, or that x is
// patient, or that it never waits.
func (m *machine) readyCase(x int32) int {
	e := &m.static.w.Events[x]
	if e.Flags&format.FlagNonBlocking != 0 {
		return impatient
	}
	for i, c := range e.Cases {
		if m.ready(c) {
			return i
		}
	}
	return patient
}

// ready reports that a case could be chosen (MO15).
func (m *machine) ready(c model.Case) bool {
	st := m.state(c.Chan)
	n, size := m.held(c.Chan, st), m.static.w.Init[c.Chan].Cap
	return !st.failed && (st.closed != notClosed || c.Send && n < size || !c.Send && n > 0)
}

func (m *machine) stepClose(x int32, e *model.Event) { // (MO13, MO14)
	st := m.state(e.Obj)
	switch {
	case st.failed:
	case st.closed != notClosed:
		m.failOn(st, ruleClosed, x, st.closed)
	case m.static.w.Init[e.Obj].Cap == 0 && m.held(e.Obj, st) > 0:
		m.failOn(st, ruleRemaining, x, -1)
	default:
		st.closed = x
	}
}

func (m *machine) stepLen(x int32, e *model.Event) { // (MO15)
	st := m.state(e.Obj)
	m.intact[x] = true
	if m.values != nil {
		m.values.seen[x], m.values.from[x] = word{e.Val, true}, unexplained
	}
	if !st.failed {
		m.met(x, word{uint64(m.length(e.Obj, st)), true}, ruleLen, nowhere)
	}
}

// length is what len(channel) is: an unbuffered channel has no elements.
func (m *machine) length(o model.Obj, st *state) int32 {
	if m.static.w.Init[o].Cap == 0 {
		return 0
	}
	return m.held(o, st)
}

func (m *machine) stepDefault(x int32, e *model.Event) { // (MO15)
	for i, c := range e.Cases {
		if m.ready(c) {
			m.failOn(m.state(c.Chan), ruleReady, x, int32(i))
		}
	}
}
