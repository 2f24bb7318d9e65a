package predict

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/presage-race/presage/internal/check/witness"
	"github.com/presage-race/presage/internal/oracle/tracetest"
	"github.com/presage-race/presage/internal/predict/built"
	"github.com/presage-race/presage/internal/predict/engine"
	"github.com/presage-race/presage/internal/predict/excluded"
	"github.com/presage-race/presage/internal/predict/flow"
	"github.com/presage-race/presage/internal/predict/model"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/raw"
)

// TestRDITRandom hides parts of small random executions. What is said to race of the rest must race
// by exhaustive exploration of the whole. It says how much is found, beside the simple barrier
// (Caveat 0), and how much is false if excluded calls are ignored.
func TestRDITRandom(t *testing.T) {
	n := 12_000
	if testing.Short() {
		n = 4000
	}
	programs, visible, calls := 0, 0, 0
	var found, wrong [3]int
	crossed := 0
	for k := range n {
		r := rand.New(rand.NewPCG(29, uint64(k)))
		x, ok := tracetest.NewExecution(r, k)
		if !ok {
			continue
		}
		programs++
		w, hide := x.Window, tracetest.Hide
		if k%3 == 0 {
			hide = tracetest.HideOutside
		}
		h := hide(r, x.Events, x.Flows)
		calls += h.Calls
		want := pairsOf(h.Left(x.Races))
		visible += len(want)
		events, flows := allocated(h.Events, h.Flows)
		for mode := excluded.Reachable; mode <= excluded.Ignore; mode++ {
			res, err := Run(context.Background(), &tracetest.Source{Events: events}, nil, Options{Walker: tracetest.Walker(flows), cleared: true, Excluded: mode})
			if err != nil {
				t.Fatal(err)
			}
			for _, y := range res.Races {
				if want[pairOf(y.A.Site, y.B.Site)] {
					found[mode]++
					continue
				}
				wrong[mode]++
				if mode != excluded.Ignore {
					t.Fatalf("%s %d: %v races in mode %d, by %v, but not in the whole:\n%s\nof\n%s", x.Name, k, y, mode, y.Order, raw.Text(events, nil), tracetest.Format(w))
				}
			}
			if len(res.Rejected) > 0 && mode != excluded.Ignore {
				t.Fatalf("%s %d: rejected %v\n%s", x.Name, k, res.Rejected, raw.Text(events, nil))
			}
		}
		crossed += crossings(t, events, flows, want)
		for q := range smallWindows(t, events, flows) {
			if !want[q] {
				t.Fatalf("%s %d: small windows find %v, which is no race\n%s\nof\n%s", x.Name, k, q, raw.Text(events, nil), tracetest.Format(w))
			}
		}
	}
	t.Logf("the checker refused %d witnesses of windows without edges", crossed)
	if crossed == 0 {
		t.Error("the checker was not tried")
	}
	t.Logf("%d programs, %d missing methods, %d races of what is left: RDIT finds %d, 0 false; a barrier each %d, 0 false; without, %d and %d false",
		programs, calls, visible, found[0], found[1], found[2], wrong[2])
	if programs < n/2 || found[0] <= found[1] || wrong[2] == 0 {
		t.Error("too little to tell anything")
	}
}

// crossings takes the hard edges between goroutines out of a window, has the engine find witnesses
// and gives them to the checker, which knows nothing of edges: it has to refuse all that are of no
// race. It returns how many it refuses.
func crossings(t *testing.T, events []trace.Event, flows []flow.Flow, want map[sitePair]bool) (refused int) {
	r := newRun(Options{Walker: tracetest.Walker(flows), cleared: true}, nil)
	r.ctx = context.Background()
	r.only = func(b *built.Window) error {
		w := b.Window.Causal()
		bare := *w
		bare.Edges = slices.DeleteFunc(slices.Clone(w.Edges), func(e model.Edge) bool {
			return w.Threads[w.Events[e.From].Thread] >= 0 && w.Threads[w.Events[e.To].Thread] >= 0
		})
		bare.Orders = slices.DeleteFunc(slices.Clone(w.Orders), func(c model.Conditional) bool {
			return w.Threads[w.Events[c.From].Thread] >= 0 && w.Threads[w.Events[c.To].Thread] >= 0
		})
		s := engine.New(&bare, engine.Options{})
		for _, p := range tracetest.Candidates(&bare) {
			if !candidateAccess(&bare, int(p.A)) || !candidateAccess(&bare, int(p.B)) {
				continue
			}
			res := s.Solve(p)
			if res.Verdict != engine.Race {
				continue
			}
			err := witness.Crossing(w, b.ExcludedTrace(), p, res.Order)
			if err != nil {
				refused++
			} else if q := pairOf(bare.Events[p.A].Site, bare.Events[p.B].Site); !want[q] {
				t.Fatalf("the checker accepts %v, by %v:\n%s\n%s", q, res.Order, tracetest.Format(w), raw.Text(events, nil))
			}
		}
		return nil
	}
	for i := range events {
		if err := r.step(&events[i]); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.finish(); err != nil {
		t.Fatal(err)
	}
	return refused
}
