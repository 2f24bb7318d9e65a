package tracetest_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"presage/internal/engine"
	"presage/internal/trace/tracetest"
	"presage/internal/window"
)

// predict is the engine as a predictor.
func predict(w *window.Window) func(window.Pair) tracetest.Answer {
	s := engine.New(w, engine.Options{})
	return func(p window.Pair) tracetest.Answer {
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

// TestEngine compares the engine with the explorer. The command bench/fuzzengine
// does the same with more pairs.
func TestEngine(t *testing.T) {
	pairs := 30_000
	if testing.Short() {
		pairs = 5_000
	}
	var c tracetest.Counts
	for n := uint64(0); c.Pairs < pairs; n++ {
		w := tracetest.RandomWindow(7, n)
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

// TestDifferences repeats the comparisons that once showed a difference.
func TestDifferences(t *testing.T) {
	files, err := filepath.Glob("testdata/disagree/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		text, _, _ := strings.Cut(string(data), "\npair ")
		w, err := tracetest.Parse(text)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if err := tracetest.Validate(w); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if d := tracetest.Compare(w, predict, &tracetest.Counts{}); d != nil {
			t.Errorf("%s:\n%s", name, d)
		}
	}
}

// TestFaults checks that the comparison would notice each misreading of the model,
// by a witness the checker rejects or by a race that is missed: first in the
// hand-made windows, then in random ones.
func TestFaults(t *testing.T) {
	hand := models(t)
	for _, f := range tracetest.Faults() {
		where := ""
		notices := func(w *window.Window, n uint64, name string) bool {
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
				notices(hand[name].window, seed, name)
			}
		}
		for n := uint64(0); n < 40_000; n++ {
			if notices(tracetest.RandomWindow(11, n).Window, n, fmt.Sprintf("random window %d", n)) {
				break
			}
		}
		if where == "" {
			t.Errorf("%s: not noticed", f.Name)
		}
		t.Logf("%-65s %s", f.Name, where)
	}
}

// models reads the windows of testdata/model, each the smallest case of a rule,
// with exactly the pairs that race.
func models(t *testing.T) map[string]model {
	files, err := filepath.Glob("testdata/model/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no testdata/model:", err)
	}
	ms := map[string]model{}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		var text strings.Builder
		m := model{races: map[window.Pair]bool{}}
		for line := range strings.Lines(string(data)) {
			var p window.Pair
			if n, _ := fmt.Sscanf(line, "race %d %d", &p.A, &p.B); n == 2 {
				m.races[p] = true
			} else {
				text.WriteString(line)
			}
		}
		if m.window, err = tracetest.Parse(text.String()); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		ms[strings.TrimSuffix(filepath.Base(name), ".txt")] = m
	}
	return ms
}

type model struct {
	window *window.Window
	races  map[window.Pair]bool
}

// TestModel checks explorer, checker and engine on the hand-made windows.
func TestModel(t *testing.T) {
	for name, m := range models(t) {
		t.Run(name, func(t *testing.T) {
			if err := tracetest.Validate(m.window); err != nil {
				t.Fatal(err)
			}
			races, _ := tracetest.Explore(m.window, 0)
			got := map[window.Pair]bool{}
			for p := range races {
				got[p] = true
			}
			if diff := cmp.Diff(m.races, got); diff != "" {
				t.Errorf("races (-want +got):\n%s", diff)
			}
			if d := tracetest.Compare(m.window, predict, &tracetest.Counts{}); d != nil {
				t.Errorf("engine:\n%s", d)
			}
		})
	}
}

// TestText checks that the text form reads back.
func TestText(t *testing.T) {
	for n := range uint64(500) {
		w := tracetest.RandomWindow(3, n).Window
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
