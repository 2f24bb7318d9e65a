package smt

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/presage-race/presage/internal/check/witness"
	"github.com/presage-race/presage/internal/oracle/tracetest"
	"github.com/presage-race/presage/internal/predict/model"
)

// TestRules has the solver find exactly the races of windows that show one rule each: those of
// package tracetest, and those of testdata/rules, for what the encoding has to do of its own. The
// explorer has to agree with both.
func TestRules(t *testing.T) {
	p := find(t)
	for _, dir := range []string{"../tracetest/testdata/model", "testdata/rules"} {
		cases, err := tracetest.Cases(dir)
		if err != nil || len(cases) == 0 {
			t.Fatalf("%s: %d cases, %v", dir, len(cases), err)
		}
		for _, name := range slices.Sorted(maps.Keys(cases)) {
			t.Run(name, func(t *testing.T) {
				c := cases[name]
				explored, _ := tracetest.Explore(c.Window, 0)
				known := map[model.Pair]bool{}
				for p := range explored {
					known[p] = true
				}
				if d := cmp.Diff(c.Races, known); d != "" {
					t.Fatalf("the explorer (-want +got):\n%s", d)
				}
				if d := cmp.Diff(c.Races, races(t, p, c.Window)); d != "" {
					t.Errorf("races (-want +got):\n%s", d)
				}
			})
		}
	}
}

// races are the pairs that race, each with a witness that the checker accepts.
func races(t *testing.T, p *Process, w *model.Window) map[model.Pair]bool {
	t.Helper()
	s := New(w, p, Options{})
	found := map[model.Pair]bool{}
	for _, pair := range tracetest.Candidates(w) {
		r, err := s.Solve(pair)
		if err != nil {
			t.Fatal(err)
		}
		switch r.Verdict {
		case Unknown:
			t.Errorf("%v is unknown: %s", pair, r.Why)
		case Race:
			found[pair] = true
			if err := witness.Check(w, pair, r.Order); err != nil {
				t.Errorf("%v, order %v: %v", pair, r.Order, err)
			}
		}
	}
	return found
}

// TestRandom compares the solver with the explorer. The command bench/crosscheck/smt compares it
// with the engine, on more.
func TestRandom(t *testing.T) {
	p := find(t)
	pairs := 600
	if testing.Short() {
		pairs = 100
	}
	predict := func(w *model.Window) func(model.Pair) tracetest.Answer {
		s := New(w, p, Options{})
		return func(pair model.Pair) tracetest.Answer {
			r, err := s.Solve(pair)
			if err != nil {
				panic(err)
			}
			v := map[Verdict]tracetest.Verdict{Unknown: tracetest.Unknown, Race: tracetest.Race, NoRace: tracetest.NoRace}[r.Verdict]
			return tracetest.Answer{Verdict: v, Order: r.Order, How: r.Verdict.String()}
		}
	}
	var c tracetest.Counts
	for n := uint64(0); c.Pairs < pairs; n++ {
		for _, w := range []tracetest.Random{tracetest.RandomWindow(21, n), tracetest.RandomVariant(21, n, 1)} {
			if d := tracetest.Compare(w.Window, predict, &c); d != nil {
				t.Fatalf("# %s, window %d, shrunk\n%s", w.Profile, n, tracetest.Shrink(d, predict))
			}
		}
	}
	t.Logf("%d windows, %d pairs, %d race, %d unknown", c.Windows, c.Pairs, c.Races, c.Unknown)
}

// TestTooLarge: beyond the limit there is no query, but an answer that says so.
func TestTooLarge(t *testing.T) {
	p := &Process{}
	w := tracetest.RandomWindow(1, 0).Window
	for _, pair := range tracetest.Candidates(w) {
		if q := newQuery(w, pair); q.ev.size() > 1 {
			if r, err := New(w, p, Options{Events: 1}).Solve(pair); err != nil || r.Verdict != Unknown || r.Why != "too many events" {
				t.Errorf("%v, %v", r, err)
			}
			return
		}
	}
	t.Error("no pair with events before it")
}

// TestFind: the errors say what to do.
func TestFind(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	for _, c := range []struct{ name, want string }{{"z3", `no program "z3" on PATH`}, {"yices", "is none of z3, cvc5"}} {
		if _, err := Find(c.name, 0); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}
