package hb_test

import (
	"math/rand/v2"
	"testing"

	"github.com/presage-race/presage/internal/check/witness"
	"github.com/presage-race/presage/internal/detect/hb"
	"github.com/presage-race/presage/internal/oracle/tracetest"
	"github.com/presage-race/presage/internal/oracle/wcp"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// TestObserveIsNoEdge adds an observation of a state after every event. That changes neither the
// races of the recorded run, nor which of them the checker accepts, nor what wcp leaves unordered.
func TestObserveIsNoEdge(t *testing.T) {
	races := 0
	ps := tracetest.Profiles()
	for k := range 500 {
		p := ps[k%len(ps)]
		p.Before = 0
		w := tracetest.Generate(rand.New(rand.NewPCG(9, uint64(k))), p)
		events, _ := tracetest.Trace(w)
		var observed []trace.Event
		for i := range events {
			o := trace.Event{Kind: format.Observe, Flags: format.FlagOpaque | format.FlagRead, G: events[i].G, Obj: format.StateFiles}
			if i%2 == 0 {
				o.Flags = format.FlagOpaque | format.FlagWrite
			}
			observed = append(observed, events[i], o)
		}
		a, b := racing(events, 1), racing(observed, 2)
		if len(a) != len(b) {
			t.Fatalf("%d: %d races, %d with observations\n%s", k, len(a), len(b), tracetest.Format(w))
		}
		for r := range a {
			if !b[r] {
				t.Fatalf("%d: race of events %v is lost\n%s", k, r, tracetest.Format(w))
			}
		}
		races += len(a)
		if x, y := unordered(events), unordered(observed); x != y {
			t.Fatalf("%d: wcp has %d pairs, %d with observations", k, x, y)
		}
	}
	if races < 500 {
		t.Errorf("%d races: too few to tell anything", races)
	}
}

// racing returns the races of hb that the checker accepts, as indexes of every step-th event.
func racing(events []trace.Event, step int64) map[[2]int64]bool {
	d := hb.New()
	list := map[[2]int64]bool{}
	var pairs []witness.RecordedPair
	d.Each(func(a, b int64) { pairs = append(pairs, witness.RecordedPair{A: a, B: b, Addr: events[a].Obj}) })
	for i := range events {
		d.Step(int64(i), &events[i])
	}
	r := witness.NewRecorded(pairs)
	for i := range events {
		r.Step(int64(i), &events[i])
	}
	for i, p := range pairs {
		if r.Err(i) == nil {
			list[[2]int64{p.A / step, p.B / step}] = true
		}
	}
	return list
}

func unordered(events []trace.Event) int {
	d := wcp.New()
	for i := range events {
		d.Step(&events[i])
	}
	return len(d.Pairs())
}
