package smt

import (
	"strconv"

	"github.com/presage-race/presage/internal/predict/model"
	"github.com/presage-race/presage/internal/trace/format"
)

// A channel's state at an event is three things: how many elements have been sent, those in it at
// the start among them, how many have been received, and whether it is closed. The elements are
// numbered; a slot is a queue for one.

func isSend(e *model.Event) bool { return e.Kind == format.ChanSend }

// takes reports whether e removes an element.
func takes(e *model.Event) bool { return e.Kind == format.ChanRecv && e.Flags&format.FlagClosed == 0 }

func (q *query) unbuffered(o model.Obj) bool { return q.w.Init[o].Cap == 0 }

// index is a number of elements.
func (q *query) index(o model.Obj, n int) sexp { return num(uint64(n), q.channelWidth(o)) }

func (q *query) channelWidth(o model.Obj) int {
	in := &q.w.Init[o]
	return widthFor(len(in.Queue) + len(q.operations(o, isSend)) + len(q.operations(o, takes)) + int(in.Cap))
}

func (q *query) sent(o model.Obj, e int32) sexp {
	width := q.channelWidth(o)
	x := q.count(len(q.w.Init[o].Queue), q.operations(o, isSend), e, width)
	return q.define(name("s", int32(o), e), bitVec(width), x)
}

func (q *query) received(o model.Obj, e int32) sexp {
	width := q.channelWidth(o)
	return q.define(name("r", int32(o), e), bitVec(width), q.count(0, q.operations(o, takes), e, width))
}

// place is the number of the element that a send sends.
func (q *query) place(send int32) sexp { return q.sent(q.w.Events[send].Obj, send) }

func (q *query) empty(o model.Obj, e int32) sexp { return eq(q.sent(o, e), q.received(o, e)) }

func (q *query) closed(o model.Obj, e int32) sexp {
	list := []sexp{truth(q.w.Init[o].Closed)}
	for _, c := range q.operations(o, ofKind(format.ChanClose)) {
		list = append(list, q.before(c, e))
	}
	return or(list...)
}

// room is "fewer than n elements".
func (q *query) room(o model.Obj, e int32) sexp {
	return less(q.sent(o, e), apply("bvadd", q.received(o, e), q.index(o, max(1, int(q.w.Init[o].Cap)))))
}

// send is (C) and (U), sending.
func (q *query) send(i int32, e *model.Event) {
	q.require(i, and(not(q.closed(e.Obj, i)), q.room(e.Obj, i)))
	if q.unbuffered(e.Obj) && e.Flags&format.FlagNonBlocking != 0 {
		q.require(i, q.waits(e.Partner, i))
	}
}

// waits is "r is the next event of its thread at e".
func (q *query) waits(r, e int32) sexp {
	if r < 0 || !q.member[r] {
		// (what follows an access of the pair, which is no receive, is never next)
		return no
	}
	come := yes
	if p := q.prev[r]; p != none {
		come = q.before(p, e)
	}
	return and(come, not(q.before(r, e)))
}

// recv is (C) and (U), receiving.
func (q *query) recv(i int32, e *model.Event) {
	o := e.Obj
	switch {
	case !takes(e):
		q.require(i, and(q.closed(o, i), q.empty(o, i)))
		q.sees(i, yes, constant(e.Val))
	default:
		q.require(i, not(q.empty(o, i)))
		q.take(i, e)
	}
	q.strict(i, e)
}

// take says which element receive i removes: of those at the start, or of a send before it, the one
// with its number.
func (q *query) take(i int32, e *model.Event) {
	o := e.Obj
	mine := q.received(o, i)
	for k, v := range q.w.Init[o].Queue {
		q.sees(i, eq(mine, q.index(o, k)), constant(v))
	}
	for _, s := range q.operations(o, isSend) {
		sent := q.before(s, i)
		if sent == no {
			continue
		}
		taken := and(sent, eq(mine, q.place(s)))
		send := &q.w.Events[s]
		q.sees(i, taken, q.produced(s, send.Val, q.allIntact(send.ValDeps)))
		if q.unbuffered(o) {
			q.require(i, implies(taken, and(q.meant(s, i), or(q.patient(s, i, o), q.patient(i, i, o)))))
		}
	}
}

// meant is false if what the non-blocking send s sends is for another receive.
func (q *query) meant(s, r int32) sexp {
	e := &q.w.Events[s]
	return truth(e.Flags&format.FlagNonBlocking == 0 || e.Partner == r)
}

// patient is "none of the other cases of x's select is ready at receive r, after the slot of o is
// empty" (U).
func (q *query) patient(x, r int32, o model.Obj) sexp {
	e := &q.w.Events[x]
	if e.Flags&format.FlagNonBlocking != 0 {
		return no
	}
	var list []sexp
	for _, c := range e.Cases {
		if c.Chan == o {
			list = append(list, not(q.closed(o, r)))
		} else {
			list = append(list, not(q.ready(c, r)))
		}
	}
	return and(list...)
}

// ready is (S) for a case at e.
func (q *query) ready(c model.Case, e int32) sexp {
	closed := q.closed(c.Chan, e)
	switch {
	case !c.Send:
		return or(closed, not(q.empty(c.Chan, e)))
	case q.unbuffered(c.Chan):
		return closed
	}
	return or(closed, q.room(c.Chan, e))
}

func (q *query) selectDefault(i int32, e *model.Event) {
	for _, c := range e.Cases {
		q.require(i, not(q.ready(c, i)))
	}
}

// close is (C) and (U), closing.
func (q *query) close(i int32, e *model.Event) {
	q.require(i, not(q.closed(e.Obj, i)))
	if q.unbuffered(e.Obj) {
		q.require(i, q.empty(e.Obj, i))
	}
}

// length is the ChanLen of (S).
func (q *query) length(i int32, e *model.Event) {
	n := word64(0)
	if !q.unbuffered(e.Obj) {
		x := apply("bvsub", q.sent(e.Obj, i), q.received(e.Obj, i))
		n = apply("(_ zero_extend "+strconv.Itoa(64-q.channelWidth(e.Obj))+")", x)
	}
	q.sees(i, yes, value{n, yes})
	q.strict(i, e)
}
