package predict

import (
	"github.com/presage-race/presage/internal/predict/engine"
	"github.com/presage-race/presage/internal/predict/model"
)

// A Solver answers for the pairs of one window: the engine, or what Options.Solver puts in its
// place.
type Solver interface {
	Solve(model.Pair) engine.Result
}

// pathConflicts is the part of a candidate's budget that it has on each way off the recorded path:
// there are many ways.
const pathConflicts = 8

// leastSteps is the number of executions that a search has in any case: a window with more events
// does not take fewer of them to find a race in.
const leastSteps = 1000

// solvers makes the solvers of windows.
type solvers struct {
	opt   *Options
	spent *effort
}

// of returns what answers for the pairs of a window.
func (x solvers) of(g *rung) Solver {
	if g.solver == nil {
		g.solver = x.make(g)
	}
	return g.solver
}

func (x solvers) make(g *rung) Solver {
	w, conflicts, steps := g.window(), x.opt.Conflicts, 0
	if conflicts == 0 {
		conflicts = engine.DefaultConflicts
		steps = max(leastSteps, int(x.spent.budget/shares)/max(1, len(w.Events)))
	}
	if g.off {
		conflicts = max(1, conflicts/pathConflicts)
	}
	if x.opt.Solver != nil {
		return x.opt.Solver(w)
	}
	return engine.New(w, engine.Options{Conflicts: conflicts, Steps: steps})
}

// engine returns the engine for a window, for what it decides without a search.
func (x solvers) engine(g *rung) *engine.Solver {
	if s, ok := x.of(g).(*engine.Solver); ok {
		return s
	}
	if g.engine == nil {
		g.engine = engine.New(g.window(), engine.Options{Conflicts: x.opt.Conflicts})
	}
	return g.engine
}
