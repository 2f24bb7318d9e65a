package smt

import (
	"math/big"
	"math/bits"

	"github.com/presage-race/presage/internal/predict/model"
	"github.com/presage-race/presage/internal/trace/format"
)

// operations are the events on o that σ may contain and that are of some kind.
func (q *query) operations(o model.Obj, is func(*model.Event) bool) []int32 {
	var list []int32
	for _, e := range q.on[o] {
		if is(&q.w.Events[e]) {
			list = append(list, e)
		}
	}
	return list
}

func ofKind(k format.Kind) func(*model.Event) bool {
	return func(e *model.Event) bool { return e.Kind == k }
}

// count is how many events of a list are before e, and from, as a word of some width.
func (q *query) count(from int, list []int32, e int32, width int) sexp {
	var terms []sexp
	for _, f := range list {
		switch c := q.before(f, e); c {
		case no:
		case yes:
			from++
		default:
			terms = append(terms, ite(c, num(1, width), num(0, width)))
		}
	}
	return sum(append(terms, num(uint64(from), width)))
}

// widthFor is the width of a word that holds 0 to n, and one more.
func widthFor(n int) int { return bits.Len(uint(n) + 1) }

// lock is (L). The writer bit and the number of readers are what was taken less what was given
// back.
func (q *query) lock(i int32, e *model.Event) {
	writers, readers := q.holders(e.Obj, i, false), q.holders(e.Obj, i, true)
	shared := e.Flags&format.FlagRead != 0
	switch {
	case e.Kind == format.Lock && shared:
		q.require(i, not(writers))
	case e.Kind == format.Lock:
		q.require(i, and(not(writers), not(readers)))
	case e.Kind == format.Unlock && shared:
		q.require(i, readers)
	case e.Kind == format.Unlock:
		q.require(i, writers)
	case shared: // TryFail
		q.require(i, writers)
	default:
		q.require(i, or(writers, readers))
	}
}

// holders is "somebody holds o at e", in one of the modes.
func (q *query) holders(o model.Obj, e int32, shared bool) sexp {
	in := &q.w.Init[o]
	start := 0
	switch {
	case shared:
		start = int(in.Readers)
	case in.Writer:
		start = 1
	}
	of := func(k format.Kind) []int32 {
		return q.operations(o, func(f *model.Event) bool { return f.Kind == k && f.Flags&format.FlagRead != 0 == shared })
	}
	locks, unlocks := of(format.Lock), of(format.Unlock)
	width := widthFor(start + len(locks) + len(unlocks))
	return not(eq(q.count(start, locks, e, width), q.count(0, unlocks, e, width)))
}

// waitGroup is (W). The counter is as wide as it takes.
func (q *query) waitGroup(i int32, e *model.Event) {
	start := big.NewInt(q.w.Init[e.Obj].Counter)
	most := new(big.Int).Abs(start)
	adds := q.operations(e.Obj, ofKind(format.WGAdd))
	for _, f := range adds {
		most.Add(most, new(big.Int).Abs(big.NewInt(int64(q.w.Events[f].Val))))
	}
	width := most.BitLen() + 1
	delta := func(f int32) sexp { return bigNum(big.NewInt(int64(q.w.Events[f].Val)), width) }
	terms := []sexp{bigNum(start, width)}
	for _, f := range adds {
		if c := q.before(f, i); c != no {
			terms = append(terms, ite(c, delta(f), num(0, width)))
		}
	}
	if e.Kind == format.WGWait {
		q.require(i, eq(sum(terms), num(0, width)))
		return
	}
	q.require(i, apply("bvsge", sum(append(terms, delta(i))), num(0, width)))
}

// once is (O): fresh, running and done are 0, 1 and 2.
func (q *query) once(i int32, e *model.Event) {
	steps := q.operations(e.Obj, func(f *model.Event) bool { return f.Kind == format.OnceBegin || f.Kind == format.OnceEnd })
	start := int(q.w.Init[e.Obj].Once)
	width := widthFor(max(start+len(steps), int(model.OnceDone)))
	want := map[format.Kind]model.OnceState{format.OnceBegin: model.OnceFresh, format.OnceEnd: model.OnceRunning, format.OncePass: model.OnceDone}
	q.require(i, eq(q.count(start, steps, i, width), num(uint64(want[e.Kind]), width)))
}

