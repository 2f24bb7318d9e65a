package tracetest

import (
	"math/rand/v2"
	"slices"

	"github.com/presage-race/presage/internal/predict/model"
	"github.com/presage-race/presage/internal/trace/format"
)

// Variants lists profiles of variant windows for comparisons. A variant stands for the events after
// an untaken branch (RECIPE's path relaxation). Its recorded order is in general no reordering
// (docs/theory/model.md, "The recorded order").
func Variants() []Profile {
	var ps []Profile
	for _, p := range Profiles() {
		if p.Semantics < model.NeededReads {
			continue
		}
		p.Name, p.Variant = "variant/"+p.Name, true
		p.Edges = 0.3
		ps = append(ps, p)
	}
	return ps
}

// RandomVariant is RandomWindow for variants, with scale times as many events.
func RandomVariant(seed, n uint64, scale int) Random {
	ps := Variants()
	p := ps[n%uint64(len(ps))]
	p.Events *= scale
	return Random{Generate(rand.New(rand.NewPCG(seed, n^1<<63)), p), p.Name}
}

// vary makes a variant of a window that has no terms yet. It gives some thread the last events of
// another one, records the threads' events in another order, and gives some reads other values.
// Program order stays, and a thread is recorded after its Go; all else that holds in a recorded
// order may not.
func vary(r *rand.Rand, w *model.Window) {
	if len(w.Events) < 2 {
		return
	}
	if r.IntN(3) == 0 {
		exchange(r, w)
	}
	switch r.IntN(4) {
	case 0:
		permute(w, interleaving(r, w))
	case 1: // nothing moves
	default:
		permute(w, suffixLast(r, w))
	}
	if r.IntN(3) == 0 {
		leave(r, w)
	}
	revalue(r, w)
}

// leave marks some event never (MO7), or the last event of some thread last (MO8).
func leave(r *rand.Rand, w *model.Window) {
	if r.IntN(2) == 0 {
		w.Events[r.IntN(len(w.Events))].Never = true
		return
	}
	t := model.Thread(r.IntN(len(w.Threads)))
	for i := len(w.Events) - 1; i >= 0; i-- {
		if e := &w.Events[i]; e.Thread == t {
			e.Last = e.Kind.IsAccess()
			return
		}
	}
}

// exchange moves the last events of one thread to the end of another.
func exchange(r *rand.Rand, w *model.Window) {
	at := r.IntN(len(w.Events))
	from, to := w.Events[at].Thread, model.Thread(r.IntN(len(w.Threads)))
	if from == to || w.Events[at].Kind == format.CondWake {
		return
	}
	c := Clone(w)
	var order []int32
	var moved []int32
	last := format.Kind(0)
	for i := range c.Events {
		e := &c.Events[i]
		if e.Thread == to {
			last = e.Kind
		}
		if i < at || e.Thread != from {
			order = append(order, int32(i))
			continue
		}
		if e.Kind == format.Go && e.Obj == model.Obj(to) || e.Kind == format.Join && e.Obj == model.Obj(to) {
			return
		}
		e.Thread = to
		mine := func(list []int32) []int32 {
			return slices.DeleteFunc(list, func(d int32) bool { return !slices.Contains(moved, d) })
		}
		e.Deps, e.Where, e.ValDeps = mine(e.Deps), mine(e.Where), mine(e.ValDeps)
		moved = append(moved, int32(i))
	}
	if last == format.CondWait { // the thread waits until it wakes
		return
	}
	permute(c, append(order, moved...))
	if WellFormed(c) == nil {
		*w = *c
	}
}

// suffixLast is the order in which one thread's last events come last, as the alternative
// of a branch does.
func suffixLast(r *rand.Rand, w *model.Window) []int32 {
	at := int32(r.IntN(len(w.Events)))
	t := w.Events[at].Thread
	var order, last []int32
	for i := range w.Events {
		if int32(i) >= at && w.Events[i].Thread == t {
			last = append(last, int32(i))
		} else {
			order = append(order, int32(i))
		}
	}
	return append(order, last...)
}

// interleaving is a random order that keeps program order.
func interleaving(r *rand.Rand, w *model.Window) []int32 {
	queues := make([][]int32, len(w.Threads))
	for i := range w.Events {
		t := w.Events[i].Thread
		queues[t] = append(queues[t], int32(i))
	}
	var order []int32
	for t := 0; len(order) < len(w.Events); {
		if r.IntN(3) == 0 || len(queues[t]) == 0 {
			t = r.IntN(len(queues))
		}
		if q := queues[t]; len(q) > 0 {
			order, queues[t] = append(order, q[0]), q[1:]
		}
	}
	return order
}

// permute records the events in another order, if a thread still comes after its Go.
func permute(w *model.Window, order []int32) {
	to := make([]int32, len(order))
	for k, i := range order {
		to[i] = int32(k)
	}
	c := Clone(w)
	move := func(list []int32) {
		for k := range list {
			list[k] = to[list[k]]
		}
		slices.Sort(list)
	}
	for k, i := range order {
		e := w.Events[i]
		e.Index = int64(k)
		e.Deps, e.Where, e.ValDeps = slices.Clone(e.Deps), slices.Clone(e.Where), slices.Clone(e.ValDeps)
		move(e.Deps)
		move(e.Where)
		move(e.ValDeps)
		if e.Partner >= 0 {
			e.Partner = to[e.Partner]
		}
		c.Events[k] = e
	}
	for k := range c.Edges {
		e := &c.Edges[k]
		e.From, e.To = to[e.From], to[e.To]
	}
	for k := range c.Orders {
		o := &c.Orders[k]
		o.If, o.From, o.To = to[o.If], to[o.From], to[o.To]
	}
	if WellFormed(c) == nil {
		*w = *c
	}
}

// revalue changes the values that some events read and write.
func revalue(r *rand.Rand, w *model.Window) {
	for i := range w.Events {
		e := &w.Events[i]
		if r.IntN(6) > 0 || !isRead(e) && !e.Kind.IsWrite() && e.Kind != format.ChanSend {
			continue
		}
		e.Val = uint64(r.IntN(3))
		if e.Kind == format.AtomicRMW {
			e.Aux = uint64(r.IntN(3))
		}
	}
}

// flip gives some guards another value than that of the recorded reads.
func flip(r *rand.Rand, w *model.Window) {
	for i := range w.Events {
		for k := range w.Events[i].Guards {
			if g := &w.Events[i].Guards[k]; r.IntN(3) == 0 {
				g.Want ^= 1
			}
		}
	}
}
