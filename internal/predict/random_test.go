package predict

import (
	"context"
	"io"
	"math/rand/v2"
	"testing"

	"github.com/presage-race/presage/internal/oracle/tracetest"
	"github.com/presage-race/presage/internal/predict/built"
	"github.com/presage-race/presage/internal/predict/flow"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
	"github.com/presage-race/presage/internal/trace/raw"
)

// TestRandom runs whole analyses of small random programs with every primitive. The
// explorer says which pairs race: exactly those are reported, as each event has a site
// of its own. What hb finds first is among them.
func TestRandom(t *testing.T) {
	n := 6000
	if testing.Short() {
		n = 1500
	}
	races, observed, predicted, cut := 0, 0, 0, 0
	for k := range n {
		x, ok := tracetest.NewExecution(rand.New(rand.NewPCG(11, uint64(k))), k)
		if !ok {
			continue
		}
		w, want := x.Window, pairsOf(x.Races)
		events, flows := allocated(x.Events, x.Flows)
		res, err := Run(context.Background(), &tracetest.Source{Events: events}, nil, Options{Walker: tracetest.Walker(flows), cleared: true})
		if err != nil {
			t.Fatal(err)
		}
		got := make(map[sitePair]bool)
		for _, r := range res.Races {
			got[pairOf(r.A.Site, r.B.Site)] = true
			if r.Tier == Observed {
				observed++
			} else {
				predicted++
			}
		}
		if len(res.Rejected) > 0 || !equal(got, want) {
			t.Fatalf("%s %d: races %v, want %v, rejected %v\n%s\n%+v", x.Name, k, got, want, res.Rejected, tracetest.Format(w), res.Counts)
		}
		if len(res.HB) > 0 && !looks(events) {
			if h := res.HB[0]; !want[pairOf(h.A.Site, h.B.Site)] {
				t.Fatalf("%s %d: hb's first race %+v is none\n%s", x.Name, k, h, tracetest.Format(w))
			}
		}
		races += len(want)
		small := smallWindows(t, events, flows)
		for q := range small {
			if !want[q] {
				t.Fatalf("%s %d: small windows find %v, which is no race\n%s", x.Name, k, q, tracetest.Format(w))
			}
		}
		cut += len(want) - len(small)
	}
	t.Logf("%d races, %d observed, %d predicted, %d not found in small windows", races, observed, predicted, cut)
	if observed == 0 || predicted == 0 {
		t.Error("too few races to tell anything")
	}
}

// pairsOf is pairs of sites as this package has them.
func pairsOf(races map[[2]trace.Site]bool) map[sitePair]bool {
	out := make(map[sitePair]bool, len(races))
	for q := range races {
		out[pairOf(q[0], q[1])] = true
	}
	return out
}

// smallWindows returns the pairs of sites of smallRaces.
func smallWindows(t *testing.T, events []trace.Event, flows []flow.Flow) map[sitePair]bool {
	out := make(map[sitePair]bool)
	for _, x := range smallRaces(t, events, flows) {
		out[pairOf(x.A.Site, x.B.Site)] = true
	}
	return out
}

// smallRaces analyses a trace in windows of five events, whose states the builder carries
// from one to the next. Each window must be one whose recorded order the model allows.
func smallRaces(t *testing.T, events []trace.Event, flows []flow.Flow) []Race {
	r := newRun(Options{Walker: tracetest.Walker(flows), Window: 5, cleared: true, Open: opens(events)}, nil)
	r.ctx = context.Background()
	if err := r.foresee(r.ctx); err != nil {
		t.Fatal(err)
	}
	r.built = func(b *built.Window) {
		if err := tracetest.Validate(b.Window); err != nil {
			t.Fatalf("window from event %d: %v\n%s\n%s", b.From, err, tracetest.Format(b.Window), raw.Text(events, nil))
		}
	}
	res := stepAll(t, r, events)
	for _, err := range res.Rejected {
		t.Errorf("small windows: %v", err)
	}
	return res.Races
}

// opens opens a trace at its beginning.
func opens(events []trace.Event) func() (trace.Source, io.Closer, error) {
	return func() (trace.Source, io.Closer, error) {
		return &tracetest.Source{Events: events}, io.NopCloser(nil), nil
	}
}

// looks says whether a trace has an operation that must follow another although Go's memory model,
// and hb, see no order there: one that tells the state of an object without synchronising, an Add
// that keeps the counter from getting negative, an Unlock by another goroutine, two receives that
// must take the values they took, a compare-and-swap that must succeed.
func looks(events []trace.Event) bool {
	type hold struct {
		g    trace.GoID
		obj  trace.Addr
		read bool
	}
	held := make(map[hold]int)
	for i := range events {
		e := &events[i]
		h := hold{e.G, e.Obj, e.Flags&format.FlagRead != 0}
		switch e.Kind {
		case format.TryFail, format.ChanLen, format.SelectDefault, format.WGAdd, format.ChanSend, format.ChanRecv, format.AtomicRMW:
			return true
		case format.Lock:
			held[h]++
		case format.Unlock:
			if held[h]--; held[h] < 0 {
				return true
			}
		}
	}
	return false
}

// allocated puts an Alloc before a trace, so that its initial memory is known.
func allocated(events []trace.Event, flows []flow.Flow) ([]trace.Event, []flow.Flow) {
	events = append([]trace.Event{{Kind: format.Alloc, G: 1, Obj: 0x1000, Val: 0x1000}}, events...)
	flows = append([]flow.Flow{{}}, flows...)
	for i := range flows {
		for _, list := range [][]int64{flows[i].Needs, flows[i].From} {
			for k := range list {
				list[k]++
			}
		}
	}
	return events, flows
}

func equal(a, b map[sitePair]bool) bool {
	if len(a) != len(b) {
		return false
	}
	for p := range a {
		if !b[p] {
			return false
		}
	}
	return true
}
