package progtest

import (
	"slices"
	"testing"
)

// TestReduction compares the exploration with one that has every access as a step (without PT2) and
// compares states by all their words (without PT3).
func TestReduction(t *testing.T) {
	l := NewLoader()
	compared, less, all, pairs := 0, 0, 0, 0
	for seed := uint64(0); compared < 60; seed++ {
		p, err := l.Load(Generate(seed, Knobs{Goroutines: 2, Statements: 2}))
		if err != nil {
			t.Fatal(err)
		}
		e := newExplorer(p)
		e.m.stops = nil
		e.whole = true
		full := e.explore(60_000)
		if !full.Exhausted {
			continue
		}
		got := p.Explore(60_000)
		if !got.Exhausted || !slices.Equal(got.Pairs, full.Pairs) {
			t.Fatalf("program %d: races %v (%s), without reduction %v\n%s", seed, got.Pairs, got.Why, full.Pairs, p.Source)
		}
		compared++
		less, all, pairs = less+got.States, all+full.States, pairs+len(got.Pairs)
	}
	t.Logf("%d programs, %d races, %d states of %d", compared, pairs, less, all)
	if pairs < 2*compared || less*2 > all {
		t.Errorf("the comparison has no power")
	}
}
