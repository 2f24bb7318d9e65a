package predict_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/presage-race/presage/internal/oracle/levels"
	"github.com/presage-race/presage/internal/oracle/progtest"
	"github.com/presage-race/presage/internal/predict"
	"github.com/presage-race/presage/internal/predict/excluded"
	"github.com/presage-race/presage/internal/trace/raw"
)

// TestEveryWindow: no race is found in windows without promise, in recorded runs of random
// programs. Windows are small, so that most programs have several.
func TestEveryWindow(t *testing.T) {
	races, left := 0, 0
	eachProgram(t, func(seed uint64, p *progtest.Program, run *progtest.Run) {
		walker := levels.Walkers(p.Plan, run.Meta, excluded.Reachable)
		find := func(every bool) (pairs map[levels.Pair]bool, unpromising int) {
			src, c, err := levels.InMemory(run.Events, run.Meta)()
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			res, err := predict.Run(context.Background(), src, run.Meta, predict.Options{Window: 40, Walker: walker(predict.Paths), EveryWindow: every})
			if err != nil {
				t.Fatal(err)
			}
			pairs = map[levels.Pair]bool{}
			for _, r := range res.Races {
				pairs[levels.Pair{A: min(r.A.Site, r.B.Site), B: max(r.A.Site, r.B.Site)}] = true
			}
			return pairs, res.Counts.Build.Unpromising
		}
		all, _ := find(true)
		some, n := find(false)
		for pair := range all {
			if !some[pair] {
				t.Errorf("program %d: %v races in a window without promise, or that begins elsewhere\n%s", seed, pair, p.Source)
			}
		}
		races += len(all)
		left += n
	})
	t.Logf("%d races, %d windows without promise", races, left)
	if races == 0 || left == 0 {
		t.Error("too few to say anything")
	}
}

// TestUnpromising: what has promise, and what has none.
func TestUnpromising(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       int // windows without promise
	}{
		{"start", "main write x val=1 @a\nmain go g2\ng2 write x val=2 @b\n", 1},
		{"after start", "main go g2\nmain write x val=1 @a\ng2 write x val=2 @b\n", 0},
		{"lock", "main go g2\nmain lock m\nmain write x val=1 @a\nmain unlock m\ng2 lock m\ng2 write x val=2 @b\ng2 unlock m\n", 1},
		{"two locks", "main go g2\nmain lock m\nmain write x val=1 @a\nmain unlock m\ng2 lock n\ng2 write x val=2 @b\ng2 unlock n\n", 0},
		{"waited for", "main go g2\nmain wgadd w val=1 aux=1\ng2 write x val=1 @a\ng2 wgadd w val=-1 aux=0\nmain wgwait w @w\nmain write x val=2 @b\n", 1},
		{"added behind the Wait", "main go g2\nmain go g3\nmain wgadd w val=1 aux=1\ng2 write x val=1 @a\ng2 wgadd w val=-1 aux=0\nmain wgwait w @w\nmain write x val=2 @b\ng3 wgadd w val=1 aux=1\ng3 wgadd w val=-1 aux=0\n", 0},
		{"an Add of nothing", "main go g2\nmain wgadd w val=1 aux=1\nmain wgadd w val=-1 aux=0\ng2 write x val=1 @a\ng2 wgadd w val=0 aux=0\nmain wgwait w @w\nmain write x val=2 @b\n", 0},
		{"half of a word made anew", "main go g2\nmain write x val=1 @a\nmain alloc x+4 val=4\ng2 write x val=2 @b\n", 0},
		{"a lock unlocked elsewhere", "main go g2\nmain lock m\nmain write x val=1 @a\ng2 unlock m\ng2 lock m\ng2 write x val=2 @b\ng2 unlock m\n", 0},
		{"once", "main go g2\nmain oncebegin o\nmain write x val=1 @a\nmain onceend o\ng2 oncepass o\ng2 write x val=2 @b\n", 1},
		{"sent", "main alloc c val=96\nmain go g2\nmain write x val=1 @a\nmain send c val=1 aux=1\ng2 recv c val=1 aux=1\ng2 write x val=2 @b\n", 1},
		{"sent by two", "main alloc c val=96\nmain go g2\nmain go g3\nmain write x val=1 @a\nmain send c val=1 aux=2\ng3 send c val=1 aux=2\ng2 recv c val=1 aux=2\ng2 write x val=2 @b\n", 0},
		{"close", "main go g2\nmain write x val=1 @a\nmain close c\ng2 recv c closed @r\ng2 write x val=2 @b\n", 1},
	} {
		events, meta, err := raw.Parse(c.text)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		src, closer, err := levels.InMemory(events, meta)()
		if err != nil {
			t.Fatal(err)
		}
		res, err := predict.Run(context.Background(), src, meta, predict.Options{})
		closer.Close()
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(c.want, res.Counts.Build.Unpromising); d != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, d)
		}
	}
}
