package progtest_test

import (
	"context"
	"strings"
	"testing"

	"github.com/presage-race/presage/internal/oracle/progtest"
	"github.com/presage-race/presage/internal/predict"
	"github.com/presage-race/presage/internal/predict/walk"
)

// TestShrink shrinks a program of which an analysis that ignores branches reports a false race.
func TestShrink(t *testing.T) {
	l := progtest.NewLoader()
	keep := func(src string) bool {
		p, err := l.Load(src)
		if err != nil {
			return false
		}
		truth := p.Explore(20_000)
		for seed := range uint64(24) {
			run, err := p.Record(seed)
			if err != nil || !truth.Exhausted {
				return false
			}
			res, err := predict.Run(context.Background(), run.Source(), run.Meta, predict.Options{Walker: free{walk.New(p.Plan)}})
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range res.Races {
				if !truth.Has(progtest.PairOf(r.A.Site, r.B.Site)) {
					return true
				}
			}
		}
		return false
	}
	for seed := uint64(0); seed < 100; seed++ {
		src := progtest.Generate(seed, progtest.Knobs{Use: progtest.Guards | progtest.Late | progtest.Arith})
		if !keep(src) {
			continue
		}
		small := l.Shrink(src, keep)
		if n := strings.Count(small, "\n"); n > 35 || !keep(small) {
			t.Errorf("%d lines are left:\n%s", n, small)
		}
		t.Logf("program %d:\n%s", seed, small)
		return
	}
	t.Error("no program to shrink")
}
