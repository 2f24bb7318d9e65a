package engine

import "slices"

// resolve handles a clause all of whose literals are false: it learns the first
// unique implication point and jumps back to where that clause propagates. It
// reports false when the conflict is at level 0.
func (s *sat) resolve(c *clause) bool {
	s.conflicts++
	top, n := s.highest(c.lits)
	if top == 0 {
		return false
	}
	s.backtrack(top)
	lits := c.lits
	if n > 1 {
		lits = s.analyze(c)
	} else {
		lits = slices.Clone(lits)
	}
	s.learn(lits)
	return true
}

// highest returns the highest level among the literals and how many have it.
func (s *sat) highest(lits []lit) (top int32, n int) {
	for _, l := range lits {
		switch lv := s.levelOf[l.index()]; {
		case lv > top:
			top, n = lv, 1
		case lv == top:
			n++
		}
	}
	return top, n
}

// learn adds a clause that is false and has one literal of the highest level.
func (s *sat) learn(lits []lit) {
	slices.SortStableFunc(lits, func(a, b lit) int { return int(s.levelOf[b.index()] - s.levelOf[a.index()]) })
	if len(lits) == 1 {
		s.backtrack(0)
		s.assign(lits[0], nil)
		return
	}
	s.backtrack(s.levelOf[lits[1].index()])
	c := &clause{lits: lits, learned: true}
	s.learned = append(s.learned, c)
	s.attach(c)
	s.assign(lits[0], c)
}

// analyze resolves c with reasons until one literal of the current level is left.
func (s *sat) analyze(c *clause) []lit {
	learnt := []lit{noLit}
	var touched []int32
	p := noLit
	open := 0
	at := len(s.trail) - 1
	for {
		for _, q := range c.lits {
			v := q.index()
			if q == p || s.seen[v] || s.levelOf[v] == 0 {
				continue
			}
			s.seen[v] = true
			touched = append(touched, v)
			s.bumpActivity(v)
			if s.levelOf[v] == s.level() {
				open++
			} else {
				learnt = append(learnt, q)
			}
		}
		for !s.seen[s.trail[at].index()] {
			at--
		}
		p = s.trail[at]
		at--
		c = s.reason[p.index()]
		if open--; open == 0 {
			break
		}
	}
	learnt[0] = p.not()
	learnt = s.minimize(learnt)
	for _, v := range touched {
		s.seen[v] = false
	}
	s.bump /= 0.95
	return learnt
}

// minimize drops literals whose reasons are covered by the rest.
func (s *sat) minimize(learnt []lit) []lit {
	kept := learnt[:1]
	for _, q := range learnt[1:] {
		if !s.covered(q) {
			kept = append(kept, q)
		}
	}
	return kept
}

func (s *sat) covered(q lit) bool {
	r := s.reason[q.index()]
	if r == nil {
		return false
	}
	for _, x := range r.lits {
		if v := x.index(); v != q.index() && !s.seen[v] && s.levelOf[v] > 0 {
			return false
		}
	}
	return true
}

func (s *sat) bumpActivity(v int32) {
	s.activity[v] += s.bump
	if s.activity[v] > 1e100 {
		for i := range s.activity {
			s.activity[i] *= 1e-100
		}
		s.bump *= 1e-100
	}
}
