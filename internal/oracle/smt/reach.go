package smt

import (
	"github.com/presage-race/presage/internal/predict/model"
	"github.com/presage-race/presage/internal/trace/format"
)

// reach has the conditions of e apart from its own semantics: its thread can be there (MO2, MO4,
// U), and the reads and guards that it depends on are as recorded (MO6, V).
func (q *query) reach(i int32) {
	e := &q.ev.w.Events[i]
	t := e.Thread
	prev := q.ev.prev[i]
	q.pos.require(i, truth(!e.Never))                                        // (MO7)
	q.pos.require(i, truth(!e.Last || q.ev.racing(i)))                       // (MO8)
	if g := q.ev.starter[t]; g != none && (prev == none || q.ev.racing(i)) { // (MO2)
		q.pos.require(i, q.pos.before(g, i))
	}
	if q.ev.racing(i) && prev != none { // (MO1)
		q.pos.require(i, q.pos.inSigma(prev))
	}
	for _, x := range q.ev.w.Edges { // (MO4)
		if x.To == i && !(x.Weak && q.ev.racing(i)) {
			q.pos.require(i, q.pos.before(x.From, i))
		}
	}
	q.conditional(i)
	q.pos.require(i, not(q.blocked(t, prev, i)))
	for _, d := range e.Deps {
		q.pos.require(i, q.reads.intact(d))
	}
	if q.ev.racing(i) { // (MO10)
		for _, d := range e.Where {
			q.pos.require(i, q.reads.intact(d))
		}
	}
	for k := range e.Guards {
		q.guard(i, k)
	}
}

// conditional is (MO9), as a condition of the first of the two events.
func (q *query) conditional(i int32) {
	for _, c := range q.ev.w.Orders {
		if c.From != i || !q.ev.member[i] || !q.ev.member[c.To] || !q.ev.member[c.If] {
			continue
		}
		q.pos.require(i, implies(and(q.pos.inSigma(c.If), q.pos.inSigma(c.To)), q.pos.before(i, c.To)))
	}
}

// blocked is "thread t, after its event last, waits in a slot at e" (U).
func (q *query) blocked(t model.Thread, last, e int32) sexp {
	var full []sexp
	if last == none {
		for _, o := range q.ev.slots[t] {
			full = append(full, eq(q.chans.received(o, e), q.chans.index(o, 0)))
		}
	} else if s := &q.ev.w.Events[last]; s.Kind == format.ChanSend && q.ev.w.Init[s.Obj].Cap == 0 {
		full = append(full, not(less(q.chans.place(last), q.chans.received(s.Obj, e))))
	}
	return or(full...)
}

// join is (MO3).
func (q *query) join(i int32, e *model.Event) {
	u := model.Thread(e.Obj)
	last := q.ev.last[u]
	if last != none {
		q.pos.require(i, q.pos.before(last, i))
		if !q.ev.member[last] {
			return
		}
	}
	q.pos.require(i, not(q.blocked(u, last, i)))
}

// race has the conditions of the race: after σ both accesses are next, and one of them writes.
func (q *query) race() {
	a, b := q.ev.pair.A, q.ev.pair.B
	q.reach(a)
	q.reach(b)
	if q.ev.w.Events[a].Kind != format.AtomicRMW {
		a, b = b, a
	}
	swap := &q.ev.w.Events[a]
	if swap.Kind == format.AtomicRMW && q.ev.w.Events[b].Kind == format.Read {
		v := q.mem.content(swap.Obj, none)
		q.script.assert(and(v.known, eq(v.val, word64(swap.Val))))
	}
}
