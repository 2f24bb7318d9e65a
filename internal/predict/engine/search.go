package engine

import (
	"slices"

	"github.com/presage-race/presage/internal/predict/model"
)

// batch is how many violations of one execution are explained at once.
const batch = 32

// restart forgets the previous pair but not what was learned.
func (s *Solver) restart(p model.Pair) {
	s.sat.backtrack(0)
	first := p.A
	if s.static.place[p.B] < s.static.place[first] {
		first = p.B
	}
	s.sat.order.reset(first)
	s.agenda = nil
	s.sat.thead = 0
	s.budget = budget{start: s.sat.conflicts, literals: s.sat.literals}
	if len(s.sat.learned) > 4000 {
		s.sat.forget()
	}
}

// search looks for an order of the events, and a place of the cursor in it, that
// executes up to the cursor and has the pair next there.
func (s *Solver) search(p model.Pair) Verdict {
	assumptions := s.assumptions(p)
	if s.sat.refuted || !s.sat.flush() {
		return NoRace
	}
	limit, since := 100, 0
	for {
		if c := s.sat.propagate(); c != nil {
			since++
			s.agenda = s.agenda[:0]
			if !s.sat.resolve(c) {
				s.sat.refuted = true
				return NoRace
			}
			if s.budget.exhausted(s.sat.conflicts, s.opt) {
				return Unknown
			}
			continue
		}
		if k := int(s.sat.level()); k < len(assumptions) {
			if s.sat.value[assumptions[k]] == -1 {
				return NoRace
			}
			s.sat.assume(assumptions[k])
			continue
		}
		if since > limit {
			since, limit = 0, limit*3/2
			s.sat.backtrack(int32(len(assumptions)))
			continue
		}
		if s.budget.exhausted(s.sat.conflicts, s.opt) {
			return Unknown
		}
		if s.settle() {
			continue
		}
		if s.try(p) {
			return Race
		}
		if s.sat.refuted {
			return NoRace
		}
	}
}

// assumptions say that the pair is next at the cursor, and what follows from that.
func (s *Solver) assumptions(p model.Pair) []lit {
	var as []lit
	for _, x := range [2]int32{p.A, p.B} {
		if q := s.static.prev[x]; q >= 0 {
			as = append(as, s.sat.in(q))
		}
		for _, q := range s.static.pre[x] {
			as = append(as, s.sat.in(q))
		}
		as = append(as, s.sat.out(x))
		if e := &s.static.w.Events[x]; len(e.Deps) > 0 || len(e.Where) > 0 || len(e.Guards) > 0 || s.objects.blocker[x] != -1 {
			as = append(as, s.reads.racing(x))
		}
	}
	if x := onlyWrite(s.static.w, p); x >= 0 {
		as = append(as, s.reads.swapping(x))
	}
	return s.appendObligations(as)
}

// appendObligations assumes what every witness of the pair contains.
func (s *Solver) appendObligations(as []lit) []lit {
	u := s.obligations
	for c, k := range u.cut {
		if k > 0 {
			as = append(as, s.sat.in(s.static.chains[c][k-1]))
		}
	}
	for _, a := range u.partial.arcs {
		if u.includes(a[1]) {
			as = append(as, s.sat.before(a[0], a[1]))
		}
	}
	return as
}

// try executes the candidate order. If it meets violations, their clauses are
// inserted, and if these force nothing, one of their literals is decided.
func (s *Solver) try(p model.Pair) bool {
	s.budget.steps++
	bad := s.machine.execute(s.sat.order.executed(), p, batch)
	if len(bad) == 0 {
		return true
	}
	choices := make([][]lit, 0, batch)
	for _, v := range bad {
		c := s.explainer.explain(v, p)
		if s.slicer != nil && v.rule == ruleLock {
			c = s.explainer.facts.asRecorded(c)
		}
		choices = append(choices, c)
	}
	work := s.sat.conflicts + len(s.sat.trail)
	lv := s.sat.level()
	if !s.sat.flush() {
		s.sat.refuted = true
		return false
	}
	if work != s.sat.conflicts+len(s.sat.trail) || lv != s.sat.level() {
		return false
	}
	for i, c := range choices {
		if s.sat.decide(c) {
			s.agenda = append(s.agenda[:0], choices[i:]...)
			return false
		}
	}
	panic("engine: violations leave nothing to decide")
}

// settle decides on the next violation of the last execution that the decisions
// since then have not touched.
func (s *Solver) settle() bool {
	for len(s.agenda) > 0 {
		c := s.agenda[0]
		if !slices.ContainsFunc(c, s.sat.inOrder) && s.sat.decide(c) {
			return true
		}
		s.agenda = s.agenda[1:]
	}
	return false
}
