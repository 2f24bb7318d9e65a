package smt

import (
	"github.com/presage-race/presage/internal/predict/model"
	"github.com/presage-race/presage/internal/trace/format"
)

// conds has the state of Conds. Waiters have tickets, numbered in the order of the queue. The
// tickets below a number d are notified: a Signal raises d by one while there are waiters, a
// Broadcast raises it to the number of tickets. A waiter that leaves the queue has been notified,
// so the order of the other tickets stays.
type conds struct {
	ev     *events
	script *script
	pos    *positions
}

// cond is (N).
func (cd *conds) cond(i int32, e *model.Event) {
	first := cd.firstTickets(e.Obj)
	waits := cd.ev.operations(e.Obj, ofKind(format.CondWait))
	wakes := cd.ev.operations(e.Obj, func(f *model.Event) bool { return f.Kind == format.CondSignal || f.Kind == format.CondBroadcast })
	width := widthFor(len(first) + len(waits))
	tickets := func(f int32) sexp { return cd.pos.count(len(first), waits, f, width) }
	notified := func(f int32) sexp { return name("d", f) }
	switch e.Kind {
	case format.CondSignal, format.CondBroadcast:
		cd.notify(i, wakes, width, tickets)
	case format.CondWake:
		mine, waiting := cd.ticket(i, e, first, width, tickets)
		if waiting == notYet {
			var some []sexp
			for _, f := range wakes {
				some = append(some, and(cd.pos.before(f, i), less(mine, cd.script.declare(notified(f), bitVec(width)))))
			}
			cd.pos.require(i, or(some...))
		}
		cd.pos.require(i, truth(waiting != notAtAll))
	case format.CondWait:
		if _, waiting := cd.ticket(i, e, first, width, tickets); waiting != notAtAll {
			cd.script.giveUp("a goroutine waits twice on one Cond")
		}
	}
}

// notify defines d after Signal or Broadcast i.
func (cd *conds) notify(i int32, wakes []int32, width int, tickets func(int32) sexp) {
	d, before := cd.script.declare(name("d", i), bitVec(width)), cd.script.declare(name("db", i), bitVec(width))
	reached := []sexp{eq(before, num(0, width))}
	for _, f := range wakes {
		earlier := cd.pos.before(f, i)
		if earlier == no {
			continue
		}
		df := cd.script.declare(name("d", f), bitVec(width))
		cd.pos.require(i, implies(earlier, not(less(before, df))))
		reached = append(reached, and(earlier, eq(before, df)))
	}
	cd.pos.require(i, or(reached...))
	all := tickets(i)
	if cd.ev.w.Events[i].Kind == format.CondBroadcast {
		cd.pos.require(i, eq(d, all))
		return
	}
	cd.pos.require(i, eq(d, ite(less(before, all), apply("bvadd", before, num(1, width)), before)))
}

// waiting is the state of a thread at a Cond, as far as program order determines it.
type waiting int

const (
	notAtAll waiting = iota
	notYet           // it waits for a notification
	notifiedAtStart
)

// firstTickets are the threads that wait at the start and are not notified, in order.
func (cd *conds) firstTickets(o model.Obj) []model.Thread {
	var list []model.Thread
	for _, w := range cd.ev.w.Init[o].Waiters {
		if !w.Notified {
			list = append(list, w.Thread)
		}
	}
	return list
}

// ticket is the ticket of i's thread directly before i.
func (cd *conds) ticket(i int32, e *model.Event, first []model.Thread, width int, tickets func(int32) sexp) (sexp, waiting) {
	for f := cd.ev.prev[i]; f != none; f = cd.ev.prev[f] {
		switch p := &cd.ev.w.Events[f]; {
		case p.Kind == format.CondWait && p.Obj == e.Obj:
			return tickets(f), notYet
		case p.Kind == format.CondWake && p.Obj == e.Obj:
			return "", notAtAll
		}
	}
	n := 0
	state := notAtAll
	mine := sexp("")
	for _, w := range cd.ev.w.Init[e.Obj].Waiters {
		if w.Thread != e.Thread {
			continue
		}
		if n++; n > 1 {
			cd.script.giveUp("a goroutine waits twice on one Cond")
		}
		if state = notifiedAtStart; !w.Notified {
			state = notYet
		}
	}
	for k, t := range first {
		if t == e.Thread {
			mine = num(uint64(k), width)
		}
	}
	return mine, state
}
