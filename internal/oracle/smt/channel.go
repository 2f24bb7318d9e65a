package smt

import (
	"strconv"

	"github.com/presage-race/presage/internal/predict/model"
	"github.com/presage-race/presage/internal/trace/format"
)

// channels has the state of channels at an event: how many elements have been sent, those in the
// channel at the start included; how many have been received; and whether it is closed. Elements
// are numbered. The slot of an unbuffered channel is a queue for one.
type channels struct {
	ev     *events
	script *script
	pos    *positions
}

func isSend(e *model.Event) bool { return e.Kind == format.ChanSend }

// takes reports whether e removes an element.
func takes(e *model.Event) bool { return e.Kind == format.ChanRecv && e.Flags&format.FlagClosed == 0 }

// index is n as a word of the width that the numbers of elements have.
func (ch *channels) index(o model.Obj, n int) sexp { return num(uint64(n), ch.channelWidth(o)) }

func (ch *channels) channelWidth(o model.Obj) int {
	in := &ch.ev.w.Init[o]
	return widthFor(len(in.Queue) + len(ch.ev.operations(o, isSend)) + len(ch.ev.operations(o, takes)) + int(in.Cap))
}

func (ch *channels) sent(o model.Obj, e int32) sexp {
	width := ch.channelWidth(o)
	x := ch.pos.count(len(ch.ev.w.Init[o].Queue), ch.ev.operations(o, isSend), e, width)
	return ch.script.define(name("s", int32(o), e), bitVec(width), x)
}

func (ch *channels) received(o model.Obj, e int32) sexp {
	width := ch.channelWidth(o)
	return ch.script.define(name("r", int32(o), e), bitVec(width), ch.pos.count(0, ch.ev.operations(o, takes), e, width))
}

// place is the number of the element that a send sends.
func (ch *channels) place(send int32) sexp { return ch.sent(ch.ev.w.Events[send].Obj, send) }

func (ch *channels) empty(o model.Obj, e int32) sexp { return eq(ch.sent(o, e), ch.received(o, e)) }

func (ch *channels) closed(o model.Obj, e int32) sexp {
	list := []sexp{truth(ch.ev.w.Init[o].Closed)}
	for _, c := range ch.ev.operations(o, ofKind(format.ChanClose)) {
		list = append(list, ch.pos.before(c, e))
	}
	return or(list...)
}

// room is "fewer than n elements".
func (ch *channels) room(o model.Obj, e int32) sexp {
	return less(ch.sent(o, e), apply("bvadd", ch.received(o, e), ch.index(o, max(1, int(ch.ev.w.Init[o].Cap)))))
}

// send is (C) and (U), sending.
func (q *query) send(i int32, e *model.Event) {
	q.pos.require(i, and(not(q.chans.closed(e.Obj, i)), q.chans.room(e.Obj, i)))
	if q.ev.unbuffered(e.Obj) && e.Flags&format.FlagNonBlocking != 0 && e.Partner != model.Anyone {
		q.pos.require(i, q.chans.waits(e.Partner, i))
	}
}

// waits is "r is the next event of its thread at e".
func (ch *channels) waits(r, e int32) sexp {
	if r < 0 || !ch.ev.member[r] {
		// an event after an access of the pair is never next
		return no
	}
	come := yes
	if p := ch.ev.prev[r]; p != none {
		come = ch.pos.before(p, e)
	}
	return and(come, not(ch.pos.before(r, e)))
}

// recv is (C) and (U), receiving.
func (q *query) recv(i int32, e *model.Event) {
	o := e.Obj
	switch {
	case !takes(e):
		q.pos.require(i, and(q.chans.closed(o, i), q.chans.empty(o, i)))
		q.reads.sees(i, yes, constant(e.Val))
	default:
		q.pos.require(i, not(q.chans.empty(o, i)))
		q.take(i, e)
	}
	q.strict(i, e)
}

// take is the element that receive i removes: the one with the number of i, of those at the start
// or of a send before i.
func (q *query) take(i int32, e *model.Event) {
	o := e.Obj
	mine := q.chans.received(o, i)
	for k, v := range q.ev.w.Init[o].Queue {
		q.reads.sees(i, eq(mine, q.chans.index(o, k)), constant(v))
	}
	for _, s := range q.ev.operations(o, isSend) {
		sent := q.pos.before(s, i)
		if sent == no {
			continue
		}
		taken := and(sent, eq(mine, q.chans.place(s)))
		send := &q.ev.w.Events[s]
		q.reads.sees(i, taken, q.mem.produced(s, send.Val, q.reads.allIntact(send.ValDeps)))
		if q.ev.unbuffered(o) {
			q.pos.require(i, implies(taken, and(q.chans.meant(s, i), or(q.chans.patient(s, i, o), q.chans.patient(i, i, o)))))
		}
	}
}

// meant reports whether receive r may receive what s sends: a non-blocking send may have one
// Partner.
func (ch *channels) meant(s, r int32) sexp {
	e := &ch.ev.w.Events[s]
	return truth(e.Flags&format.FlagNonBlocking == 0 || e.Partner == r || e.Partner == model.Anyone)
}

// patient is "x could have waited at receive r" (U): it is blocking, and none of the other cases of
// its select is ready at r, after the slot of o is emptied.
func (ch *channels) patient(x, r int32, o model.Obj) sexp {
	e := &ch.ev.w.Events[x]
	if e.Flags&format.FlagNonBlocking != 0 {
		return no
	}
	var list []sexp
	for _, c := range e.Cases {
		if c.Chan == o {
			list = append(list, not(ch.closed(o, r)))
		} else {
			list = append(list, not(ch.ready(c, r)))
		}
	}
	return and(list...)
}

// ready is (S) for a case at e.
func (ch *channels) ready(c model.Case, e int32) sexp {
	closed := ch.closed(c.Chan, e)
	switch {
	case !c.Send:
		return or(closed, not(ch.empty(c.Chan, e)))
	case ch.ev.unbuffered(c.Chan):
		return closed
	}
	return or(closed, ch.room(c.Chan, e))
}

func (q *query) selectDefault(i int32, e *model.Event) {
	for _, c := range e.Cases {
		q.pos.require(i, not(q.chans.ready(c, i)))
	}
}

// close is (C) and (U), closing.
func (q *query) close(i int32, e *model.Event) {
	q.pos.require(i, not(q.chans.closed(e.Obj, i)))
	if q.ev.unbuffered(e.Obj) {
		q.pos.require(i, q.chans.empty(e.Obj, i))
	}
}

// length is the ChanLen of (S).
func (q *query) length(i int32, e *model.Event) {
	n := word64(0)
	if !q.ev.unbuffered(e.Obj) {
		x := apply("bvsub", q.chans.sent(e.Obj, i), q.chans.received(e.Obj, i))
		n = apply("(_ zero_extend "+strconv.Itoa(64-q.chans.channelWidth(e.Obj))+")", x)
	}
	q.reads.sees(i, yes, value{n, yes})
	q.strict(i, e)
}
