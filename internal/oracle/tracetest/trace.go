package tracetest

import (
	"slices"

	"github.com/presage-race/presage/internal/predict/flow"
	"github.com/presage-race/presage/internal/predict/model"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// Address is the address that Trace gives to an object of a window.
func Address(_ format.Kind, o model.Obj) trace.Addr { return 0x1000 + 64*trace.Addr(o) }

// GoID is the goroutine that Trace makes of a thread.
func GoID(t model.Thread) trace.GoID { return trace.GoID(t) + 1 }

// Trace turns a window into trace events with the flows of a walk. The site of an event is its
// number in the window, plus one. Hard edges have no events and are left out.
func Trace(w *model.Window) (events []trace.Event, flows []flow.Flow) {
	at := make([]int64, len(w.Events)) // by event of w: its number in the trace
	reads := func(deps []int32) (out []int64) {
		for _, d := range deps {
			out = append(out, at[d])
		}
		return out
	}
	for i := range w.Events {
		e := &w.Events[i]
		for _, c := range e.Cases {
			f := format.Flags(0)
			if c.Send {
				f = format.FlagWrite
			}
			n := w.Init[c.Chan].Cap
			events = append(events, trace.Event{Kind: format.SelectCase, Flags: f, G: GoID(e.Thread), Obj: Address(0, c.Chan), Aux: uint64(n)})
			flows = append(flows, flow.Flow{})
		}
		at[i] = int64(len(events))
		t := trace.Event{Kind: e.Kind, Flags: e.Flags, G: GoID(e.Thread), Site: trace.Site(i + 1), Obj: Address(e.Kind, e.Obj), Val: e.Val, Aux: e.Aux}
		switch {
		case e.Kind.IsAccess():
			t.Size = 8
		case e.Kind == model.Pin:
			t.Kind, t.Obj = format.Block, 0
		case e.Kind == format.Go || e.Kind == format.Join:
			t.Obj = trace.Addr(GoID(model.Thread(e.Obj)))
		case e.Kind == format.ChanSend || e.Kind == format.ChanRecv || e.Kind == format.ChanClose || e.Kind == format.ChanLen:
			t.Aux = uint64(w.Init[e.Obj].Cap)
		}
		events = append(events, t)
		flows = append(flows, flow.Flow{Walked: !e.Strict, Needs: reads(slices.Concat(e.Deps, e.Where)), From: reads(e.ValDeps)})
	}
	return events, flows
}
