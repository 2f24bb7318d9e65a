package engine

import (
	"slices"

	"github.com/presage-race/presage/internal/predict/model"
)

// batch is how many violations of one execution are explained at once.
const batch = 32

// restart forgets the previous pair but not what was learned.
func (s *Solver) restart(p model.Pair) {
	s.backtrack(0)
	first := p.A
	if s.place[p.B] < s.place[first] {
		first = p.B
	}
	s.order.reset(first)
	s.agenda = nil
	s.thead = 0
	s.budget.open()
	if len(s.learned) > 4000 {
		s.forget()
	}
}

// search looks for an order of the events, and a place of the cursor in it, that
// executes up to the cursor and has the pair next there.
func (s *Solver) search(p model.Pair) Verdict {
	assumptions := s.assumptions(p)
	if s.refuted || !s.flush() {
		return NoRace
	}
	limit, since := 100, 0
	for {
		if c := s.propagate(); c != nil {
			since++
			s.agenda = s.agenda[:0]
			if !s.resolve(c) {
				s.refuted = true
				return NoRace
			}
			if s.exhausted(s.opt) {
				return Unknown
			}
			continue
		}
		if k := int(s.level()); k < len(assumptions) {
			if s.value[assumptions[k]] == -1 {
				return NoRace
			}
			s.assume(assumptions[k])
			continue
		}
		if since > limit {
			since, limit = 0, limit*3/2
			s.backtrack(int32(len(assumptions)))
			continue
		}
		if s.exhausted(s.opt) {
			return Unknown
		}
		if s.settle() {
			continue
		}
		if s.try(p) {
			return Race
		}
		if s.refuted {
			return NoRace
		}
	}
}

// assumptions say that the pair is next at the cursor, and what follows from that.
func (s *Solver) assumptions(p model.Pair) []lit {
	var as []lit
	for _, x := range [2]int32{p.A, p.B} {
		if q := s.prev[x]; q >= 0 {
			as = append(as, s.in(q))
		}
		for _, q := range s.pre[x] {
			as = append(as, s.in(q))
		}
		as = append(as, s.out(x))
		if e := &s.w.Events[x]; len(e.Deps) > 0 || len(e.Where) > 0 || len(e.Guards) > 0 || s.blocker[x] != -1 {
			as = append(as, s.racing(x))
		}
	}
	if x := s.onlyWrite(p); x >= 0 {
		as = append(as, s.swapping(x))
	}
	return s.appendObligations(as)
}

// appendObligations assumes what every witness of the pair contains.
func (s *Solver) appendObligations(as []lit) []lit {
	u := s.obligations
	for c, k := range u.cut {
		if k > 0 {
			as = append(as, s.in(s.chains[c][k-1]))
		}
	}
	for _, a := range u.arcs {
		if u.includes(a[1]) {
			as = append(as, s.before(a[0], a[1]))
		}
	}
	return as
}

// racing is the literal "x is one of the pair".
func (s *Solver) racing(x int32) lit {
	if s.racingLit[x] == noLit {
		s.racingLit[x] = s.newVar(-1, -1)
	}
	return s.racingLit[x]
}

// try executes the candidate order. If it meets violations, their clauses are
// inserted, and if these force nothing, one of their literals is decided.
func (s *Solver) try(p model.Pair) bool {
	s.steps++
	bad := s.execute(s.executed(), p, batch)
	if len(bad) == 0 {
		return true
	}
	choices := make([][]lit, 0, batch)
	for _, v := range bad {
		c := s.explain(v, p)
		if s.values != nil && v.rule == ruleLock {
			c = s.asRecorded(c)
		}
		choices = append(choices, c)
	}
	work := s.conflicts + len(s.trail)
	lv := s.level()
	if !s.flush() {
		s.refuted = true
		return false
	}
	if work != s.conflicts+len(s.trail) || lv != s.level() {
		return false
	}
	for i, c := range choices {
		if s.decide(c) {
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
		if !slices.ContainsFunc(c, s.inOrder) && s.decide(c) {
			return true
		}
		s.agenda = s.agenda[1:]
	}
	return false
}

// inOrder reports that l is true, or open and true of the candidate order.
func (s *Solver) inOrder(l lit) bool {
	if x, y, ok := s.arc(l); ok {
		return s.pos[x] < s.pos[y]
	}
	return s.holds(l)
}

// flush inserts the pending clauses that are new.
func (s *Solver) flush() bool {
	for _, c := range s.pending {
		if h := fingerprint(c); !s.known[h] {
			s.known[h] = true
			if !s.insert(c) {
				return false
			}
		}
	}
	s.pending = s.pending[:0]
	return true
}

// decide makes the most active open literal true; among equals the first. If the arcs
// already refute it, its negation is propagated instead. It reports false if there
// is no open literal.
func (s *Solver) decide(choices []lit) bool {
	best := noLit
	for _, l := range choices {
		if s.value[l] == 0 && (best == noLit || s.activity[l.index()] > s.activity[best.index()]*1.0000001+1e-12) {
			best = l
		}
	}
	if best == noLit {
		return false
	}
	if !s.refute(best) && !s.refute(s.needs[best]) {
		s.assume(best)
	}
	return true
}

// refute propagates the negation of the open literal l if a path of arcs contradicts it.
func (s *Solver) refute(l lit) bool {
	if s.value[l] != 0 {
		return false
	}
	x, y, ok := s.arc(l)
	if !ok || s.pos[x] < s.pos[y] || !s.order.search(y, x) {
		return false
	}
	s.assign(l.not(), &clause{lits: negate(s.pathTo(x), l.not())})
	return true
}
