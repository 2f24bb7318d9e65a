package progtest_test

import (
	"context"
	"flag"
	"testing"

	"github.com/presage-race/presage/internal/oracle/progtest"
	"github.com/presage-race/presage/internal/predict"
	"github.com/presage-race/presage/internal/predict/flow"
	"github.com/presage-race/presage/internal/predict/walk"
	"github.com/presage-race/presage/internal/trace"
)

var (
	programs = flag.Int("programs", 150, "programs of TestGenerated")
	seed     = flag.Uint64("seed", 0, "seed of the first")
)

// TestGenerated holds the pipeline against the explorer: what it reports of a recorded run of a
// random program is a race of the program, and the walk agrees with every record of the run.
// bench/precision/tiny does the same for more of them.
func TestGenerated(t *testing.T) {
	l := progtest.NewLoader()
	var races, reported, open, checked int
	for i := range uint64(*programs) {
		seed := *seed + i
		src := progtest.Generate(seed, progtest.Knobs{})
		p, err := l.Load(src)
		if err != nil {
			t.Fatalf("program %d: %v\n%s", seed, err, src)
		}
		truth := p.Explore(20_000)
		races += len(truth.Pairs)
		run, err := p.Record(seed)
		if err != nil {
			t.Fatalf("program %d: %v\n%s", seed, err, src)
		}
		w := walk.New(p.Plan)
		res, err := predict.Run(context.Background(), run.Source(), run.Meta, predict.Options{Walker: w})
		if err != nil {
			t.Fatalf("program %d: %v\n%s", seed, err, src)
		}
		for _, m := range w.Mismatches() {
			t.Fatalf("program %d: %v\n%s", seed, m, src)
		}
		checked += int(w.Stats().Checked)
		if !truth.Exhausted {
			open++
			continue
		}
		for _, r := range res.Races {
			reported++
			if q := progtest.PairOf(r.A.Site, r.B.Site); !truth.Has(q) {
				t.Fatalf("program %d: false race %s\n%s", seed, p.Describe(q), src)
			}
		}
	}
	t.Logf("%d programs, %d races, %d reported of recorded runs, %d not exhausted, %d values checked by the walk", *programs, races, reported, open, checked)
	if races < 2**programs || reported < races/3 || open > *programs/20 {
		t.Errorf("the comparison has no power")
	}
}

// TestPower takes away what keeps predictions true: without the reads that branches and addresses
// need, false races must show.
func TestPower(t *testing.T) {
	l := progtest.NewLoader()
	false := 0
	for seed := range uint64(150) {
		p, err := l.Load(progtest.Generate(seed, progtest.Knobs{Use: progtest.Guards | progtest.Late | progtest.Arith}))
		if err != nil {
			t.Fatal(err)
		}
		truth := p.Explore(20_000)
		run, err := p.Record(seed)
		if err != nil || !truth.Exhausted {
			continue
		}
		res, err := predict.Run(context.Background(), run.Source(), run.Meta, predict.Options{Walker: free{walk.New(p.Plan)}})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range res.Races {
			if !truth.Has(progtest.PairOf(r.A.Site, r.B.Site)) {
				false++
			}
		}
	}
	if false < 12 {
		t.Errorf("only %d false races of an analysis that ignores branches", false)
	}
	t.Logf("%d false races", false)
}

// free is a walker that needs nothing.
type free struct{ w *walk.Walker }

func (f free) Step(index int64, e *trace.Event) flow.Flow {
	flow := f.w.Step(index, e)
	flow.Needs = nil
	return flow
}
