package analyse

import (
	"context"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"presage/internal/engine"
	"presage/internal/hb"
	"presage/internal/trace"
	"presage/internal/trace/raw"
	"presage/internal/trace/tracetest"
	"presage/internal/trace/tracetest/outsidetest"
	"presage/internal/window"
)

// outsideStates bounds the exploration of one program.
const outsideStates = 60_000

// TestOutsideRandom analyses executions of small random programs with outside code, and says which of
// the races of the whole program are found. What is said to race must be among them. PRESAGE_RANDOM is
// the number of programs.
func TestOutsideRandom(t *testing.T) {
	n, first := 2500, 0
	if testing.Short() {
		n = 600
	}
	if s := os.Getenv("PRESAGE_RANDOM"); s != "" {
		var err error
		if n, err = strconv.Atoi(s); err != nil {
			t.Fatal(err)
		}
	}
	if s := os.Getenv("PRESAGE_RANDOM_FROM"); s != "" {
		first, _ = strconv.Atoi(s)
	}
	var c outsideCounts
	for k := first; k < first+n; k++ {
		c.program(t, uint64(k))
	}
	t.Logf("%d programs, %d of them with too many states", n, c.large)
	t.Logf("%d races, %d of accesses in the recorded run; every access recorded: %v; thinned: %v", c.races, c.visible, &c.modes[0], &c.modes[1])
	if c.false > 0 {
		t.Errorf("%d false races", c.false)
	}
}

type outsideCounts struct {
	large, races, visible, false int
	modes                        [2]outsideMode
}

type outsideMode struct{ found, value, outside int }

func (c *outsideCounts) program(t *testing.T, k uint64) {
	r := rand.New(rand.NewPCG(37, k))
	p := outsidetest.Generate(r)
	run := p.Record(r, outsidetest.Walk{Guards: k%2 == 0, Stored: k%3 == 0})
	want, ok := p.Explore(outsideStates)
	if !ok {
		c.large++
		return
	}
	c.races += len(want)
	seen := map[trace.Site]bool{}
	for i := range run.Events {
		seen[run.Events[i].Site] = true
	}
	for q := range want {
		if seen[q[0]] && seen[q[1]] {
			c.visible++
		}
	}
	for mode, x := range []*outsidetest.Run{run, run.Thin(r, outsidetest.Thinning{})} {
		found := analyseOutside(t, x, &c.modes[mode])
		for q := range found {
			if want[q] {
				continue
			}
			c.false++
			t.Errorf("program %d, mode %d: no race: %s / %s\n%s\n%s", k, mode, p.Describe(q[0]), p.Describe(q[1]), p, raw.Text(x.Events, nil))
		}
	}
	if c.false > 3 {
		t.FailNow()
	}
}

// analyseOutside returns the pairs of sites that race in a run, as one window and in small ones.
func analyseOutside(t *testing.T, run *outsidetest.Run, c *outsideMode) map[[2]trace.Site]bool {
	t.Helper()
	res, err := Run(context.Background(), &tracetest.Source{Events: run.Events}, nil, Options{Walker: tracetest.Walker(run.Flows), cleared: true})
	if err != nil {
		t.Fatal(err)
	}
	if len(res.Rejected) > 0 {
		t.Fatalf("rejected %v\n%s\n%s", res.Rejected, run, raw.Text(run.Events, nil))
	}
	found := map[[2]trace.Site]bool{}
	for _, x := range res.Races {
		q := pairOf(x.A.Site, x.B.Site)
		found[[2]trace.Site{q.lo, q.hi}] = true
		if x.Tier == ByValue {
			c.value++
		}
	}
	c.found += len(found)
	for q := range smallWindows(t, run.Events, run.Flows) {
		found[[2]trace.Site{q.lo, q.hi}] = true
	}
	return found
}

// TestOutsideFaults leaves rules of the model of outside code out, one after the other. Each makes some
// race that the program does not have.
func TestOutsideFaults(t *testing.T) {
	for _, f := range outsidetest.Faults() {
		t.Run(f.Name, func(t *testing.T) {
			for k := range uint64(20_000) {
				if q, ok := falseOutside(t, &f, k); ok {
					t.Logf("program %d: %v", k, q)
					return
				}
			}
			t.Error("not noticed")
		})
	}
}

// falseOutside returns a false race that a fault makes in a program.
func falseOutside(t *testing.T, f *outsidetest.Fault, k uint64) (sitePair, bool) {
	x := rand.New(rand.NewPCG(37, k))
	p := outsidetest.Generate(x)
	run := f.Apply(x, p.Record(x, outsidetest.Walk{Guards: k%2 == 0}))
	want, ok := p.Explore(outsideStates)
	if !ok {
		return sitePair{}, false
	}
	r := newRun(Options{Walker: tracetest.Walker(run.Flows), cleared: true}, nil)
	if r.ctx = context.Background(); f.Ordered {
		r.hb = hb.New()
	}
	found := map[sitePair]bool{}
	r.only = func(b *window.Built) error {
		for _, g := range r.ladder(b.Window) {
			if f.Window != nil {
				g.w = tracetest.Clone(g.w)
				f.Window(g.w)
			}
			s := engine.New(g.w, engine.Options{})
			for _, q := range tracetest.Candidates(g.w) {
				if candidateAccess(g.w, int(q.A)) && candidateAccess(g.w, int(q.B)) && s.Solve(q).Verdict == engine.Race {
					found[pairOf(g.w.Events[q.A].Site, g.w.Events[q.B].Site)] = true
				}
			}
		}
		return nil
	}
	for i := range run.Events {
		if err := r.step(&run.Events[i]); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.finish(); err != nil {
		t.Fatal(err)
	}
	for q := range found {
		if !want[[2]trace.Site{q.lo, q.hi}] {
			return q, true
		}
	}
	return sitePair{}, false
}
