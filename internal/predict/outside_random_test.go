package predict

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"

	"github.com/presage-race/presage/internal/check/witness"
	"github.com/presage-race/presage/internal/detect/hb"
	"github.com/presage-race/presage/internal/oracle/tracetest"
	"github.com/presage-race/presage/internal/oracle/tracetest/outsidetest"
	"github.com/presage-race/presage/internal/predict/built"
	"github.com/presage-race/presage/internal/predict/engine"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/raw"
)

// outsideStates bounds the exploration of one program.
const outsideStates = 60_000

// TestOutsideRandom analyses executions of small random programs with outside code, and says which
// of the races of the whole program are found. What is said to race must be among them.
// PRESAGE_RANDOM is the number of programs.
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
	t.Logf("%d races, %d of them of accesses in the recorded run", c.races, c.visible)
	t.Logf("every access recorded: %v", &c.modes[0])
	t.Logf("thinned: %v", &c.modes[1])
	if c.false > 0 {
		t.Errorf("%d false races", c.false)
	}
}

type outsideCounts struct {
	large, races, visible, false int
	modes                        [2]outsideMode
}

// outsideMode is what was found in recordings of one kind.
type outsideMode struct{ found, value int }

func (m *outsideMode) String() string {
	return fmt.Sprintf("%d races found, %d of them by value", m.found, m.value)
}

func (c *outsideCounts) program(t *testing.T, k uint64) {
	r := rand.New(rand.NewPCG(37, k))
	walk := outsidetest.Walk{Guards: k%2 == 0, Stored: k%3 == 0}
	p := outsidetest.Generate(r)
	run := p.Record(r, walk)
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
	for mode, thin := range []bool{false, true} {
		for q := range falseOutside(analyseOutside(t, asRecorded(run, thin, k), &c.modes[mode]), want, run) {
			c.false++
			t.Errorf("program %d, thinned %v: %v is no race\n%s", k, thin, q, shrunk(t, p, run.Schedule, walk, thin, k))
			break
		}
	}
	if c.false > 3 {
		t.FailNow()
	}
}

// asRecorded is a run as the recorder writes it down, or with all accesses.
func asRecorded(run *outsidetest.Run, thin bool, seed uint64) *outsidetest.Run {
	if !thin {
		return run
	}
	return run.Thin(rand.New(rand.NewPCG(38, seed)), outsidetest.Thinning{})
}

// shrunk is a small program with a false race, and its trace.
func shrunk(t *testing.T, p *outsidetest.Program, schedule []int, walk outsidetest.Walk, thin bool, seed uint64) string {
	var text string
	outsidetest.Shrink(p, schedule, func(p *outsidetest.Program, schedule []int) bool {
		run := p.Replay(schedule, walk)
		x := asRecorded(run, thin, seed)
		want, ok := p.Explore(outsideStates)
		if !ok {
			return false
		}
		for q := range falseOutside(analyseOutside(t, x, &outsideMode{}), want, run) {
			text = fmt.Sprintf("%s / %s\n%s\n%s", p.Describe(q[0]), p.Describe(q[1]), p, raw.Text(x.Events, nil))
			return true
		}
		return false
	})
	return text
}

// falseOutside returns the pairs of races that neither any execution has, nor, of observed ones,
// happens-before leaves unordered in run.
func falseOutside(found map[[2]trace.Site]Tier, want map[[2]trace.Site]bool, run *outsidetest.Run) map[[2]trace.Site]bool {
	out := map[[2]trace.Site]bool{}
	for q, tier := range found {
		if !want[q] && !(tier == Observed && run.Unordered()[q]) {
			out[q] = true
		}
	}
	return out
}

// analyseOutside returns the pairs of sites that race in a run, as one window and in small ones.
func analyseOutside(t *testing.T, run *outsidetest.Run, c *outsideMode) map[[2]trace.Site]Tier {
	t.Helper()
	res, err := Run(context.Background(), &tracetest.Source{Events: run.Events}, nil, Options{Walker: tracetest.Walker(run.Flows), cleared: true, Open: opens(run.Events)})
	if err != nil {
		t.Fatal(err)
	}
	if len(res.Rejected) > 0 {
		t.Fatalf("rejected %v\n%s\n%s", res.Rejected, run, raw.Text(run.Events, nil))
	}
	found := map[[2]trace.Site]Tier{}
	c.found += len(res.Races)
	for _, x := range slices.Concat(res.Races, smallRaces(t, run.Events, run.Flows)) {
		q := pairOf(x.A.Site, x.B.Site)
		p := [2]trace.Site{q.lo, q.hi}
		if tier, ok := found[p]; !ok || tier == Observed {
			found[p] = x.Tier
		}
		if x.Tier == ByValue {
			c.value++
		}
	}
	return found
}

// TestOutsideFaults leaves rules of the model of outside code out, one after the other. Each makes
// some race that the program does not have. Without a fault there is none.
func TestOutsideFaults(t *testing.T) {
	for k := range uint64(500) {
		if q, ok := falseByFault(t, &outsidetest.Fault{}, k); ok {
			t.Fatalf("without a fault, program %d: %v", k, q)
		}
	}
	for _, f := range outsidetest.Faults() {
		t.Run(f.Name, func(t *testing.T) {
			for k := range uint64(20_000) {
				if q, ok := falseByFault(t, &f, k); ok {
					t.Logf("program %d: %v", k, q)
					return
				}
			}
			t.Error("not noticed")
		})
	}
}

// falseByFault returns a false race that a fault makes in a program.
func falseByFault(t *testing.T, f *outsidetest.Fault, k uint64) (sitePair, bool) {
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
	r.only = func(b *built.Window) error {
		for _, g := range r.ladder(b.Window) {
			g.window()
			if f.Window != nil {
				g.w = tracetest.Clone(g.w)
				f.Window(g.w)
			}
			s := engine.New(g.w, engine.Options{})
			for _, q := range tracetest.Candidates(g.w) {
				if !candidateAccess(g.w, int(q.A)) || !candidateAccess(g.w, int(q.B)) {
					continue
				}
				if res := s.Solve(q); res.Verdict == engine.Race && !witness.IsPart(witness.Check(g.w, q, res.Order)) {
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
