package cli

import (
	"maps"
	"slices"
	"strings"

	"github.com/presage-race/presage/internal/oracle/smt"
	"github.com/presage-race/presage/internal/predict"
	"github.com/presage-race/presage/internal/predict/engine"
	"github.com/presage-race/presage/internal/predict/model"
	"github.com/presage-race/presage/internal/report"
)

// solverEngine is presage's own search, the default of -solver.
const solverEngine = "engine"

func checkSolver(flag, name string) error {
	if names := append([]string{solverEngine}, smt.Names()...); !slices.Contains(names, name) {
		return usagef("flag %s: %q is none of %s", flag, name, strings.Join(names, ", "))
	}
	return nil
}

// smtSolver answers for pairs in place of the engine (-solver).
type smtSolver struct {
	name    string
	process *smt.Process
	unknown map[string]int // queries without an answer, by reason
	err     error          // of the process
}

// newSMT finds the solver that -solver names; nil: the engine.
func newSMT(name string) (*smtSolver, error) {
	if name == solverEngine {
		return nil, nil
	}
	p, err := smt.Find(name, 0)
	if err != nil {
		return nil, err
	}
	return &smtSolver{name: name, process: p, unknown: map[string]int{}}, nil
}

// windowSolver is the solver for one window.
type windowSolver struct {
	*smtSolver
	*smt.Solver
}

func (s *smtSolver) forWindow(w *model.Window) predict.Solver {
	return windowSolver{s, smt.New(w, s.process, smt.Options{})}
}

// Solve implements [analyse.Solver].
func (s windowSolver) Solve(p model.Pair) engine.Result {
	res := engine.Result{Layer: engine.LayerSearch}
	if s.err != nil {
		s.unknown["it failed before"]++
		return res
	}
	r, err := s.Solver.Solve(p)
	switch {
	case err != nil:
		s.err = err
		s.unknown["it failed"]++
	case r.Verdict == smt.Unknown:
		s.unknown[r.Why]++
	case r.Verdict == smt.Race:
		res.Verdict, res.Order = engine.Race, r.Order
	default:
		res.Verdict = engine.NoRace
	}
	return res
}

// closeSolver ends the solver's process. What it says at its end is of no interest: it has
// answered, or warnSolver told.
func (a *analysis) closeSolver() {
	if a.smt != nil {
		a.smt.process.Close()
	}
}

// warnSolver says what the solver has not answered in one trace.
func (a *analysis) warnSolver() {
	s := a.smt
	if s == nil {
		return
	}
	for _, why := range slices.Sorted(maps.Keys(s.unknown)) {
		a.warn(report.Warning{Code: "smt-unknown", Count: s.unknown[why], Text: "queries were not answered by " + s.name + ": " + why})
	}
	s.unknown = map[string]int{}
	if s.err != nil && !a.failed {
		a.failed = true
		a.warn(report.Warning{Code: "smt-failed", Count: 1, Text: "the solver failed: " + s.err.Error()})
	}
}
