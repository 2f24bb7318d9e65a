package explore

import (
	"slices"

	"github.com/presage-race/presage/internal/record/steer"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// An operation that waits when the program ends has no event. It could have come first all the
// same: a lock that is never released could have been taken by another goroutine. So it is the
// second of flips, as one that was made. The runtime says what goroutines wait for at the end.
//
// A goroutine that waits for another one to meet it at a channel changes what others do before its
// operation has an event: a select with a default finds it, or does not. So a schedule may make a
// goroutine come to its operation, and wait there. No history says whether a run has shown that: it
// is tried once for each history before it.

// op returns an operation, which may be pending.
func (x *execution) op(i int) *op {
	if n := len(x.ops); i >= n {
		return &x.pending[i-n]
	}
	return &x.ops[i]
}

// blocked notes what goroutines wait for at the end.
func (x *execution) blocked(list []steer.Blocked) {
	threads := map[uint64]trace.GoID{}
	for g, t := range x.threads { // numbers differ, but for those of the runtime
		threads[t.number] = g
	}
	for _, b := range list {
		g, ok := threads[b.Goroutine]
		if !ok || b.Goroutine == steer.Runtime || x.threads[g].ended {
			continue
		}
		t := x.threads[g]
		o := op{g: g, number: t.number, records: t.records + 1, obj: trace.Addr(b.Object), nth: t.ops, entry: len(x.ops), pending: true}
		switch b.Kind {
		case steer.Receive:
			o.kind = format.ChanRecv
		case steer.Send:
			o.kind = format.ChanSend
		case steer.Lock:
			o.kind = format.Lock
		case steer.RLock:
			o.kind, o.flags = format.Lock, format.FlagRead
		case steer.WGWait:
			o.kind = format.WGWait
		case steer.Once:
			o.kind = format.OnceBegin
		default:
			continue
		}
		x.pending = append(x.pending, o)
	}
}

// comesFirst returns the schedule of a flip, of the operations that come before its second one.
func (x *execution) comesFirst(f flip, ops []int, choices []steer.Choice) waiting {
	p, q := &x.ops[f.first], x.op(f.second)
	meeting := q.meets && (p.kind == format.SelectCase || q.kind == format.SelectCase)
	if !q.pending && !meeting && !q.waits {
		ops = append(ops, f.second)
		return waiting{parts: x.schedule(ops), choices: choices, history: x.historyOf(ops)}
	}
	parts := append(x.schedule(ops), steer.Part{Goroutine: q.number, Until: q.records | steer.OrWaits}, steer.Part{Goroutine: p.number, Until: p.records})
	if p.kind == format.SelectCase {
		c := steer.Choice{Goroutine: p.number, Records: x.ops[p.entry].records - 1, Channel: uint64(p.obj)}
		choices = append(slices.Clip(choices), c)
	}
	h := x.historyOf(ops)
	return waiting{parts: parts, choices: choices, history: h, once: h.with(p, q)}
}

// with returns a number for a history and two operations behind it.
func (h *history) with(p, q *op) uint64 {
	sum := uint64(0)
	for _, list := range h.lists {
		n := uint64(0)
		for i, at := 0, 0; i < len(list); i++ { // those that commute have one number
			k := steer.Child(list[i].goroutine, uint64(list[i].nth))
			if b := h.at[list[i]].before; b != at {
				at = b
				n = steer.Child(n, uint64(at))
			}
			n += steer.Child(k, uint64(h.at[list[i]].before))
		}
		sum += steer.Child(n, 0)
	}
	for _, o := range []*op{p, q} {
		sum = steer.Child(steer.Child(sum, o.number), uint64(o.nth))
	}
	return steer.Child(sum, uint64(q.obj))
}
