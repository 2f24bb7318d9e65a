package predict

import (
	"github.com/presage-race/presage/internal/predict/engine"
	"github.com/presage-race/presage/internal/predict/model"
)

// A Solver decides whether a pair of one window races: the engine, or what Options.Solver makes.
type Solver interface {
	Solve(model.Pair) engine.Result
}

// pathConflicts divides a candidate's budget for each alternative, because there are many of them.
const pathConflicts = 8

// solvers makes the solvers of windows.
type solvers struct {
	opt   *Options
	spent *effort
	over  func() bool // ends a search
}

// of returns the solver of a window.
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
		steps = max(1, int(x.spent.budget/shares)/max(1, len(w.Events)))
	}
	if g.off {
		conflicts = max(1, conflicts/pathConflicts)
	}
	if x.opt.Solver != nil {
		return x.opt.Solver(w)
	}
	return engine.New(w, engine.Options{Conflicts: conflicts, Steps: steps, Over: x.over})
}

// engine returns the engine of a window, for questions that it decides without a search.
func (x solvers) engine(g *rung) *engine.Solver {
	if s, ok := x.of(g).(*engine.Solver); ok {
		return s
	}
	if g.engine == nil {
		g.engine = engine.New(g.window(), engine.Options{Conflicts: x.opt.Conflicts, Over: x.over})
	}
	return g.engine
}
