package predict

import (
	"slices"

	"github.com/presage-race/presage/internal/check/witness"
	"github.com/presage-race/presage/internal/predict/built"
	"github.com/presage-race/presage/internal/predict/engine"
	"github.com/presage-race/presage/internal/predict/model"
	"github.com/presage-race/presage/internal/trace/format"
)

// A relaxation is a window in which outside code may read anything. What outside code does with
// another value than in the recorded run is unknown, so no witness has such a read (MO16). But the
// program can be run under a schedule with such a read, with Go's race detector as the judge. A
// race that the detector reports is a race of that run. A run without one proves nothing.
type relaxation struct {
	of *built.Window
	by [2]relaxed // 1: it may also get any object from a pool, and see any files
}

type relaxed struct {
	made   bool
	w      *model.Window // nil: it does not differ from the window
	solver *engine.Solver
}

// relaxed returns the relaxation of b, on window w of the lowest rung, for a pair.
func (r *run) relaxed(b *built.Window, w *model.Window, p model.Pair) *relaxed {
	if r.relaxation.of != b {
		r.relaxation = relaxation{of: b}
	}
	others := 1
	if outside(&w.Events[p.A]) && outside(&w.Events[p.B]) {
		others = 0
	}
	x := &r.relaxation.by[others]
	if !x.made {
		x.made = true
		if c, ok := b.Relaxed(w, others == 1); ok {
			x.w, x.solver = c, engine.New(c, engine.Options{Conflicts: max(1, engine.DefaultConflicts/pathConflicts), Over: r.ends})
		}
	}
	return x
}

func outside(e *model.Event) bool { return e.Flags&format.FlagOpaque != 0 }

// Bounds of the schedules to be tried.
const (
	maxRelaxed = 2  // pairs of accesses at two sites that are searched
	maxToRun   = 64 // pairs of sites
)

// relax searches the relaxation for a pair that has no witness in b, on its lowest rung.
func (r *run) relax(b place, p model.Pair, s *pairState) {
	if s.run != nil || s.triedRelaxed >= maxRelaxed || r.runs >= maxToRun {
		return
	}
	s.triedRelaxed++
	w := b.lowest.window()
	x := r.relaxed(b.Window, w, p)
	if x.w == nil {
		return
	}
	res := x.solver.Solve(p)
	r.spent.add(res.Visits(w))
	if res.Verdict != engine.Race {
		return
	}
	if _, err := witness.Execute(x.w, p, res.Order); err != nil {
		r.refused(err)
		return
	}
	r.toTry(Race{
		A: accessAt(w, p.A), B: accessAt(w, p.B), Semantics: w.Semantics,
		Order: traceOrder(w, p, res.Order), From: b.From, Events: append(slices.Clone(res.Order), p.A, p.B), Count: 1,
	}, s)
}

// toTry keeps a schedule that is no witness, one for each pair of sites.
func (r *run) toTry(race Race, s *pairState) {
	if s.run == nil && r.runs < maxToRun {
		r.runs++
		race.Tier = ToRun
		s.run = &race
		r.found()
	}
}
