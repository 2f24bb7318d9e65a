package smt

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/presage-race/presage/internal/predict/model"
	"github.com/presage-race/presage/internal/trace/format"
)

// cut is the first position after σ.
const cut sexp = "cut"

func (q *query) pos(e int32) sexp { return name("p", e) }

// in is "σ contains e"; of an access of the pair, which σ does not contain, it is true: what is
// required of it is required in the state after σ.
func (q *query) in(e int32) sexp {
	switch {
	case q.racing(e):
		return yes
	case !q.member[e]:
		return no
	}
	return less(q.pos(e), cut)
}

// before is "f is in σ, and before e", if e is in σ itself. The accesses of the pair, and none,
// stand at the end of σ.
func (q *query) before(f, e int32) sexp {
	switch {
	case !q.member[f] || f == e:
		return no
	case e == none || q.racing(e) && q.w.Events[e].Thread != q.w.Events[f].Thread:
		return q.inSigma(f)
	case q.w.Events[e].Thread == q.w.Events[f].Thread: // (M1)
		return truth(q.rank[f] < q.rank[e])
	}
	q.compare(e, f)
	return less(q.pos(f), q.pos(e))
}

// inSigma is in for a member, where something else than its own conditions and its successors asks
// for it.
func (q *query) inSigma(f int32) sexp {
	q.compare(f, f)
	return less(q.pos(f), cut)
}

// compare notes that the positions of e and f matter, one against the other.
func (q *query) compare(e, f int32) { q.compared[[2]int32{min(e, f), max(e, f)}] = true }

// positions declares the positions, after all else is known. Events that are compared have
// different ones, growing along a thread (M1). One of which nothing asks when or whether it is
// executed, but its successors, shares the position of the next.
func (q *query) positions() string {
	var b strings.Builder
	sort := bitVec(q.width)
	alone := make([]bool, len(q.w.Events))
	for i := range alone {
		alone[i] = true
	}
	pairs := slices.SortedFunc(maps.Keys(q.compared), func(x, y [2]int32) int { return cmp.Or(cmp.Compare(x[0], y[0]), cmp.Compare(x[1], y[1])) })
	for _, p := range pairs {
		alone[p[0]], alone[p[1]] = false, false
	}
	fmt.Fprintf(&b, "(declare-const %s %s)\n", cut, sort)
	var grow []sexp
	for _, t := range q.threads {
		next := sexp("")
		for _, e := range slices.Backward(t) {
			switch {
			case next != "" && alone[e]:
				fmt.Fprintf(&b, "(define-fun %s () %s %s)\n", q.pos(e), sort, next)
				continue
			case next != "":
				grow = append(grow, less(q.pos(e), next))
			}
			fmt.Fprintf(&b, "(declare-const %s %s)\n", q.pos(e), sort)
			next = q.pos(e)
		}
	}
	for _, x := range grow {
		fmt.Fprintf(&b, "(assert %s)\n", x)
	}
	for _, p := range pairs {
		if p[0] == p[1] || q.w.Events[p[0]].Thread == q.w.Events[p[1]].Thread {
			continue
		}
		fmt.Fprintf(&b, "(assert %s)\n", not(eq(q.pos(p[0]), q.pos(p[1]))))
	}
	return b.String()
}

// reach is what e needs besides its own semantics: its thread gets there (M2, M4, U), and what it
// depends on is as recorded (M6, V).
func (q *query) reach(i int32) {
	e := &q.w.Events[i]
	t := e.Thread
	prev := q.prev[i]
	q.require(i, truth(!e.Never))                                      // (M7)
	q.require(i, truth(!e.Last || q.racing(i)))                        // (M8)
	if g := q.starter[t]; g != none && (prev == none || q.racing(i)) { // (M2)
		q.require(i, q.before(g, i))
	}
	if q.racing(i) && prev != none { // (M1)
		q.require(i, q.inSigma(prev))
	}
	for _, x := range q.w.Edges { // (M4)
		if x.To == i && !(x.Weak && q.racing(i)) {
			q.require(i, q.before(x.From, i))
		}
	}
	q.conditional(i)
	q.require(i, not(q.blocked(t, prev, i)))
	for _, d := range e.Deps {
		q.require(i, q.intact(d))
	}
	if q.racing(i) { // (M10)
		for _, d := range e.Where {
			q.require(i, q.intact(d))
		}
	}
	for k := range e.Guards {
		q.guard(i, k)
	}
}

// conditional is (M9), of what is to be the first of two.
func (q *query) conditional(i int32) {
	for _, c := range q.w.Orders {
		if c.From != i || !q.member[i] || !q.member[c.To] || !q.member[c.If] {
			continue
		}
		q.require(i, implies(and(q.inSigma(c.If), q.inSigma(c.To)), q.before(i, c.To)))
	}
}

// blocked is "thread t, after its event last, waits in a slot at e" (U).
func (q *query) blocked(t model.Thread, last, e int32) sexp {
	var full []sexp
	if last == none {
		for _, o := range q.slots[t] {
			full = append(full, eq(q.received(o, e), q.index(o, 0)))
		}
	} else if s := &q.w.Events[last]; s.Kind == format.ChanSend && q.w.Init[s.Obj].Cap == 0 {
		full = append(full, not(less(q.place(last), q.received(s.Obj, e))))
	}
	return or(full...)
}

// join is (M3).
func (q *query) join(i int32, e *model.Event) {
	u := model.Thread(e.Obj)
	last := q.last[u]
	if last != none {
		q.require(i, q.before(last, i))
		if !q.member[last] {
			return
		}
	}
	q.require(i, not(q.blocked(u, last, i)))
}

// race is the race itself: after σ both accesses are next, and one of them writes.
func (q *query) race() {
	a, b := q.pair.A, q.pair.B
	q.reach(a)
	q.reach(b)
	if q.w.Events[a].Kind != format.AtomicRMW {
		a, b = b, a
	}
	swap := &q.w.Events[a]
	if swap.Kind == format.AtomicRMW && q.w.Events[b].Kind == format.Read {
		v := q.content(swap.Obj, none)
		q.assert(and(v.known, eq(v.val, word64(swap.Val))))
	}
}
