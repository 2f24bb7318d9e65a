package engine

import (
	"flag"
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"presage/internal/trace/tracetest"
	"presage/internal/window"
	"presage/internal/witness"
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
	for _, p := range tracetest.Candidates(w) {
		_, want := races[p]
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

func dump(w *window.Window) string {
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
