package predict

import (
	"context"
	"testing"

	"github.com/presage-race/presage/internal/oracle/progtest"
	"github.com/presage-race/presage/internal/predict/walk"
)

// TestBudget: what a budget costs is said. A race that is found with more tries and not with fewer
// comes with a count of what was not tried, on its rung.
func TestBudget(t *testing.T) {
	loader := progtest.NewLoader()
	missed := [rungs]int{}
	for seed := range uint64(400) {
		p, err := loader.Load(progtest.Generate(seed, progtest.Knobs{}))
		if err != nil {
			t.Fatal(err)
		}
		run, err := p.Record(seed)
		if err != nil {
			continue // it was given up
		}
		little, much := budgeted(t, p, run, 1), budgeted(t, p, run, 0)
		found := map[sitePair]bool{}
		for _, r := range little.Races {
			found[pairOf(r.A.Site, r.B.Site)] = true
		}
		for _, r := range much.Races {
			rung := map[Tier]int{ByValue: 1, ByPath: pathRung}[r.Tier]
			if found[pairOf(r.A.Site, r.B.Site)] {
				continue
			}
			missed[rung]++
			if c := &little.Counts; c.Untried[rung]+c.WaysLeft == 0 {
				t.Errorf("program %d: the race of sites %d and %d is not found (%v), and nothing says so: %+v", seed, r.A.Site, r.B.Site, r.Tier, little.Warnings)
			}
		}
	}
	t.Logf("%d races missed, by rung", missed)
	if missed[pathRung] < 10 {
		t.Errorf("the comparison has no power: %d races missed, by rung", missed)
	}
}

func budgeted(t *testing.T, p *progtest.Program, run *progtest.Run, total int) *Result {
	t.Helper()
	res, err := Run(context.Background(), run.Source(), run.Meta, Options{Total: total, Walker: walk.NewBranching(p.Plan)})
	if err != nil {
		t.Fatal(err)
	}
	return res
}
