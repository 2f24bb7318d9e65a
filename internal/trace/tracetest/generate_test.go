package tracetest

import (
	"testing"

	"presage/internal/witness"
)

// TestGenerate checks generated windows and the three readings of the model
// against one another: the run of the generator, the explorer, and the checker.
func TestGenerate(t *testing.T) {
	kinds := map[string]int{}
	pairs, races, states := map[string]int{}, map[string]int{}, 0
	for n := range uint64(8000) {
		w := RandomWindow(1, n)
		if err := Validate(w.Window); err != nil {
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
	for _, p := range Profiles() {
		t.Logf("%-28s %5d pairs, %5d race", p.Name, pairs[p.Name], races[p.Name])
		if pairs[p.Name] == 0 || races[p.Name] == 0 || races[p.Name] == pairs[p.Name] {
			t.Errorf("%s: %d of %d pairs race: says nothing", p.Name, races[p.Name], pairs[p.Name])
		}
	}
	t.Log("too large:", states)
}
