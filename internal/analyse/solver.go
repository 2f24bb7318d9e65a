package analyse

import (
	"presage/internal/engine"
	"presage/internal/window"
)

// A Solver answers for the pairs of one window: the engine, or what Options.Solver puts in its place.
type Solver interface {
	Solve(window.Pair) engine.Result
}

func (r *run) newSolver(w *window.Window) Solver {
	if r.opt.Solver != nil {
		return r.opt.Solver(w)
	}
	return engine.New(w, engine.Options{Conflicts: r.opt.Conflicts})
}

// engineOf is the engine for a window, for what it knows without a search.
func (r *run) engineOf(g *rung) *engine.Solver {
	if s, ok := r.solverOf(g).(*engine.Solver); ok {
		return s
	}
	if g.engine == nil {
		g.engine = engine.New(g.w, engine.Options{Conflicts: r.opt.Conflicts})
	}
	return g.engine
}
