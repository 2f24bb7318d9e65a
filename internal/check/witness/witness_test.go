package witness_test

import (
	"errors"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/presage-race/presage/internal/check/witness"
	"github.com/presage-race/presage/internal/oracle/tracetest"
	"github.com/presage-race/presage/internal/predict/model"
	"github.com/presage-race/presage/internal/trace/format"
)

// TestCheckAgainstExplorer changes witnesses in each of spoilers and compares the checker with the
// explorer, which was written independently. A changed witness may still be one.
func TestCheckAgainstExplorer(t *testing.T) {
	windows := uint64(3_000)
	if testing.Short() {
		windows = 1_000
	}
	r := rand.New(rand.NewPCG(5, 5))
	accepted := 0
	rejected := map[string]int{} // by rule
	for n := range windows {
		w := tracetest.RandomWindow(5, n).Window
		races, _ := tracetest.Explore(w, 100_000)
		for _, p := range tracetest.Candidates(w) {
			orders := [][]int32{walk(r, w), walk(r, w)}
			if order, ok := races[p]; ok {
				orders = append(orders, order)
				for _, spoil := range spoilers {
					orders = append(orders, spoil(r, w, slices.Clone(order)))
				}
			}
			for _, order := range orders {
				if rule := compare(t, w, p, order); rule != "" {
					rejected[rule]++
				} else {
					accepted++
				}
			}
		}
	}
	t.Logf("%d accepted; rejected by rule: %v", accepted, rejected)
	for _, rule := range []string{"MO1", "MO2", "MO3", "MO4", "MO6", "L", "W", "O", "N", "C", "U", "S", "R"} {
		if rejected[rule] == 0 {
			t.Errorf("no order was rejected by rule %s", rule)
		}
	}
}

// TestCheckEveryStep compares the checker with the explorer in every state that the
// explorer reaches: each thread's next event is allowed by both or by neither.
func TestCheckEveryStep(t *testing.T) {
	windows := uint64(3_000)
	if testing.Short() {
		windows = 500
	}
	cases, err := tracetest.Cases("../../oracle/tracetest/testdata/model")
	if err != nil || len(cases) == 0 {
		t.Fatal("no hand-made windows:", err)
	}
	all := []*model.Window{}
	for _, name := range slices.Sorted(maps.Keys(cases)) {
		all = append(all, cases[name].Window)
	}
	for n := range windows {
		all = append(all, tracetest.RandomWindow(9, n).Window)
	}
	allowed := 0
	rejected := map[string]int{}
	for _, w := range all {
		tracetest.Steps(w, 300, func(order []int32, next int32, want error) {
			if t.Failed() {
				return
			}
			got := witness.Run(w, append(order, next))
			if (got == nil) != (want == nil) {
				t.Errorf("order %v, then %d:\nchecker: %v\nexplorer: %v\n%s", order, next, got, want, tracetest.Format(w))
			}
			if got == nil {
				allowed++
				return
			}
			var v *witness.Violation
			if errors.As(got, &v) {
				rejected[v.Rule]++
			}
		})
		if t.Failed() {
			return
		}
	}
	t.Logf("%d steps allowed; rejected by rule: %v", allowed, rejected)
	for _, rule := range []string{"MO2", "MO3", "MO4", "MO6", "L", "W", "O", "N", "C", "U", "S"} {
		if rejected[rule] == 0 {
			t.Errorf("no step was rejected by rule %s", rule)
		}
	}
}

// compare checks one order and returns the rule that rejects it, if any.
func compare(t *testing.T, w *model.Window, p model.Pair, order []int32) string {
	t.Helper()
	got, want := witness.Check(w, p, order), tracetest.Replay(w, p, order)
	if (got == nil) != (want == nil) {
		t.Fatalf("pair %v, order %v:\nchecker: %v\nexplorer: %v\n%s", p, order, got, want, tracetest.Format(w))
	}
	if got == nil {
		return ""
	}
	var v *witness.Violation
	if !errors.As(got, &v) || v.Rule == "" || v.Reason == "" {
		t.Fatalf("error names no rule or no reason: %v", got)
	}
	return v.Rule
}

// spoilers change a witness.
var spoilers = []func(*rand.Rand, *model.Window, []int32) []int32{
	func(r *rand.Rand, _ *model.Window, o []int32) []int32 { // swap two events
		if len(o) > 1 {
			i, j := r.IntN(len(o)), r.IntN(len(o))
			o[i], o[j] = o[j], o[i]
		}
		return o
	},
	func(r *rand.Rand, _ *model.Window, o []int32) []int32 { // swap neighbours
		if len(o) > 1 {
			i := r.IntN(len(o) - 1)
			o[i], o[i+1] = o[i+1], o[i]
		}
		return o
	},
	func(r *rand.Rand, _ *model.Window, o []int32) []int32 { // drop an event
		if len(o) > 0 {
			i := r.IntN(len(o))
			o = slices.Delete(o, i, i+1)
		}
		return o
	},
	func(r *rand.Rand, _ *model.Window, o []int32) []int32 { // drop the end
		return o[:r.IntN(len(o)+1)]
	},
	func(r *rand.Rand, w *model.Window, o []int32) []int32 { // put any event anywhere
		return slices.Insert(o, r.IntN(len(o)+1), int32(r.IntN(len(w.Events))))
	},
	func(r *rand.Rand, w *model.Window, o []int32) []int32 { // go on
		return append(o, int32(r.IntN(len(w.Events))))
	},
	func(r *rand.Rand, w *model.Window, o []int32) []int32 { // move an event
		if len(o) > 0 {
			i := r.IntN(len(o))
			e := o[i]
			o = slices.Delete(o, i, i+1)
			o = slices.Insert(o, r.IntN(len(o)+1), e)
		}
		return o
	},
	func(_ *rand.Rand, w *model.Window, o []int32) []int32 { // an event that is not there
		return append(o, int32(len(w.Events)))
	},
}

