package engine

import (
	"slices"

	"github.com/presage-race/presage/internal/trace/format"
)

// repair returns the literals to decide on when a guard over some reads fails. If possible, these
// say that a read in its slice sees the write that it saw in the recorded run: if all do, the guard
// holds. Otherwise they are those of the clause.
//
// It has no influence on the answer, only on the course of the search.
func (sl *slicer) repair(clause []lit, reads []int32) []lit {
	sl.roots = sl.roots[:0]
	sl.repairs++
	for _, r := range reads {
		sl.findRoots(r)
	}
	if len(sl.roots) == 0 {
		return clause
	}
	return slices.Clone(sl.roots)
}

// findRoots collects the open literals "r sees its recorded write", for the read r and for the
// reads that the value it sees was computed from.
func (sl *slicer) findRoots(r int32) {
	if sl.machine.intact[r] || sl.visited[r] == sl.repairs || !sl.static.w.Events[r].Kind.IsAccess() {
		return
	}
	sl.visited[r] = sl.repairs
	w, recorded := sl.values.from[r], sl.recorded[r]
	switch {
	case w == unexplained:
	case w != recorded:
		src := sl.from.possibleSources(r)
		if i := src.find(recorded); i >= 0 && sl.sat.value[src.lits[i]] == 0 {
			sl.roots = append(sl.roots, src.lits[i])
		}
	case w >= 0:
		e := &sl.static.w.Events[w]
		for _, d := range e.ValDeps {
			sl.findRoots(d)
		}
		if e.Kind == format.AtomicRMW {
			sl.findRoots(w)
		}
	}
}
