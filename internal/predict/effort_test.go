package predict

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/presage-race/presage/internal/predict/engine"
	"github.com/presage-race/presage/internal/predict/model"
	"github.com/presage-race/presage/internal/trace/raw"
)

// answers is a solver that a test makes.
type answers func(model.Pair) engine.Result

func (f answers) Solve(p model.Pair) engine.Result { return f(p) }

// TestShare: pairs of positions that each take many searches leave effort for a race behind them
// (PR2), and what is not tried of them is counted.
func TestShare(t *testing.T) {
	const hard, rounds = 20, 40
	var text strings.Builder
	text.WriteString("main alloc x val=64\nmain alloc flag val=64\nmain go g2\n")
	for i := range rounds {
		for k := range hard { // the read of the flag keeps the two writes in order
			fmt.Fprintf(&text, "main write x%d val=1 @a%d\nmain lock m\nmain write flag val=%d\nmain unlock m\n", k, k, i*hard+k+1)
			fmt.Fprintf(&text, "g2 lock m\ng2 read flag val=%d\ng2 unlock m\ng2 write x%d val=2 @b%d\n", i*hard+k+1, k, k)
		}
	}
	text.WriteString("main write y val=1 @a\nmain lock m\nmain unlock m\ng2 lock m\ng2 unlock m\ng2 write y val=2 @b\n")
	events, meta, err := raw.Parse(text.String())
	if err != nil {
		t.Fatal(err)
	}
	r := newRun(Options{Window: 100, Solver: func(w *model.Window) Solver {
		e := engine.New(w, engine.Options{})
		return answers(func(p model.Pair) engine.Result {
			res := e.Solve(p)
			if res.Layer == engine.LayerMust { // as if it had been harder
				res.Layer, res.Steps = engine.LayerSearch, 10
			}
			return res
		})
	}}, meta)
	r.ctx = context.Background()
	r.spent.budget = 300_000
	res := stepAll(t, r, events)
	t.Logf("%d of %d visits; %d tried, %v", r.spent.visits, r.spent.budget, res.Counts.Tried, res.Counts.Layers)
	if res.Counts.Stopped > 0 {
		t.Errorf("prediction stopped at event %d of %d", res.Counts.Stopped, len(events))
	}
	if len(res.Races) != 1 || siteName(meta, res.Races[0].A.Site) != "a" {
		t.Errorf("%d races, want the one behind the hard pairs", len(res.Races))
	}
	if res.Counts.Untried[0] == 0 {
		t.Error("nothing says that not all pairs were tried")
	}
}

// TestLooks: looks at pairs that a common lock excludes cost little of the effort (PR6), so that
// hundreds of goroutines under one lock leave it for a race behind them.
func TestLooks(t *testing.T) {
	const goroutines, rounds = 300, 3
	var text strings.Builder
	text.WriteString("main alloc x val=64\nmain alloc y val=64\n")
	for i := range goroutines {
		fmt.Fprintf(&text, "main lock owng%[1]d\nmain unlock owng%[1]d\nmain go g%[1]d\n", i+2)
	}
	for range rounds {
		for i := range goroutines { // with a lock of its own: no two hold the same locks
			g := fmt.Sprintf("g%d", i+2)
			fmt.Fprintf(&text, "%[1]s lock own%[1]s\n%[1]s lock m\n%[1]s write x val=1 @x\n%[1]s unlock m\n%[1]s unlock own%[1]s\n", g)
		}
	}
	text.WriteString("g2 write y val=1 @a\ng2 lock m\ng2 unlock m\ng3 lock m\ng3 unlock m\ng3 write y val=2 @b\n")
	events, meta, err := raw.Parse(text.String())
	if err != nil {
		t.Fatal(err)
	}
	r := newRun(Options{}, meta)
	r.ctx = context.Background()
	r.spent.budget = goroutines * goroutines * rounds / 4
	res := stepAll(t, r, events)
	t.Logf("%d of %d visits for %d pairs under a lock", r.spent.visits, r.spent.budget, res.Counts.Locked)
	if res.Counts.Stopped > 0 {
		t.Errorf("prediction stopped at event %d of %d", res.Counts.Stopped, len(events))
	}
	if len(res.Races) != 1 || siteName(meta, res.Races[0].A.Site) != "a" {
		t.Errorf("%d races, want the one behind the accesses under a lock", len(res.Races))
	}
}
