package predict

import (
	"context"
	"testing"

	"github.com/presage-race/presage/internal/predict/built"
	"github.com/presage-race/presage/internal/predict/engine"
	"github.com/presage-race/presage/internal/predict/expr"
	"github.com/presage-race/presage/internal/predict/model"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// TestLowerRung: a lower rung is asked about every pair that the highest one has not refuted: those
// that it gives up, those that it does not come to, and those of which the checker refuses its
// witness.
func TestLowerRung(t *testing.T) {
	for name, c := range map[string]struct {
		high  func(engine.Result) engine.Result // the highest rung's answer, of the engine's
		spent int                               // pairs that it has tried before
		races int
	}{
		"gives up":      {func(engine.Result) engine.Result { return engine.Result{Layer: engine.LayerSearch} }, 0, 1},
		"has its share": {func(r engine.Result) engine.Result { return r }, 1 << 20, 1},
		"is refused": {func(r engine.Result) engine.Result {
			r.Order = append(r.Order, r.Order...)
			return r
		}, 0, 1},
		"refutes": {func(engine.Result) engine.Result {
			return engine.Result{Verdict: engine.NoRace, Layer: engine.LayerSearch}
		}, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRun(Options{}, nil)
			r.ctx = context.Background()
			// nothing else is asked about them
			r.runs, r.pairs.of(pairOf(1, 2)).keptBy = maxToRun, 0
			r.pairs.of(pairOf(1, 2)).tried[1] = c.spent
			r.opt.Solver = func(w *model.Window) Solver {
				e := engine.New(w, engine.Options{})
				return answers(func(p model.Pair) engine.Result {
					switch res := e.Solve(p); {
					case w.Semantics == model.EvaluatedReads:
						return c.high(res)
					case p.A == 2: // as if it did not race
						return engine.Result{Verdict: engine.NoRace, Layer: engine.LayerMust}
					default:
						return res
					}
				})
			}
			w := twoPairs()
			ladder := r.ladder(w)
			if len(ladder) != 2 {
				t.Fatalf("%d rungs, want 2", len(ladder))
			}
			r.climb(&built.Window{Window: w}, ladder, &candidate{sites: pairOf(1, 2), pairs: []model.Pair{{A: 2, B: 4}, {A: 3, B: 5}}})
			if len(r.races) != c.races {
				t.Errorf("%d races, want %d; untried by rung: %v", len(r.races), c.races, r.counts.Untried)
			}
		})
	}
}

// twoPairs is a window in which two goroutines write two locations each, without synchronisation,
// one of them behind a branch.
func twoPairs() *model.Window {
	w := &model.Window{Semantics: model.EvaluatedReads, Init: make([]model.ObjState, 3), Threads: []trace.GoID{1, 2}}
	add := func(e model.Event) {
		e.Partner, e.Index = -1, int64(len(w.Events)+1)
		w.Events = append(w.Events, e)
	}
	read := model.NewTerm(expr.Binary(expr.Add, expr.Int64, 0, expr.NewRead(0, 8, 0), expr.Word(1)))
	add(model.Event{Kind: format.Read, Thread: 0, Obj: 1})
	add(model.Event{Kind: model.Pin, Thread: 0, Obj: -1, Guards: []model.Guard{{Term: read, Want: 1}}})
	add(model.Event{Kind: format.Write, Thread: 0, Obj: 0, Site: 1})
	add(model.Event{Kind: format.Write, Thread: 0, Obj: 2, Site: 1})
	add(model.Event{Kind: format.Write, Thread: 1, Obj: 0, Site: 2})
	add(model.Event{Kind: format.Write, Thread: 1, Obj: 2, Site: 2})
	return w
}
