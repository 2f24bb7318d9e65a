package window_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/presage-race/presage/internal/oracle/tracetest"
	"github.com/presage-race/presage/internal/predict/built"
	"github.com/presage-race/presage/internal/predict/flow"
	"github.com/presage-race/presage/internal/predict/model"
	"github.com/presage-race/presage/internal/predict/window"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// racesOf lists the racing pairs of a window by sites, which are event numbers of
// the generated window. The checker and the explorer agree on them elsewhere.
func racesOf(t *testing.T, w *model.Window) (map[[2]trace.Site]bool, bool) {
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
		if w.Semantics == model.EvaluatedReads {
			continue // terms come from the program, not from its trace
		}
		w.Edges, w.Orders = nil, nil
		for i := range w.Events {
			e := &w.Events[i]
			e.Site = trace.Site(i + 1)
			// which appends are open the builder decides
			e.Deps, e.Where = append(e.Deps, e.Where...), nil
		}
		want, ok := racesOf(t, w)
		if !ok {
			continue
		}
		events, flows := tracetest.Trace(w)
		var out *model.Window
		b := window.NewBuilder(window.BuildOptions{Walked: true}, func(x *built.Window) error { out = x.Window; return nil })
		b.StartFrom(w, tracetest.Address, tracetest.GoID)
		for i := range events {
			if err := b.Add(int64(i), &events[i], flows[i]); err != nil {
				t.Fatal(err)
			}
		}
		if err := b.Flush(nil); err != nil {
			t.Fatal(err)
		}
		if out == nil {
			out = &model.Window{}
		}
		if err := tracetest.Validate(out); err != nil {
			t.Fatalf("%s %d: %v\n%s\nbuilt:\n%s", r.Profile, k, err, tracetest.Format(w), tracetest.Format(out))
		}
		got, _ := racesOf(t, out)
		if !maps.Equal(got, want) {
			t.Fatalf("%s %d: races %v, want %v\n%s\nbuilt (%+v):\n%s", r.Profile, k, sorted(got), sorted(want), tracetest.Format(w), b.Counts(), tracetest.Format(out))
		}
		pairs += len(want)
		kept += len(out.Events)
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

// TestPrivate: a long stretch in which nothing is shared passes in few windows.
func TestPrivate(t *testing.T) {
	const n = 100_000
	b := window.NewBuilder(window.BuildOptions{Size: 100, Raw: 1000}, func(w *built.Window) error {
		if len(w.Events) > 0 {
			t.Fatalf("%d events in a window", len(w.Events))
		}
		return nil
	})
	for i := range n {
		if err := b.Add(int64(i), &trace.Event{Kind: format.Write, G: 1, Obj: trace.Addr(8 * i), Size: 8}, flow.Flow{}); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.Flush(nil); err != nil {
		t.Fatal(err)
	}
	if c := b.Counts(); c.Windows > 2*n/1000+1 {
		t.Errorf("%d windows for %d events", c.Windows, n)
	}
}
