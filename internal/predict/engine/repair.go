package engine

import (
	"slices"

	"github.com/presage-race/presage/internal/trace/format"
)

// repair returns what to decide on when a guard over some reads fails, the first of these that
// leaves a choice:
//
//   - that a read that it rests on sees the write that it saw in the recorded run: if all do, the
//     guard comes out as recorded;
//   - a literal of the clause.
//
// It decides nothing but the way of the search.
func (s *Solver) repair(clause []lit, reads []int32) []lit {
	u := s.values
	u.roots = u.roots[:0]
	u.repairs++
	for _, r := range reads {
		s.findRoots(r)
	}
	if len(u.roots) == 0 {
		return clause
	}
	return slices.Clone(u.roots)
}

// findRoots collects open literals "r sees its recorded write", for the read r and those that what
// it sees was computed from.
func (s *Solver) findRoots(r int32) {
	u := s.values
	if s.intact[r] || u.visited[r] == u.repairs || !s.w.Events[r].Kind.IsAccess() {
		return
	}
	u.visited[r] = u.repairs
	w, recorded := u.from[r], s.closure.writer[r]
	switch {
	case w == unexplained:
	case w != recorded:
		src := s.possibleSources(r)
		if i := src.find(recorded); i >= 0 && s.value[src.lits[i]] == 0 {
			u.roots = append(u.roots, src.lits[i])
		}
	case w >= 0:
		e := &s.w.Events[w]
		for _, d := range e.ValDeps {
			s.findRoots(d)
		}
		if e.Kind == format.AtomicRMW {
			s.findRoots(w)
		}
	}
}

// asRecorded returns the open literals that agree with the recorded order; all, if there are none.
func (s *Solver) asRecorded(c []lit) []lit {
	var kept []lit
	for _, l := range c {
		x, y, ok := s.arc(l)
		if ok && s.value[l] == 0 && x != s.cursor && y != s.cursor && s.place[x] < s.place[y] {
			kept = append(kept, l)
		}
	}
	if len(kept) > 0 {
		return kept
	}
	return c
}
