package tracetest_test

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/presage-race/presage/internal/oracle/tracetest"
	"github.com/presage-race/presage/internal/predict/engine"
	"github.com/presage-race/presage/internal/predict/model"
)

// predict is the engine as a predictor.
func predict(w *model.Window) func(model.Pair) tracetest.Answer {
	s := engine.New(w, engine.Options{})
	return func(p model.Pair) tracetest.Answer {
		r := s.Solve(p)
		v := tracetest.Unknown
		switch r.Verdict {
		case engine.Race:
			v = tracetest.Race
		case engine.NoRace:
			v = tracetest.NoRace
		}
		return tracetest.Answer{Verdict: v, Order: r.Order, How: r.Layer.String()}
	}
}

// TestEngine compares the engine with the explorer. The command bench/crosscheck/explorer
// does the same with more pairs.
func TestEngine(t *testing.T) {
	pairs := 30_000
	if testing.Short() {
		pairs = 5_000
	}
	var c tracetest.Counts
	for n := uint64(0); c.Pairs < pairs; n++ {
		w := randomWindow(7, n)
		if d := tracetest.Compare(w.Window, predict, &c); d != nil {
			t.Fatalf("# %s, window %d, shrunk\n%s", w.Profile, n, tracetest.Shrink(d, predict))
		}
	}
	t.Logf("%d windows, %d too large; %d pairs, %d race, %d unknown", c.Windows, c.TooLarge, c.Pairs, c.Races, c.Unknown)
	t.Log(c.How)
	if c.Unknown > 0 {
		t.Errorf("%d pairs of tiny windows are unknown to the engine", c.Unknown)
	}
}

// randomWindow is a random window or, every other time, a variant.
func randomWindow(seed, n uint64) tracetest.Random {
	if n%2 == 1 {
		return tracetest.RandomVariant(seed, n/2, 1)
	}
	return tracetest.RandomWindow(seed, n/2)
}

// TestDifferences repeats the comparisons that once showed a difference.
func TestDifferences(t *testing.T) {
	cases, err := tracetest.Cases("testdata/disagree")
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range cases {
		if err := tracetest.WellFormed(c.Window); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if d := tracetest.Compare(c.Window, predict, &tracetest.Counts{}); d != nil {
			t.Errorf("%s:\n%s", name, d)
		}
	}
	t.Logf("%d former differences", len(cases))
}

// TestFaults checks that the comparison would notice each misreading of the model,
// by a witness the checker rejects or by a race that is missed: first in the
// hand-made windows, then in random ones.
func TestFaults(t *testing.T) {
	hand := cases(t, "model")
	maps.Copy(hand, cases(t, "variant"))
	for _, f := range tracetest.Faults() {
		where := ""
		notices := func(w *model.Window, n uint64, name string) bool {
			if where != "" || !f.Applies(w, n) {
				return where != ""
			}
			d := tracetest.Compare(w, f.Under(predict, n), &tracetest.Counts{})
			if d != nil && d.Panic != nil {
				t.Fatalf("%s: %s: %v", f.Name, name, d.Panic)
			}
			if d != nil {
				where = name
			}
			return d != nil
		}
		for _, name := range slices.Sorted(maps.Keys(hand)) {
			for seed := range uint64(4) {
				notices(hand[name].Window, seed, name)
			}
		}
		for n := uint64(0); n < 40_000; n++ {
			if notices(randomWindow(11, n).Window, n, fmt.Sprintf("random window %d", n)) {
				break
			}
		}
		if where == "" {
			t.Errorf("%s: not noticed", f.Name)
		}
		t.Logf("%-65s %s", f.Name, where)
	}
}

// cases reads the windows of testdata/model, each the smallest case of a rule, or of
// testdata/variant, with exactly the pairs that race.
func cases(t *testing.T, dir string) map[string]tracetest.Case {
	ms, err := tracetest.Cases("testdata/" + dir)
	if err != nil || len(ms) == 0 {
		t.Fatal("no cases:", err)
	}
	return ms
}

// TestModel checks explorer, checker and engine on the hand-made windows.
func TestModel(t *testing.T) {
	for name, m := range cases(t, "model") {
		t.Run(name, func(t *testing.T) {
			if err := tracetest.Validate(m.Window); err != nil {
				t.Fatal(err)
			}
			checkCase(t, m)
		})
	}
}

// TestVariants does the same with windows whose recorded order is no reordering.
func TestVariants(t *testing.T) {
	for name, m := range cases(t, "variant") {
		t.Run(name, func(t *testing.T) {
			if err := tracetest.WellFormed(m.Window); err != nil {
				t.Fatal(err)
			}
			if tracetest.Validate(m.Window) == nil {
				t.Error("the recorded order is a reordering")
			}
			checkCase(t, m)
		})
	}
}

func checkCase(t *testing.T, m tracetest.Case) {
	races, _ := tracetest.Explore(m.Window, 0)
	got := map[model.Pair]bool{}
	for p := range races {
		got[p] = true
	}
	if diff := cmp.Diff(m.Races, got); diff != "" {
		t.Errorf("races (-want +got):\n%s", diff)
	}
	if d := tracetest.Compare(m.Window, predict, &tracetest.Counts{}); d != nil {
		t.Errorf("engine:\n%s", d)
	}
}

// TestText checks that the text form reads back.
func TestText(t *testing.T) {
	for n := range uint64(500) {
		w := randomWindow(3, n).Window
		text := tracetest.Format(w)
		back, err := tracetest.Parse(text)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if again := tracetest.Format(back); again != text {
			t.Fatalf("reads back differently: %s", cmp.Diff(text, again))
		}
	}
}
