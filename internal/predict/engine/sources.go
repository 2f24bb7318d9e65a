package engine

import (
	"cmp"
	"slices"
)

// This file is about the literals "the read r sees the write w" where values are evaluated (MO11). In
// a window with a few hundred accesses of one word each of its reads has as many of them, so what
// is asked at each event of an execution (checkSource) and of each read of a slice (sees) does not
// look at all.

// choice is what the search has chosen for a read, for the execution number run.
type choice struct {
	run int32
	// of the source that it sees, into the writes and lits of its sources; -1: it is open, but some
	// are excluded
	index int32
}

// possibleSources returns the literals of r, and emits their clauses when it is asked for
// the first time: an executed read sees one write, which stands before it. That
// no other stands between them is emitted when an order shows one (explainSource).
func (s *Solver) possibleSources(r int32) *sources {
	if src := s.values.sources[r]; src != nil {
		return src
	}
	src := &sources{at: r, writes: s.possibleWrites(r)}
	s.values.sources[r] = src
	src.sort()
	if len(src.writes) == 1 {
		src.lits = []lit{litTrue}
		return src
	}
	all := []lit{s.out(r)}
	for i, w := range src.writes {
		l := s.newSource(r, int32(i))
		src.lits, all = append(src.lits, l), append(all, l)
		if w >= 0 {
			s.needs[l] = s.before(w, r)
			s.emit(l.not(), s.before(w, r))
		}
	}
	s.emit(all...)
	return src
}

// possibleWrites are the writes that can be the last before r.
func (s *Solver) possibleWrites(r int32) []int32 {
	o := &s.objs[s.w.Events[r].Obj]
	var c []int32
	last := s.lastMust(r)
	if len(last) == 0 {
		c = append(c, -1)
	}
	for _, q := range o.ops[roleWrite] {
		for _, w := range q {
			if w != r && !s.must(r, w) && !s.hidden(w, last) {
				c = append(c, w)
			}
		}
	}
	return c
}

// sort makes find work.
func (src *sources) sort() {
	src.sorted = make([]int32, len(src.writes))
	for i := range src.sorted {
		src.sorted[i] = int32(i)
	}
	slices.SortFunc(src.sorted, func(a, b int32) int { return cmp.Compare(src.writes[a], src.writes[b]) })
}

// find returns the index of a write, -1 if it is no source. It is O(1) if it was asked for the same
// one before.
func (src *sources) find(w int32) int32 {
	if len(src.writes) > 0 && src.writes[src.found] == w {
		return src.found
	}
	k, ok := slices.BinarySearchFunc(src.sorted, w, func(i, w int32) int { return cmp.Compare(src.writes[i], w) })
	if !ok {
		return -1
	}
	src.found = src.sorted[k]
	return src.found
}

// sees is the literal "the read r sees the write w" (-1: the initial value).
func (s *Solver) sees(r, w int32) lit {
	src := s.possibleSources(r)
	i := src.find(w)
	if i < 0 {
		panic("engine: a read sees a write that it cannot see")
	}
	return src.lits[i]
}

// findChoices finds what the search has chosen, for the execution that begins.
func (s *Solver) findChoices() {
	for _, l := range s.trail {
		if r, i, ok := s.source(l); ok {
			switch c := &s.values.choices[r]; {
			case l&1 == 0:
				*c = choice{s.run, i}
			case c.run != s.run:
				*c = choice{s.run, -1}
			}
		}
	}
}

// chosen returns the index of the source that the search has chosen for r; -1 if it has none, and
// whether it has excluded some.
func (s *Solver) chosen(r int32, src *sources) (index int32, excluded bool) {
	c := s.values.choices[r]
	switch {
	case len(src.writes) == 1:
		return 0, false
	case c.run == s.run:
		return c.index, true
	}
	return -1, false
}

// checkSource notes a read that does not see the write that the search has chosen for it, or sees
// one that it has excluded.
func (s *Solver) checkSource(r, w0 int32) {
	src := s.values.sources[r]
	if src == nil {
		return
	}
	i, excluded := s.chosen(r, src)
	switch {
	case i >= 0 && src.writes[i] == w0 || i < 0 && !excluded:
		return
	case i < 0:
		if k := src.find(w0); k < 0 || !s.holds(src.lits[k].not()) {
			return
		}
	}
	s.fail(ruleSource, r, w0)
}

// explainSource: w0 is the last write before r, which should see another.
func (s *Solver) explainSource(r, w0 int32) []lit {
	src := s.values.sources[r]
	i, _ := s.chosen(r, src)
	if i < 0 {
		return s.preferNear(r, src)
	}
	w := src.writes[i]
	if w0 < 0 || w >= 0 && s.pos[w] > s.pos[r] {
		return []lit{s.before(w, r)} // not propagated yet
	}
	c := []lit{src.lits[i].not(), s.before(r, w0)}
	if w >= 0 {
		c = append(c, s.before(w0, w))
	}
	s.emit(c...)
	return s.asRecorded(c[1:])
}