// cond is (N). Those that wait have tickets, numbered in the order of the queue; notified are the
// tickets below a number d, which a Signal raises by one as long as there is somebody, and a
// Broadcast to the number of tickets. (A waiter that leaves the queue has been notified, so the
// others' tickets keep their order.)
func (q *query) cond(i int32, e *model.Event) {
	first := q.firstTickets(e.Obj)
	waits := q.operations(e.Obj, ofKind(format.CondWait))
	wakes := q.operations(e.Obj, func(f *model.Event) bool { return f.Kind == format.CondSignal || f.Kind == format.CondBroadcast })
	width := widthFor(len(first) + len(waits))
	tickets := func(f int32) sexp { return q.count(len(first), waits, f, width) }
	notified := func(f int32) sexp { return name("d", f) }
	switch e.Kind {
	case format.CondSignal, format.CondBroadcast:
		q.notify(i, wakes, width, tickets)
	case format.CondWake:
		mine, waiting := q.ticket(i, e, first, width, tickets)
		if waiting == notYet {
			var some []sexp
			for _, f := range wakes {
				some = append(some, and(q.before(f, i), less(mine, q.declare(notified(f), bitVec(width)))))
			}
			q.require(i, or(some...))
		}
		q.require(i, truth(waiting != notAtAll))
	case format.CondWait:
		if _, waiting := q.ticket(i, e, first, width, tickets); waiting != notAtAll {
			q.giveUp("a goroutine waits twice on one Cond")
		}
	}
}

// notify says how far Signal or Broadcast i notifies.
func (q *query) notify(i int32, wakes []int32, width int, tickets func(int32) sexp) {
	d, before := q.declare(name("d", i), bitVec(width)), q.declare(name("db", i), bitVec(width))
	reached := []sexp{eq(before, num(0, width))}
	for _, f := range wakes {
		earlier := q.before(f, i)
		if earlier == no {
			continue
		}
		df := q.declare(name("d", f), bitVec(width))
		q.require(i, implies(earlier, not(less(before, df))))
		reached = append(reached, and(earlier, eq(before, df)))
	}
	q.require(i, or(reached...))
	all := tickets(i)
	if q.w.Events[i].Kind == format.CondBroadcast {
		q.require(i, eq(d, all))
		return
	}
	q.require(i, eq(d, ite(less(before, all), apply("bvadd", before, num(1, width)), before)))
}

// waiting says how a thread stands to a Cond, as far as program order tells.
type waiting int

const (
	notAtAll waiting = iota
	notYet           // it waits for a notification
	notifiedAtStart
)

// firstTickets are the threads that wait at the start and are not notified, in order.
func (q *query) firstTickets(o model.Obj) []model.Thread {
	var list []model.Thread
	for _, w := range q.w.Init[o].Waiters {
		if !w.Notified {
			list = append(list, w.Thread)
		}
	}
	return list
}

// ticket is that of the thread of i, just before i.
func (q *query) ticket(i int32, e *model.Event, first []model.Thread, width int, tickets func(int32) sexp) (sexp, waiting) {
	for f := q.prev[i]; f != none; f = q.prev[f] {
		switch p := &q.w.Events[f]; {
		case p.Kind == format.CondWait && p.Obj == e.Obj:
			return tickets(f), notYet
		case p.Kind == format.CondWake && p.Obj == e.Obj:
			return "", notAtAll
		}
	}
	n := 0
	state := notAtAll
	mine := sexp("")
	for _, w := range q.w.Init[e.Obj].Waiters {
		if w.Thread != e.Thread {
			continue
		}
		if n++; n > 1 {
			q.giveUp("a goroutine waits twice on one Cond")
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
