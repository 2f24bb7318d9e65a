package engine

import (
	"flag"
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/presage-race/presage/internal/check/witness"
	"github.com/presage-race/presage/internal/oracle/tracetest"
	"github.com/presage-race/presage/internal/predict/model"
)

var (
	seeds = flag.Int("seeds", 150, "random windows per profile")
	seed0 = flag.Int64("seed0", 1, "first seed")
)

// TestCompare compares the verdicts on all pairs of small random windows with
// exhaustive exploration, and checks every witness.
func TestCompare(t *testing.T) {
	for _, pr := range profiles {
		t.Run(pr.name, func(t *testing.T) {
			var layers [2][4]int
			for k := range *seeds {
				compare(t, pr, *seed0+int64(k), &layers)
			}
			t.Logf("no race by layer %v, race by layer %v", layers[0], layers[1])
		})
	}
}

func compare(t *testing.T, pr profile, seed int64, layers *[2][4]int) {
	w := randomWindow(rand.New(rand.NewSource(seed)), pr)
	races, complete := tracetest.Explore(w, 200_000)
	if !complete {
		t.Logf("seed %d: too many states", seed)
		return
	}
	s := New(w, Options{Conflicts: 100_000})
	bare := New(w, Options{Conflicts: 100_000})
	bare.searchOnly = true
	for _, p := range tracetest.Candidates(w) {
		_, want := races[p]
		if r := bare.Solve(p); (r.Verdict == Race) != want {
			t.Fatalf("seed %d, pair %v: search alone says %v, want race %v, witness %v\n%s", seed, p, r.Verdict, want, races[p], dump(w))
		} else if r.Verdict == Race {
			if err := witness.Check(w, p, r.Order); err != nil {
				t.Fatalf("seed %d, pair %v, search alone, order %v: %v\n%s", seed, p, r.Order, err, dump(w))
			}
		}
		r := s.Solve(p)
		if (r.Verdict == Race) != want || r.Verdict == Unknown {
			t.Fatalf("seed %d, pair %v: %v (%v), want race %v, witness %v\n%s", seed, p, r.Verdict, r.Layer, want, races[p], dump(w))
		}
		layers[2-r.Verdict][r.Layer]++
		if r.Verdict == Race {
			if err := witness.Check(w, p, r.Order); err != nil {
				t.Fatalf("seed %d, pair %v, order %v: %v\n%s", seed, p, r.Order, err, dump(w))
			}
		}
	}
}

// TestShared solves the pairs of a window with one Solver, forwards and backwards, and
// with a new Solver each: what is learned from one pair must not change another's
// verdict, and the same calls give the same results.
func TestShared(t *testing.T) {
	for _, c := range []workload{hot(150), disciplined(400), wide(600)} {
		w, sets := c.window()
		pairs := samplePairs(w, sets, 40, c.seed)
		all := func() []Result {
			s := New(w, Options{Conflicts: 50_000})
			var rs []Result
			for _, p := range pairs {
				rs = append(rs, s.Solve(p))
			}
			for i := len(pairs) - 1; i >= 0; i-- {
				if got := s.Solve(pairs[i]).Verdict; got != rs[i].Verdict {
					t.Errorf("%+v, pair %v: %v, then %v", c, pairs[i], rs[i].Verdict, got)
				}
			}
			return rs
		}
		first := all()
		if diff := cmp.Diff(first, all()); diff != "" {
			t.Errorf("%+v: two runs differ\n%s", c, diff)
		}
		for i, p := range pairs {
			if got := New(w, Options{Conflicts: 50_000}).Solve(p).Verdict; got != first[i].Verdict {
				t.Errorf("%+v, pair %v: %v, alone %v", c, p, first[i].Verdict, got)
			}
		}
	}
}

// TestBudget: a small budget makes answers unknown, never wrong.
func TestBudget(t *testing.T) {
	c := hot(400)
	w, sets := c.window()
	large := New(w, Options{Conflicts: 20_000})
	over := func() bool { return true }
	for _, opt := range []Options{{Conflicts: 1}, {Conflicts: 20_000, Steps: 1}, {Conflicts: 20_000, Over: over}} {
		small, unknown := New(w, opt), 0
		for _, p := range samplePairs(w, sets, 60, c.seed) {
			want, got := large.Solve(p).Verdict, small.Solve(p)
			switch {
			case got.Verdict == Unknown:
				unknown++
			case want != Unknown && got.Verdict != want:
				t.Errorf("pair %v: %v with %+v, %v with a large budget", p, got.Verdict, opt, want)
			}
			if opt.Steps > 0 && got.Steps > opt.Steps+1 {
				t.Errorf("pair %v: %d executions with %+v", p, got.Steps, opt)
			}
		}
		if unknown == 0 {
			t.Errorf("%+v was never spent: the test says nothing", opt)
		}
	}
}

func dump(w *model.Window) string {
	var b strings.Builder
	for i := range w.Events {
		e := &w.Events[i]
		fmt.Fprintf(&b, "%d: t%d %v(%d) val=%d aux=%d flags=%x strict=%v deps=%v valdeps=%v cases=%v partner=%d\n",
			i, e.Thread, e.Kind, e.Obj, int64(e.Val), e.Aux, e.Flags, e.Strict, e.Deps, e.ValDeps, e.Cases, e.Partner)
	}
	fmt.Fprintf(&b, "edges %v\n", w.Edges)
	for o := range w.Init {
		fmt.Fprintf(&b, "init %d: %+v\n", o, w.Init[o])
	}
	return b.String()
}
