package engine

import "slices"

// clause is a disjunction. The first two literals are watched.
type clause struct {
	lits    []lit
	learned bool
	dead    bool
}

type watch struct {
	c       *clause
	blocker lit // some literal of c: while it is true, c need not be looked at
}

// sat is the clause-learning part of the search: literals, clauses over them, and a total order,
// the candidate, that agrees with all true order literals. It is CDCL(T) with orders as the theory.
//
// A literal is assigned, then its arc is added to the order. A clause that is false, or a cycle of
// arcs, is a conflict. resolve learns a clause from it.
type sat struct {
	vars  vars
	order *order

	value    []int8 // by literal: 1 true, -1 false, 0 open
	levelOf  []int32
	reason   []*clause
	trail    []lit
	marks    []int // length of the trail where each level starts
	qhead    int   // trail read by unit propagation
	thead    int   // trail read by the order
	watches  [][]watch
	activity []float64
	bump     float64
	seen     []bool
	learned  []*clause
	known    map[uint64]bool // clauses that were added, by content
	refuted  bool            // there is a conflict at level 0
	clauses  int32           // that were simplified
	stamp    []int32         // by literal: the last of them that has it

	pending   [][]lit // clauses to insert (flush)
	conflicts int     // so far
	literals  int     // of all clauses that were to be inserted
}

func newSat(o *order) *sat {
	s := &sat{order: o, vars: vars{byPair: map[uint64]int32{}}, known: map[uint64]bool{}, bump: 1}
	s.newVar(-1, -1) // the constant true
	s.value[litTrue], s.value[litFalse] = 1, -1
	return s
}

func (s *sat) level() int32 { return int32(len(s.marks)) }

func (s *sat) holds(l lit) bool { return s.value[l] == 1 }

func (s *sat) assign(l lit, why *clause) {
	s.value[l], s.value[l.not()] = 1, -1
	s.levelOf[l.index()] = s.level()
	s.reason[l.index()] = why
	s.trail = append(s.trail, l)
}

// assume opens a level and makes l true.
func (s *sat) assume(l lit) {
	s.marks = append(s.marks, len(s.trail))
	if s.value[l] == 0 {
		s.assign(l, nil)
	}
}

// backtrack undoes all levels above lv.
func (s *sat) backtrack(lv int32) {
	if s.level() <= lv {
		return
	}
	keep := s.marks[lv]
	for i := len(s.trail) - 1; i >= keep; i-- {
		l := s.trail[i]
		if i < s.thead {
			if x, y, ok := s.vars.arc(l); ok {
				s.order.drop(x, y)
			}
		}
		s.value[l], s.value[l.not()] = 0, 0
		s.reason[l.index()] = nil
	}
	s.trail = s.trail[:keep]
	s.marks = s.marks[:lv]
	s.qhead = keep
	s.thead = min(s.thead, keep)
}

// fingerprint identifies a clause by its set of literals.
func fingerprint(lits []lit) uint64 {
	var h uint64
	for _, l := range lits {
		x := uint64(l) + 0x9e3779b97f4a7c15
		x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
		x = (x ^ x>>27) * 0x94d049bb133111eb
		h += x ^ x>>31
	}
	return h
}

// simplify drops duplicates and literals false at level 0; ok is false if the
// clause is true at level 0 or by itself.
func (s *sat) simplify(in []lit) (lits []lit, ok bool) {
	s.clauses++
	for _, l := range in {
		if s.levelOf[l.index()] == 0 && s.value[l] != 0 {
			if s.holds(l) {
				return nil, false
			}
			continue
		}
		if s.stamp[l.not()] == s.clauses {
			return nil, false
		}
		if s.stamp[l] != s.clauses {
			s.stamp[l] = s.clauses
			lits = append(lits, l)
		}
	}
	return lits, true
}

// insert adds a clause at any level, undoing levels where it should have
// propagated. It reports false when the clauses have no model at all.
func (s *sat) insert(in []lit) bool {
	lits, ok := s.simplify(in)
	if !ok {
		return true
	}
	switch len(lits) {
	case 0:
		return false
	case 1:
		s.backtrack(0)
		s.assign(lits[0], nil)
		return true
	}
	// Watch what is open or true, then what was assigned last.
	slices.SortStableFunc(lits, func(a, b lit) int { return int(s.rank(b) - s.rank(a)) })
	c := &clause{lits: lits}
	s.attach(c)
	if s.value[lits[0]] == -1 {
		return s.resolve(c)
	}
	if s.value[lits[1]] == -1 && s.value[lits[0]] == 0 {
		s.backtrack(s.levelOf[lits[1].index()])
		s.assign(lits[0], c)
	}
	return true
}

func (s *sat) rank(l lit) int32 {
	if s.value[l] >= 0 {
		return 1 << 30
	}
	return s.levelOf[l.index()]
}

func (s *sat) attach(c *clause) {
	s.watches[c.lits[0]] = append(s.watches[c.lits[0]], watch{c, c.lits[1]})
	s.watches[c.lits[1]] = append(s.watches[c.lits[1]], watch{c, c.lits[0]})
}

// forget drops the older half of the long learned clauses.
func (s *sat) forget() {
	kept := s.learned[:0]
	half := len(s.learned) / 2
	for i, c := range s.learned {
		if i >= half || len(c.lits) <= 3 || s.reason[c.lits[0].index()] == c {
			kept = append(kept, c)
		} else {
			c.dead = true
		}
	}
	s.learned = kept
}

// emit notes a clause to be inserted: it holds in every reordering.
func (s *sat) emit(lits ...lit) {
	s.pending = append(s.pending, lits)
}

// flush inserts the pending clauses that are new.
func (s *sat) flush() bool {
	for _, c := range s.pending {
		s.literals += len(c)
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
