package engine

// propagate makes true what the clauses force and extends the order by the arcs of
// true literals. It returns a violated clause, or nil.
func (s *sat) propagate() *clause {
	for {
		if c := s.propagateUnits(); c != nil {
			return c
		}
		if s.thead == len(s.trail) {
			return nil
		}
		l := s.trail[s.thead]
		if x, y, ok := s.vars.arc(l); ok {
			if path, ok := s.order.add(x, y, l); !ok {
				return &clause{lits: negate(path, l.not())}
			}
		}
		s.thead++
	}
}

// negate returns the clause "first, or one of lits is false".
func negate(lits []lit, first lit) []lit {
	c := make([]lit, 1, len(lits)+1)
	c[0] = first
	for _, l := range lits {
		c = append(c, l.not())
	}
	return c
}

func (s *sat) propagateUnits() *clause {
	for s.qhead < len(s.trail) {
		p := s.trail[s.qhead]
		s.qhead++
		if c := s.visitWatches(p.not()); c != nil {
			s.qhead = len(s.trail)
			return c
		}
	}
	return nil
}

// visitWatches looks at the clauses that watch the literal f, which became false.
func (s *sat) visitWatches(f lit) *clause {
	ws := s.watches[f]
	k := 0
	for i, w := range ws {
		if w.c.dead {
			continue
		}
		if s.value[w.blocker] == 1 {
			ws[k] = w
			k++
			continue
		}
		lits := w.c.lits
		if lits[0] == f {
			lits[0], lits[1] = lits[1], f
		}
		other := lits[0]
		if s.value[other] != 1 && s.rewatch(w.c, other) {
			continue
		}
		ws[k] = watch{w.c, other}
		k++
		switch s.value[other] {
		case -1:
			k += copy(ws[k:], ws[i+1:])
			s.watches[f] = ws[:k]
			return w.c
		case 0:
			s.assign(other, w.c)
		}
	}
	s.watches[f] = ws[:k]
	return nil
}

// rewatch replaces the watched false literal lits[1] by one that is not false.
func (s *sat) rewatch(c *clause, other lit) bool {
	for x := 2; x < len(c.lits); x++ {
		if s.value[c.lits[x]] >= 0 {
			c.lits[1], c.lits[x] = c.lits[x], c.lits[1]
			s.watches[c.lits[1]] = append(s.watches[c.lits[1]], watch{c, other})
			return true
		}
	}
	return false
}
