package tracetest

import (
	"testing"

	"github.com/presage-race/presage/internal/check/witness"
)

// TestGenerate checks generated windows and the three readings of the model
// against one another: the run of the generator, the explorer, and the checker.
func TestGenerate(t *testing.T) {
	kinds := map[string]int{}
	pairs, races, states := map[string]int{}, map[string]int{}, 0
	infeasible := 0
	for n := range uint64(16000) {
		w, valid := RandomWindow(1, n/2), Validate
		if n%2 == 1 {
			w, valid = RandomVariant(1, n/2, 1), WellFormed
			if Validate(w.Window) != nil {
				infeasible++
			}
		}
		if err := valid(w.Window); err != nil {
			t.Fatalf("window %d of %s: %v\n%s", n, w.Profile, err, Format(w.Window))
		}
		for i := range w.Events {
			kinds[kindName(w.Events[i].Kind)]++
		}
		cand := Candidates(w.Window)
		pairs[w.Profile] += len(cand)
		if len(cand) == 0 {
			continue
		}
		found, complete := Explore(w.Window, 200_000)
		if !complete {
			states++
			continue
		}
		races[w.Profile] += len(found)
		for p, order := range found {
			if err := witness.Check(w.Window, p, order); err != nil {
				t.Fatalf("window %d of %s: pair %v, order %v: %v\n%s", n, w.Profile, p, order, err, Format(w.Window))
			}
		}
	}
	t.Log(kinds)
	for _, p := range append(Profiles(), Variants()...) {
		t.Logf("%-28s %5d pairs, %5d race", p.Name, pairs[p.Name], races[p.Name])
		if pairs[p.Name] == 0 || races[p.Name] == 0 || races[p.Name] == pairs[p.Name] {
			t.Errorf("%s: %d of %d pairs race: says nothing", p.Name, races[p.Name], pairs[p.Name])
		}
	}
	t.Logf("too large: %d; infeasible: %d of 8000 variants", states, infeasible)
	if infeasible < 2000 {
		t.Error("the recorded order of too few variants is infeasible")
	}
}
