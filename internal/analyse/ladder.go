package analyse

import (
	"slices"

	"presage/internal/engine"
	"presage/internal/window"
	"presage/internal/witness"
	"presage/internal/witness/stray"
)

// rungs is the number of rungs that need the engine: maximal causality, value relaxation
// above it, and path relaxation (path.go). A pair climbs only where the rung below has no witness for it, so each
// report names the lowest rung that proves it, and no rung loses what a lower one finds.
const rungs = 3

const pathRung = rungs - 1

// rung is a window as one level of the ladder sees it, with the engine's answers for it.
type rung struct {
	w      *window.Window
	off    bool           // it is a variant
	solver Solver         // made when it is asked for the first time
	engine *engine.Solver // likewise; solver, but where Options.Solver stands in for it
}

// ladder returns the rungs of a window. A window without terms has one.
func (r *run) ladder(w *window.Window) []rung {
	if w.Semantics != window.EvaluatedReads {
		return []rung{{w: w}}
	}
	ladder := []rung{{w: w.Causal()}}
	if slices.ContainsFunc(w.Events, func(e window.Event) bool { return len(e.Guards) > 0 || e.Value != nil }) {
		ladder = append(ladder, rung{w: w})
	}
	return ladder
}

func (r *run) solverOf(g *rung) Solver {
	if g.solver == nil {
		g.solver = r.newSolver(g)
	}
	return g.solver
}

// climb tries a candidate on one rung after the other, until it races.
func (r *run) climb(b *window.Built, ladder []rung, c *candidate) {
	s := r.pair(c.sites)
	for k := range ladder {
		if s.race != 0 && s.rung <= k && !r.opt.EveryPair || r.try(place{Built: b}, &ladder[k], k, c, s) {
			return
		}
	}
}

// try gives the pairs of a candidate to the engine until one races.
func (r *run) try(b place, g *rung, k int, c *candidate, s *pairState) bool {
	tries, more := 0, c.more
	for _, p := range c.pairs {
		if !r.opt.EveryPair && (tries >= r.opt.Tries || s.tried[k] >= r.opt.Total) {
			more = true
			break
		}
		res := r.solverOf(g).Solve(p)
		if res.Layer != engine.LayerStatic { // those cost nothing
			tries++
			s.tried[k]++
			r.spent.add(int64(1+res.Steps) * int64(len(g.w.Events)))
		}
		r.spent.add(staticVisits)
		r.counts.Tried++
		r.counts.Conflicts += int64(res.Conflicts)
		r.counts.Layers[res.Layer.String()+" "+res.Verdict.String()]++
		switch res.Verdict {
		case engine.Unknown: // the next pair of these sites is likely to be as hard
			r.counts.Unknown++
			tries, s.tried[k] = tries+unknownTries, s.tried[k]+unknownTries
		case engine.NoRace:
			r.counts.Refuted++
			if k == 0 && b.way == nil {
				r.suppressed(b.Built, g.w, p, s)
				r.relax(b.Built, g.w, p, s)
			}
		case engine.Race:
			if r.witnessed(b, g.w, p, res.Order, k, s) {
				return true
			}
		}
	}
	if more {
		r.counts.Untried[k]++
	}
	return false
}

// place is where a pair is tried: a window, and how its variant leaves the recorded path.
type place struct {
	*window.Built
	way *window.Way // nil: on the recorded path
}

// witnessed has a witness checked and keeps the race (A1).
func (r *run) witnessed(b place, w *window.Window, p window.Pair, order []int32, k int, s *pairState) bool {
	if err := check(b, w, p, order); err != nil {
		r.refused(err)
		return false
	}
	race := Race{
		A: accessAt(w, p.A), B: accessAt(w, p.B), Semantics: w.Semantics,
		Order: traceOrder(w, p, order), From: b.From, Events: append(slices.Clone(order), p.A, p.B), Count: 1,
	}
	if r.meta != nil && r.meta.Unhooked && !r.unordered(b.Built, p) { // what has no hooks may keep the two apart
		return b.way == nil && r.toTry(race, s)
	}
	switch {
	case b.way != nil:
		race.Tier, race.Path = ByPath, pathOf(b.way)
	case r.unordered(b.Built, p):
		race.Tier = Observed
	case w.Semantics == window.EvaluatedReads:
		race.Tier = ByValue
	}
	if race.Tier == ByValue || race.Tier == ByPath {
		race.Sights = sights(b, w, p, order)
	}
	if s.race != 0 && !r.opt.EveryPair { // found higher up before
		r.races[s.race-1], s.rung = race, k
		return true
	}
	r.counts.Raced++
	r.races = append(r.races, race)
	s.race, s.rung = len(r.races), k
	return true
}

// refused counts a witness that the checker refuses: as an error, unless it only has an access in parts (A).
func (r *run) refused(err error) {
	if witness.IsPart(err) {
		r.counts.Refuted++
		return
	}
	r.counts.Rejected++
	r.rejected(err)
}

// check has both checkers look at a witness: that of the window's rules, and where the window is a variant, that of the
// way off the recorded path.
func check(b place, w *window.Window, p window.Pair, order []int32) error {
	x, err := witness.Execute(w, p, order)
	if err == nil {
		err = witness.Crossing(w, b.Missing(), p, order)
	}
	if err != nil || b.way == nil {
		return err
	}
	return stray.Check(b.Built, b.way, w, p, x)
}
