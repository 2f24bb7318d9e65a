package tracetest

import (
	"slices"
	"testing"

	"github.com/presage-race/presage/internal/predict/excluded"
	"github.com/presage-race/presage/internal/predict/flow"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
	"github.com/presage-race/presage/internal/trace/raw"
)

// TestEnforced: an order is a Release and an Acquire of an object of its own; BarrierPairs are
// gone, and flows are moved.
func TestEnforced(t *testing.T) {
	events, _, err := raw.Parse(`
g1 go g2
g2 start g1
g1 read x val=0
g1 methodbegin m
g1 reach x
g1 methodend m
g2 write x val=1
g2 end
g1 write y val=1`)
	if err != nil {
		t.Fatal(err)
	}
	flows := make([]flow.Flow, len(events))
	flows[8] = flow.Flow{Walked: true, Needs: []int64{2}, From: []int64{2}, Appended: &flow.Appended{Moved: []int64{2}}}
	orders := []excluded.Edge{{From: 0, To: 1}, {From: 5, To: 6}, {From: 5, To: 7}, {From: 7, To: 8}}
	got, moved := Enforced(events, flows, orders)
	want := []trace.Event{
		{Kind: format.Go, G: 1}, {Kind: format.Release, G: 1}, {Kind: format.Start, G: 2}, {Kind: format.Acquire, G: 2},
		{Kind: format.Read, G: 1}, {Kind: format.Release, G: 1}, {Kind: format.Acquire, G: 2}, {Kind: format.Write, G: 2},
		{Kind: format.Acquire, G: 2}, {Kind: format.Release, G: 2}, {Kind: format.End, G: 2}, {Kind: format.Acquire, G: 1}, {Kind: format.Write, G: 1},
	}
	if !slices.EqualFunc(got, want, func(a, b trace.Event) bool { return a.Kind == b.Kind && a.G == b.G }) {
		t.Fatalf("%s", raw.Text(got, nil))
	}
	if got[5].Obj != got[6].Obj || got[5].Obj != got[8].Obj || got[5].Obj == got[9].Obj || got[1].Obj == got[5].Obj {
		t.Errorf("objects:\n%s", raw.Text(got, nil))
	}
	f := moved[12]
	if !slices.Equal(f.Needs, []int64{4}) || !slices.Equal(f.From, []int64{4}) || !slices.Equal(f.Appended.Moved, []int64{4}) || flows[8].Needs[0] != 2 {
		t.Errorf("flow: %+v", f)
	}
	if none, _ := Enforced(events, nil, nil); len(none) != 6 {
		t.Errorf("without an order:\n%s", raw.Text(none, nil))
	}
}
