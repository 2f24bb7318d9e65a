package engine

// decide makes the most active open literal true; among equals the first. If the arcs
// already refute it, its negation is propagated instead. It reports false if there
// is no open literal.
func (s *sat) decide(choices []lit) bool {
	best := noLit
	for _, l := range choices {
		if s.value[l] == 0 && (best == noLit || s.activity[l.index()] > s.activity[best.index()]*1.0000001+1e-12) {
			best = l
		}
	}
	if best == noLit {
		return false
	}
	if !s.refute(best) && !s.refute(s.vars.needs[best]) {
		s.assume(best)
	}
	return true
}

// refute propagates the negation of the open literal l if a path of arcs contradicts it.
func (s *sat) refute(l lit) bool {
	if s.value[l] != 0 {
		return false
	}
	x, y, ok := s.vars.arc(l)
	if !ok || s.order.pos[x] < s.order.pos[y] || !s.order.search(y, x) {
		return false
	}
	s.assign(l.not(), &clause{lits: negate(s.order.pathTo(x), l.not())})
	return true
}

// inOrder reports that l is true, or open and true of the candidate order.
func (s *sat) inOrder(l lit) bool {
	if x, y, ok := s.vars.arc(l); ok {
		return s.order.pos[x] < s.order.pos[y]
	}
	return s.holds(l)
}
