package predict

import (
	"slices"

	"github.com/presage-race/presage/internal/check/offpath"
	"github.com/presage-race/presage/internal/check/witness"
	"github.com/presage-race/presage/internal/predict/built"
	"github.com/presage-race/presage/internal/predict/engine"
	"github.com/presage-race/presage/internal/predict/model"
)

// rungs is the number of rungs that need the engine: maximal causality, value relaxation, and path
// relaxation (path.go). A race has the lowest rung that proves it, and no rung loses a race that a
// lower one finds.
const rungs = 3

const pathRung = rungs - 1

// A rung is a window as one level defines it, with its solver.
type rung struct {
	w      *model.Window
	causal bool           // w still has value relaxation: window removes it
	off    bool           // w is a variant
	solver Solver         // made at its first use
	engine *engine.Solver // likewise, if solver is not the engine
}

// ladder returns the rungs of a window. A window without terms has one.
func (r *run) ladder(w *model.Window) []rung {
	if w.Semantics != model.EvaluatedReads {
		return []rung{{w: w}}
	}
	ladder := []rung{{w: w, causal: true}}
	if slices.ContainsFunc(w.Events, func(e model.Event) bool { return len(e.Guards) > 0 || e.Value != nil }) {
		ladder = append(ladder, rung{w: w})
	}
	return ladder
}

func (g *rung) window() *model.Window {
	if g.causal {
		g.w, g.causal = g.w.Causal(), false
	}
	return g.w
}

// climb tries a candidate. The highest rung comes first: all rungs refute what it refutes, and
// nearly all candidates are refuted. The rungs below it get the pairs that it leaves.
func (r *run) climb(b *built.Window, ladder []rung, c *candidate) {
	s, in := r.pairs.of(c.sites), place{Window: b, lowest: &ladder[0]}
	known := func(k int) bool { return s.race != 0 && s.rung <= k && !r.opt.EveryPair }
	top := len(ladder) - 1
	var high *found
	if top > 0 && !known(top) {
		c, high = r.try(in, &ladder[top], top, c, s)
	}
	for k := range ladder[:max(1, top)] {
		if known(k) {
			return
		}
		if _, low := r.try(in, &ladder[k], k, c, s); low != nil {
			r.keep(in, low, k, s)
			return
		}
	}
	if high != nil {
		r.keep(in, high, top, s)
	}
}

// found is a pair with a witness that the checker accepts (PR1).
type found struct {
	w     *model.Window
	pair  model.Pair
	order []int32
}

// try has the solver decide the pairs of a candidate until one races, within the limits (PR2). It
// returns that pair, and the candidate without the refuted pairs.
func (r *run) try(b place, g *rung, k int, c *candidate, s *pairState) (open *candidate, raced *found) {
	open = &candidate{sites: c.sites, more: c.more}
	tries, more := 0, c.more
	for i, p := range c.pairs {
		if !r.opt.EveryPair && (tries >= r.opt.Tries || r.enough(k, s)) {
			more = true
			open.pairs = append(open.pairs, c.pairs[i:]...)
			break
		}
		res := r.solvers.of(g).Solve(p)
		if res.Layer != engine.LayerStatic { // a decision without a search is no try
			s.promising = s.promising || k != pathRung
			tries++
			s.tried[k]++
			n := res.Visits(g.w)
			s.visits[k] += n - int64(len(g.w.Events))
			r.spent.add(n)
		}
		r.spent.add(staticVisits)
		r.counts.Tried++
		r.counts.Conflicts += int64(res.Conflicts)
		r.counts.Layers[res.Layer.String()+" "+res.Verdict.String()]++
		switch res.Verdict {
		case engine.Unknown: // the next pair of these sites is probably as hard
			r.counts.Unknown++
			s.open = s.open || k != pathRung
			tries, s.tried[k] = tries+unknownTries, s.tried[k]+unknownTries
			open.pairs = append(open.pairs, p)
		case engine.NoRace:
			r.counts.Refuted++
			if len(b.ways) == 0 {
				r.suppressed(b, p, s)
				r.relax(b, p, s)
			}
		case engine.Race:
			if err := check(b, g.w, p, res.Order); err != nil {
				r.refused(err)
				open.pairs = append(open.pairs, p) // another rung may have a witness
				continue
			}
			if len(b.ways) > 0 && r.unsure(b, p) {
				continue
			}
			open.pairs = append(open.pairs, c.pairs[i:]...)
			return open, &found{w: g.w, pair: p, order: res.Order}
		}
	}
	if more {
		if k != pathRung {
			s.promising, s.open = true, true
		}
		r.counts.Untried[k]++
	}
	return open, nil
}

// enough reports whether the pairs of two sites have used up their share on a rung (PR2).
func (r *run) enough(k int, s *pairState) bool {
	return !r.opt.EveryPair && (s.tried[k] >= r.opt.Total || s.visits[k] > r.spent.budget/shares)
}

// A place is where a pair is tried: in a window, or in its variant with alternatives.
type place struct {
	*built.Window
	ways   []*built.Way // none: on the recorded path
	lowest *rung        // on the recorded path: the lowest rung of the window
}

// unsure reports whether code without hooks may keep two accesses in order.
func (r *run) unsure(b place, p model.Pair) bool {
	return r.meta != nil && r.meta.Unhooked && !r.hbPairs.unordered(b.Window, p)
}

// keep keeps a race.
func (r *run) keep(b place, x *found, k int, s *pairState) {
	w, p, order := x.w, x.pair, x.order
	race := Race{
		A: accessAt(w, p.A), B: accessAt(w, p.B), Semantics: w.Semantics,
		Order: traceOrder(w, p, order), From: b.From, Events: append(slices.Clone(order), p.A, p.B), Count: 1,
	}
	if r.unsure(b, p) {
		r.toTry(race, s)
		return
	}
	switch {
	case len(b.ways) > 0:
		race.Tier = ByPath
		for _, way := range b.ways {
			race.Paths = append(race.Paths, pathOf(way))
		}
	case r.hbPairs.unordered(b.Window, p):
		race.Tier = Observed
	case w.Semantics == model.EvaluatedReads:
		race.Tier = ByValue
	}
	if race.Tier == ByValue || race.Tier == ByPath {
		race.Sights = sights(b, w, p, order)
	}
	if s.race != 0 && !r.opt.EveryPair { // found higher up before
		r.races[s.race-1], s.rung = race, k
		return
	}
	r.counts.Raced++
	r.races = append(r.races, race)
	s.race, s.rung = len(r.races), k
	r.found()
}

// refused counts a witness that the checker refuses. It is an error, unless the witness only
// divides an access into its parts.
func (r *run) refused(err error) {
	if witness.IsPart(err) {
		r.counts.Refuted++
		return
	}
	r.counts.Rejected++
	r.rejected(err)
}

// check has the checkers judge a witness: package witness by the rules of the model, and package
// offpath the alternative, if the window is a variant.
func check(b place, w *model.Window, p model.Pair, order []int32) error {
	x, err := witness.Execute(w, p, order)
	if err == nil {
		err = witness.Crossing(w, b.ExcludedTrace(), p, order)
	}
	if err != nil || len(b.ways) == 0 {
		return err
	}
	return offpath.Check(b.Window, b.ways, w, p, x)
}