// walk executes threads at random, whether they are enabled or not.
func walk(r *rand.Rand, w *model.Window) []int32 {
	threads := make([][]int32, len(w.Threads))
	for i := range w.Events {
		t := w.Events[i].Thread
		threads[t] = append(threads[t], int32(i))
	}
	var order []int32
	for range r.IntN(len(w.Events) + 1) {
		if t := r.IntN(len(threads)); len(threads[t]) > 0 {
			order = append(order, threads[t][0])
			threads[t] = threads[t][1:]
		}
	}
	return order
}

// TestCheckRejectsWrongPairs checks every witness with every other pair.
func TestCheckRejectsWrongPairs(t *testing.T) {
	wrong := 0
	for n := range uint64(400) {
		w := tracetest.RandomWindow(6, n).Window
		races, _ := tracetest.Explore(w, 100_000)
		for _, order := range races {
			for a := range w.Events {
				for b := range w.Events {
					if compare(t, w, model.Pair{A: int32(a), B: int32(b)}, order) != "" {
						wrong++
					}
				}
			}
			for _, p := range []model.Pair{{A: -1, B: 0}, {A: 0, B: int32(len(w.Events))}} {
				if witness.Check(w, p, order) == nil {
					t.Fatalf("accepts pair %v", p)
				}
			}
		}
	}
	if wrong == 0 {
		t.Error("no wrong pair was tried")
	}
}

// TestCheckText checks that a read of the content of a string does not race: for every race of a
// read, the same race with such a read is refused.
func TestCheckText(t *testing.T) {
	tried := 0
	for n := range uint64(200) {
		w := tracetest.RandomWindow(6, n).Window
		races, _ := tracetest.Explore(w, 100_000)
		for p, order := range races {
			for _, i := range []int32{p.A, p.B} {
				if w.Events[i].Kind != format.Read {
					continue
				}
				tried++
				w.Events[i].Flags |= format.FlagText
				if witness.Check(w, p, order) == nil {
					t.Errorf("seed %d: accepts pair %v, of which event %d is a read of what a string says", n, p, i)
				}
				w.Events[i].Flags &^= format.FlagText
			}
		}
	}
	if tried == 0 {
		t.Error("no race of a read was tried")
	}
}

// TestCheckMalformed checks that a malformed window is an error and never a panic.
func TestCheckMalformed(t *testing.T) {
	for n := range uint64(200) {
		for name, spoil := range map[string]func(*model.Window){
			"thread": func(w *model.Window) { w.Events[0].Thread = 99 },
			"object": func(w *model.Window) { w.Init = nil },
			"edge":   func(w *model.Window) { w.Edges = append(w.Edges, model.Edge{From: 0, To: 99}) },
			"slot":   func(w *model.Window) { w.Init[0] = model.ObjState{Queue: []uint64{1, 2}} },
			"kind":   func(w *model.Window) { w.Events[0].Kind = 200 },
		} {
			w := tracetest.Clone(tracetest.RandomWindow(8, n).Window)
			pairs := tracetest.Candidates(w)
			if len(pairs) == 0 || pairs[0].A == 0 {
				continue
			}
			spoil(w)
			if err := witness.Check(w, pairs[0], []int32{0}); err == nil {
				t.Errorf("window %d with a wrong %s is accepted", n, name)
			}
		}
		w := tracetest.Clone(tracetest.RandomWindow(8, n).Window)
		for i := range w.Events {
			w.Events[i].Deps = append(w.Events[i].Deps, -1, 99)
			w.Events[i].ValDeps = append(w.Events[i].ValDeps, -1, 99)
		}
		for _, p := range tracetest.Candidates(w) {
			if witness.Check(w, p, nil) == nil {
				t.Errorf("window %d: an access that needs events that are not there is accepted", n)
			}
		}
	}
}

// TestCheckImpossible checks orders that break rules which no order of a recorded window can break.
func TestCheckImpossible(t *testing.T) {
	for _, c := range []struct {
		rule, window string
		order        []int32
	}{
		{"C", "object 0 cap=1 closed\nobject 1\n0 t0 close o0", []int32{0}},
		{"C", "object 0 cap=1\nobject 1\n0 t0 close o0\n1 t0 close o0", []int32{0, 1}},
		{"U", "object 0\nobject 1\n0 t0 send o0 val=1 nb partner=1\n1 t1 recv o0 val=1 nb", []int32{0, 1}},
		{"U", "object 0\nobject 1\n0 t0 send o0 val=1 nb", []int32{0}},
		{"MO3", "object 0\nobject 1\n0 t0 send o0 val=1\n1 t1 join t0", []int32{0, 1}},
		{"X", "object 0\nobject 1\n0 t0 go t1\n1 t0 go t1", nil},
		{"X", "object 0 queue=1,2\nobject 1", nil},
		{"X", "object 0\nobject 1\n0 t0 acquire o0", []int32{0}},
	} {
		w, err := tracetest.Parse("threads 2\n" + c.window)
		if err != nil {
			t.Fatal(err)
		}
		err = witness.Run(w, c.order)
		var v *witness.Violation
		if !errors.As(err, &v) || v.Rule != c.rule {
			t.Errorf("order %v: %v, want rule %s\n%s", c.order, err, c.rule, c.window)
		}
	}
}
