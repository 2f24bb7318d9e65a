package smt

import (
	"slices"

	"github.com/presage-race/presage/internal/predict/model"
	"github.com/presage-race/presage/internal/trace/format"
)

// events has what program order and objects alone determine: which events σ may contain, and what
// is before them.
type events struct {
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
}

// none is no event.
const none int32 = -1

// newEvents finds the events that σ may contain: neither the pair nor what follows it in program
// order.
func newEvents(w *model.Window, p model.Pair) *events {
	n := len(w.Events)
	ev := &events{
		w: w, pair: p,
		threads: make([][]int32, len(w.Threads)), last: slices.Repeat([]int32{none}, len(w.Threads)),
		member: make([]bool, n), prev: make([]int32, n), rank: make([]int32, n),
		starter: slices.Repeat([]int32{none}, len(w.Threads)),
		on:      map[model.Obj][]int32{}, slots: map[model.Thread][]model.Obj{},
	}
	over := make([]bool, len(w.Threads))
	for i := range int32(n) {
		e := &w.Events[i]
		t := e.Thread
		ev.prev[i], ev.last[t] = ev.last[t], i
		if ev.prev[i] != none {
			ev.rank[i] = ev.rank[ev.prev[i]] + 1
		}
		if e.Kind == format.Go {
			ev.starter[e.Obj] = i
		}
		over[t] = over[t] || ev.racing(i)
		if over[t] {
			continue
		}
		ev.member[i] = true
		ev.threads[t] = append(ev.threads[t], i)
		if onObject(e.Kind) {
			ev.on[e.Obj] = append(ev.on[e.Obj], i)
		}
	}
	for o := range w.Init {
		if in := &w.Init[o]; in.Cap == 0 && len(in.Queue) > 0 {
			ev.slots[in.SlotOf] = append(ev.slots[in.SlotOf], model.Obj(o))
		}
	}
	return ev
}

// racing reports whether e is one of the pair.
func (ev *events) racing(e int32) bool { return e == ev.pair.A || e == ev.pair.B }

// onObject reports whether Obj of an event of kind k is an object.
func onObject(k format.Kind) bool {
	switch k {
	case format.Go, format.Join, format.Start, format.End, format.SelectDefault, model.Pin:
		return false
	}
	return true
}

// operations are the events on o that σ may contain and that are of some kind.
func (ev *events) operations(o model.Obj, is func(*model.Event) bool) []int32 {
	var list []int32
	for _, e := range ev.on[o] {
		if is(&ev.w.Events[e]) {
			list = append(list, e)
		}
	}
	return list
}

func ofKind(k format.Kind) func(*model.Event) bool {
	return func(e *model.Event) bool { return e.Kind == k }
}

func (ev *events) unbuffered(o model.Obj) bool { return ev.w.Init[o].Cap == 0 }

// size is how many events σ may contain.
func (ev *events) size() int {
	n := 0
	for _, t := range ev.threads {
		n += len(t)
	}
	return n
}
