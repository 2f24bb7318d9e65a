package detect_test

import (
	"testing"

	"github.com/presage-race/presage/internal/detect"
	"github.com/presage-race/presage/internal/detect/tree"
	"github.com/presage-race/presage/internal/oracle/tracetest"
	"github.com/presage-race/presage/internal/trace"
)

type pair [2]trace.Site

// TestFilterKeepsPairs: each engine reports the same pairs of sites with the filter as without it,
// however few histories it keeps. (bench/detectors/tree has many more.)
func TestFilterKeepsPairs(t *testing.T) {
	n := 3000
	if testing.Short() {
		n = 300
	}
	pairs, dropped, evicted := 0, 0, int64(0)
	for k := range n {
		events := tracetest.Loops(11, uint64(k))
		for _, engine := range []detect.Engine{detect.FastTrack, detect.Lockset, detect.Hybrid} {
			want, _, _ := run(t, events, detect.Options{Engine: engine, NoFilter: true})
			pairs += len(want)
			for _, opt := range []tree.Options{{}, {Contexts: 4, Sites: 2}} {
				got, n, gone := run(t, events, detect.Options{Engine: engine, Filter: opt})
				dropped, evicted = dropped+n, evicted+gone
				if len(got) != len(want) {
					t.Fatalf("%d, %v: %d pairs, %d without the filter", k, engine, len(got), len(want))
				}
				for p := range want {
					if !got[p] {
						t.Fatalf("%d, %v: %v is lost", k, engine, p)
					}
				}
			}
		}
	}
	t.Logf("%d pairs, %d accesses dropped, %d histories forgotten", pairs, dropped, evicted)
	if pairs < n || dropped < 10*n || evicted < int64(n) {
		t.Error("too little happened to tell anything")
	}
}

func run(t *testing.T, events []trace.Event, opt detect.Options) (pairs map[pair]bool, dropped int, evicted int64) {
	d, err := detect.New(opt)
	if err != nil {
		t.Fatal(err)
	}
	for i := range events {
		if d.Step(int64(i), &events[i]) {
			dropped++
		}
	}
	pairs = map[pair]bool{}
	for _, p := range d.Pairs() {
		pairs[pair{min(p.A.Site, p.B.Site), max(p.A.Site, p.B.Site)}] = true
	}
	for _, c := range d.Counts() {
		if c.Name == "TreeEvicted" {
			evicted = c.Count
		}
	}
	return pairs, dropped, evicted
}

// TestSpanIsRefused where there is no first race.
func TestSpanIsRefused(t *testing.T) {
	for _, engine := range []detect.Engine{detect.Lockset, detect.Hybrid} {
		if _, err := detect.New(detect.Options{Engine: engine, Filter: tree.Options{Span: true}}); err == nil {
			t.Errorf("%v takes span redundancy", engine)
		}
	}
}
