package engine

import (
	"slices"

	"github.com/presage-race/presage/internal/predict/model"
)

// Verdict says whether a pair races.
type Verdict uint8

const (
	// Unknown: the budget ran out.
	Unknown Verdict = iota
	// Race: Result.Order is a reordering after which both accesses are next.
	Race
	// NoRace: there is no such reordering of the window.
	NoRace
)

func (v Verdict) String() string {
	switch v {
	case Unknown:
		return "unknown"
	case Race:
		return "race"
	case NoRace:
		return "no race"
	}
	return "verdict?"
}

// Layer names the phase that decided.
type Layer uint8

const (
	// LayerStatic: program order, Go, Join and hard edges order the pair.
	LayerStatic Layer = iota
	// LayerClosure: the least closed set of events in recorded order is a witness.
	LayerClosure
	// LayerMust: what every witness must contain is contradictory.
	LayerMust
	// LayerSearch: the search over orders.
	LayerSearch
)

func (l Layer) String() string {
	switch l {
	case LayerStatic:
		return "static"
	case LayerClosure:
		return "closure"
	case LayerMust:
		return "must"
	case LayerSearch:
		return "search"
	}
	return "layer?"
}

// Options are the limits of a Solver. The zero value is the recommended setting.
type Options struct {
	// Conflicts is the number of conflicts of the search after which a pair is Unknown; 0 means
	// DefaultConflicts. It is a measure of work that does not depend on the machine.
	Conflicts int
	// Steps is the number of executions after which it is; 0: 20 for each of Conflicts, and 1,000.
	Steps int
	// Over ends a search: the pair is Unknown. It is asked once for some steps; nil: never.
	Over func() bool
}

// DefaultConflicts is the budget of a pair if Options does not say.
const DefaultConflicts = 2000

// Result is the answer for one pair.
type Result struct {
	Verdict   Verdict
	Order     []int32 // of a Race: the events of the reordering, without the pair
	Layer     Layer   // the phase that decided; LayerSearch if Unknown
	Conflicts int     // of the search
	Steps     int     // and its executions, each of up to a window's events
	Literals  int     // of the clauses that they led to
}

// Visits is about how many looks at an event of the window the answer took, whose cost is that of a
// literal.
func (r *Result) Visits(w *model.Window) int64 {
	return int64(1+r.Steps)*int64(len(w.Events)) + int64(r.Literals)
}

// Solver answers for the pairs of one window. What it learns from one pair it uses for the next. It
// is not safe for concurrent use.
//
// It controls the four phases. Each part of its state is a type of its own, which refers only to
// parts above it.
type Solver struct {
	opt    Options
	budget budget
	agenda [][]lit // clauses of the last execution on which a literal is still to be decided

	static      *static      // (1); without what objects force until prepare
	objects     *objects     // nil until prepare, as all below
	closure     *closure     // (2)
	obligations *obligations // (3)
	sat         *sat         // (4): literals, clauses, and the candidate order
	reads       *reads       // which write a needed read sees
	machine     *machine     // executes the candidate order
	explainer   *explainer   // makes clauses of violations
	slicer      *slicer      // the same where terms are evaluated

	searchOnly bool // for tests: the cheap phases would decide most small windows
}

// New makes a Solver for a window, which must not change afterwards.
func New(w *model.Window, opt Options) *Solver {
	if opt.Conflicts == 0 {
		opt.Conflicts = DefaultConflicts
	}
	if opt.Steps == 0 {
		opt.Steps = 20*opt.Conflicts + 1000
	}
	st := newStatic(w)
	st.assignChains()
	st.computeClocks()
	return &Solver{opt: opt, static: st}
}

// prepare makes what is needed for pairs that program order and hard edges leave open. Most windows
// have no such pair.
func (s *Solver) prepare() {
	if s.objects != nil {
		return
	}
	st := s.static
	s.objects = newObjects(st)
	st.derive(s.objects)
	s.sat = newSat(newOrder(st))
	s.reads = newReads(s.sat, st, s.objects)
	s.machine = newMachine(st, s.objects, s.reads)
	s.obligations = newObligations(st, s.objects)
	s.closure = newClosure(st, s.objects)
	facts := &facts{sat: s.sat, objects: s.objects}
	if hasTerms(st.w) {
		s.machine.values = newValues(st.w)
		s.machine.from = newReadFrom(s.sat, st, s.objects)
		s.slicer = newSlicer(s.machine, facts, s.closure.writer)
		s.closure.soft = true
	}
	s.explainer = &explainer{static: st, objects: s.objects, sat: s.sat, reads: s.reads, machine: s.machine, facts: facts, slicer: s.slicer}
}

// Must reports whether event x is in every reordering with y, before y, for reasons that do not
// depend on values.
func (s *Solver) Must(x, y int32) bool {
	s.prepare()
	return s.static.must(x, y)
}

// Open reports whether two events conflict and neither has to come before the other (Must).
func (s *Solver) Open(p model.Pair) bool { return s.candidate(p) }

// Solve decides whether the pair races. The phases go from cheap to complete.
func (s *Solver) Solve(p model.Pair) Result {
	if !s.candidate(p) {
		return Result{Verdict: NoRace, Layer: LayerStatic}
	}
	s.restart(p)
	if s.searchOnly {
		return s.decideBySearch(p)
	}
	order, ok := s.closure.propose(p)
	if ok && s.admits(order, p) {
		return Result{Verdict: Race, Layer: LayerClosure, Order: slices.Clone(order)}
	}
	if s.slicer != nil {
		s.sat.order.start(order)
	}
	if !s.obligations.consistent(p) {
		return Result{Verdict: NoRace, Layer: LayerMust}
	}
	return s.decideBySearch(p)
}

func (s *Solver) decideBySearch(p model.Pair) Result {
	v := s.search(p)
	r := Result{Verdict: v, Layer: LayerSearch, Conflicts: s.sat.conflicts - s.budget.start, Steps: s.budget.steps, Literals: s.sat.literals - s.budget.literals}
	if v == Race {
		r.Order = slices.Clone(s.sat.order.executed())
	}
	return r
}

// candidate reports that p is a conflicting pair that the static order does not decide.
func (s *Solver) candidate(p model.Pair) bool {
	if !s.static.open(p) {
		return false
	}
	if s.objects == nil { // objects may force more
		s.prepare()
		return s.static.open(p)
	}
	return true
}

func (st *static) open(p model.Pair) bool {
	a, b := &st.w.Events[p.A], &st.w.Events[p.B]
	conflict := a.Kind.IsAccess() && b.Kind.IsAccess() && !a.IsText() && !b.IsText() && a.Obj == b.Obj && a.Thread != b.Thread &&
		(a.Kind.IsWrite() || b.Kind.IsWrite()) && !(a.Kind.IsAtomic() && b.Kind.IsAtomic())
	return conflict && !st.must(p.A, p.B) && !st.must(p.B, p.A) && !st.never[p.A] && !st.never[p.B]
}

// admits reports whether executing order leads to the pair, neither of which it contains.
func (s *Solver) admits(order []int32, p model.Pair) bool {
	if len(s.machine.execute(order, p, 1)) > 0 {
		return false
	}
	return s.machine.ran[p.A] != s.machine.run && s.machine.ran[p.B] != s.machine.run
}
