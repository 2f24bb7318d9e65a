package window_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"presage/internal/trace"
	"presage/internal/trace/format"
	"presage/internal/trace/tracetest"
	"presage/internal/window"
)

// address gives the objects of a generated window their addresses in a trace.
func address(k format.Kind, o window.Obj) trace.Addr { return 0x1000 + 64*trace.Addr(o) }

func goid(t window.Thread) trace.GoID { return trace.GoID(t) + 1 }

// traceOf turns a window into trace events, and what a walk would say of them.
func traceOf(w *window.Window) (events []trace.Event, flows []window.Flow) {
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
			events = append(events, trace.Event{Kind: format.SelectCase, Flags: f, G: goid(e.Thread), Obj: address(0, c.Chan), Aux: uint64(n)})
			flows = append(flows, window.Flow{})
		}
		at[i] = int64(len(events))
		t := trace.Event{Kind: e.Kind, Flags: e.Flags, G: goid(e.Thread), Site: trace.Site(i + 1), Obj: address(e.Kind, e.Obj), Val: e.Val, Aux: e.Aux}
		switch {
		case e.Kind.IsAccess():
			t.Size = 8
		case e.Kind == window.Pin:
			t.Kind, t.Obj = format.Block, 0
		case e.Kind == format.Go || e.Kind == format.Join:
			t.Obj = trace.Addr(goid(window.Thread(e.Obj)))
		case e.Kind == format.ChanSend || e.Kind == format.ChanRecv || e.Kind == format.ChanClose || e.Kind == format.ChanLen:
			t.Aux = uint64(w.Init[e.Obj].Cap)
		}
		events = append(events, t)
		flows = append(flows, window.Flow{Walked: !e.Strict, Needs: reads(e.Deps), From: reads(e.ValDeps)})
	}
	return events, flows
}

// racesOf lists the racing pairs of a window by sites, which are event numbers of
// the generated window. The checker and the explorer agree on them elsewhere.
func racesOf(t *testing.T, w *window.Window) (map[[2]trace.Site]bool, bool) {
	races, complete := tracetest.Explore(w, 300_000)
	out := make(map[[2]trace.Site]bool)
	for p := range races {
		out[[2]trace.Site{w.Events[p.A].Site, w.Events[p.B].Site}] = true
	}
	return out, complete
}

// TestRoundTrip: a window, turned into a trace and built again, has the same races.
// What the builder leaves out (unshared locations and objects, starts and ends) does not matter.
func TestRoundTrip(t *testing.T) {
	n := uint64(4000)
	if testing.Short() {
		n = 800
	}
	pairs, kept, all := 0, 0, 0
	for k := range n {
		r := tracetest.RandomWindow(7, k)
		w := r.Window
		w.Edges = nil
		for i := range w.Events {
			w.Events[i].Site = trace.Site(i + 1)
		}
		want, ok := racesOf(t, w)
		if !ok {
			continue
		}
		events, flows := traceOf(w)
		var built *window.Window
		b := window.NewBuilder(window.BuildOptions{Walked: true}, func(x *window.Built) error { built = x.Window; return nil })
		b.StartFrom(w, address, goid)
		for i := range events {
			if err := b.Add(int64(i), &events[i], flows[i]); err != nil {
				t.Fatal(err)
			}
		}
		if err := b.Flush(); err != nil {
			t.Fatal(err)
		}
		if built == nil {
			built = &window.Window{}
		}
		if err := tracetest.Validate(built); err != nil {
			t.Fatalf("%s %d: %v\n%s\nbuilt:\n%s", r.Profile, k, err, tracetest.Format(w), tracetest.Format(built))
		}
		got, _ := racesOf(t, built)
		if !maps.Equal(got, want) {
			t.Fatalf("%s %d: races %v, want %v\n%s\nbuilt (%+v):\n%s", r.Profile, k, sorted(got), sorted(want), tracetest.Format(w), b.Counts(), tracetest.Format(built))
		}
		pairs += len(want)
		kept += len(built.Events)
		all += len(w.Events)
	}
	t.Logf("%d races in %d windows, %d of %d events kept", pairs, n, kept, all)
	if pairs == 0 || kept == all {
		t.Error("nothing was compared, or nothing left out")
	}
}

func sorted(m map[[2]trace.Site]bool) (out []string) {
	for p := range m {
		out = append(out, fmt.Sprint(p))
	}
	slices.Sort(out)
	return out
}
