package explore

import (
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
// is tried once for each history before it. The runtime says how each part of the schedule has
// ended. If the goroutine did not wait, because of something that is before it in the schedule and
// need not be, that is left out.

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
		o := op{g: g, number: t.number, records: t.records + 1, obj: trace.Addr(b.Object), nth: t.ops, call: t.ops, cas: b.Case, entry: len(x.ops), pending: true}
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
