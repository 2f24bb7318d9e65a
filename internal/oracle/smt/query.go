package smt

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"

	"github.com/presage-race/presage/internal/predict/model"
	"github.com/presage-race/presage/internal/trace/format"
)

// query is one pair of a window on its way into text.
type query struct {
	w    *model.Window
	pair model.Pair

	// by thread: its events that σ may contain, in program order
	threads [][]int32
	last    []int32                      // by thread: its last event in the window, or none
	member  []bool                       // by event: σ may contain it
	prev    []int32                      // by event: the one before it in its thread, or none
	rank    []int32                      // by event: its place in its thread
	starter []int32                      // by thread: the Go event that starts it, or none
	on      map[model.Obj][]int32        // by object: the events on it that σ may contain
	slots   map[model.Thread][]model.Obj // by thread: the slots that it fills at the start
	width   int                          // of a position

	compared    map[[2]int32]bool // pairs of events, the smaller first
	names       map[string]bool   // declared or defined
	text        strings.Builder
	terms       terms
	floats      bool   // it needs the theory of floating point
	unsupported string // why there is no encoding, or ""
}

// none is no event.
const none int32 = -1

// newQuery finds the events that σ may contain: neither the pair, nor what follows it in program
// order.
func newQuery(w *model.Window, p model.Pair) *query {
	n := len(w.Events)
	q := &query{
		w: w, pair: p,
		threads: make([][]int32, len(w.Threads)), last: slices.Repeat([]int32{none}, len(w.Threads)),
		member: make([]bool, n), prev: make([]int32, n), rank: make([]int32, n),
		starter: slices.Repeat([]int32{none}, len(w.Threads)),
		on:      map[model.Obj][]int32{}, slots: map[model.Thread][]model.Obj{}, names: map[string]bool{}, compared: map[[2]int32]bool{},
	}
	over := make([]bool, len(w.Threads))
	for i := range int32(n) {
		e := &w.Events[i]
		t := e.Thread
		q.prev[i], q.last[t] = q.last[t], i
		if q.prev[i] != none {
			q.rank[i] = q.rank[q.prev[i]] + 1
		}
		if e.Kind == format.Go {
			q.starter[e.Obj] = i
		}
		over[t] = over[t] || q.racing(i)
		if over[t] {
			continue
		}
		q.member[i] = true
		q.threads[t] = append(q.threads[t], i)
		if onObject(e.Kind) {
			q.on[e.Obj] = append(q.on[e.Obj], i)
		}
	}
	for o := range w.Init {
		if in := &w.Init[o]; in.Cap == 0 && len(in.Queue) > 0 {
			q.slots[in.SlotOf] = append(q.slots[in.SlotOf], model.Obj(o))
		}
	}
	q.width = bits.Len(uint(n + 1))
	return q
}

// racing reports whether e is one of the pair.
func (q *query) racing(e int32) bool { return e == q.pair.A || e == q.pair.B }

// onObject reports whether Obj of an event of kind k is an object.
func onObject(k format.Kind) bool {
	switch k {
	case format.Go, format.Join, format.Start, format.End, format.SelectDefault, model.Pin:
		return false
	}
	return true
}

// giveUp notes why the pair has no encoding.
func (q *query) giveUp(why string, args ...any) {
	if q.unsupported == "" {
		q.unsupported = fmt.Sprintf(why, args...)
	}
}

// declare introduces an unknown, once.
func (q *query) declare(name sexp, sort string) sexp {
	if !q.names[string(name)] {
		q.names[string(name)] = true
		fmt.Fprintf(&q.text, "(declare-const %s %s)\n", name, sort)
	}
	return name
}

// define names an expression, once, so that its text stands in the query once.
func (q *query) define(name sexp, sort string, x sexp) sexp {
	if !q.names[string(name)] {
		q.names[string(name)] = true
		fmt.Fprintf(&q.text, "(define-fun %s () %s %s)\n", name, sort, x)
	}
	return name
}

func (q *query) assert(x sexp) {
	if x != yes {
		fmt.Fprintf(&q.text, "(assert %s)\n", x)
	}
}

// require makes x a condition of e: if σ contains e or, for an access of the pair, in any case.
func (q *query) require(e int32, x sexp) { q.assert(implies(q.in(e), x)) }

// encode writes the query.
func (q *query) encode() {
	for _, t := range q.threads {
		for _, e := range t {
			q.reach(e)
			q.step(e, &q.w.Events[e])
		}
	}
	q.race()
}

// step is (M5): e is enabled in the state that it meets.
func (q *query) step(i int32, e *model.Event) {
	switch e.Kind {
	case format.Read, format.AtomicRead, format.AtomicRMW:
		q.read(i, e)
	case format.Write, format.AtomicWrite: // always
	case format.Lock, format.Unlock, format.TryFail:
		q.lock(i, e)
	case format.WGAdd, format.WGWait:
		q.waitGroup(i, e)
	case format.OnceBegin, format.OnceEnd, format.OncePass:
		q.once(i, e)
	case format.CondWait, format.CondWake, format.CondSignal, format.CondBroadcast:
		q.cond(i, e)
	case format.ChanSend:
		q.send(i, e)
	case format.ChanRecv:
		q.recv(i, e)
	case format.ChanClose:
		q.close(i, e)
	case format.ChanLen:
		q.length(i, e)
	case format.SelectDefault:
		q.selectDefault(i, e)
	case format.Join:
		q.join(i, e)
	case format.Go, format.Start, format.End, model.Pin: // (G) (P) always
	default:
		q.giveUp("the model has no event of kind %s", e.Kind)
	}
}
