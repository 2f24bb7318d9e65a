package detect_test

import (
	"math/rand/v2"
	"testing"

	"github.com/presage-race/presage/internal/detect"
	"github.com/presage-race/presage/internal/oracle/tracetest"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// TestObserveIsNoEdge: observations of states, anywhere, change no pair that an engine reports,
// with the filter or without it. A send and a receive in their places do.
func TestObserveIsNoEdge(t *testing.T) {
	pairs, fewer := 0, 0
	for k := range 300 {
		events := tracetest.Loops(12, uint64(k))
		for _, engine := range []detect.Engine{detect.FastTrack, detect.Lockset, detect.Hybrid} {
			for _, opt := range []detect.Options{{Engine: engine, NoFilter: true}, {Engine: engine}} {
				want, _, _ := run(t, events, opt)
				got, _, _ := run(t, observing(events, uint64(k), false), opt)
				pairs += len(want)
				if len(got) != len(want) {
					t.Fatalf("%d, %v: %d pairs, %d without observations", k, engine, len(got), len(want))
				}
				for p := range want {
					if !got[p] {
						t.Fatalf("%d, %v: %v is lost", k, engine, p)
					}
				}
				if edges, _, _ := run(t, observing(events, uint64(k), true), opt); len(edges) < len(want) {
					fewer++
				}
			}
		}
	}
	if pairs < 300 || fewer < 10 {
		t.Errorf("%d pairs, %d traces in which edges left some out: too little to tell anything", pairs, fewer)
	}
}

// observing puts observations between events, or in their places what makes edges.
func observing(events []trace.Event, seed uint64, edges bool) (out []trace.Event) {
	r := rand.New(rand.NewPCG(13, seed))
	for _, e := range events {
		if e.Flags&format.FlagMore == 0 && e.Kind != format.Start && r.IntN(2) == 0 {
			o := trace.Event{Kind: format.Observe, Flags: format.FlagOpaque | []format.Flags{format.FlagRead, format.FlagWrite}[r.IntN(2)], G: e.G, Obj: trace.Addr(1 + r.IntN(4))}
			if edges && o.Flags&format.FlagWrite != 0 {
				o.Kind, o.Flags = format.ReleaseMerge, format.FlagOpaque
			} else if edges {
				o.Kind, o.Flags = format.Acquire, format.FlagOpaque
			}
			out = append(out, o)
		}
		out = append(out, e)
	}
	return out
}
