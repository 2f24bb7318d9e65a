package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"
)

// Set gathers the races of one or more traces, one per pair of source positions (R1).
type Set struct{ races map[string]*Race }

// Add merges r into the set. Of two reports of one pair the stronger tier stays, and
// within a tier the shorter witness.
func (s *Set) Add(r Race) {
	if s.races == nil {
		s.races = make(map[string]*Race)
	}
	r.Count = max(r.Count, 1)
	if swap(&r) {
		r.A, r.B = r.B, r.A
	}
	key := pairKey(&r)
	old := s.races[key]
	if old == nil {
		s.races[key] = &r
		return
	}
	count := old.Count + r.Count
	if better(&r, old) {
		*old = r
	}
	old.Count = count
}

// swap reports whether A and B must change places for the pair to have one name.
// Hidden and Witness name their events themselves, so nothing else changes.
func swap(r *Race) bool {
	if c := comparePositions(r.A.Position, r.B.Position); c != 0 {
		return c > 0
	}
	return r.A.Kind < r.B.Kind // "write" before "read"
}

func pairKey(r *Race) string {
	key := fmt.Sprintf("%s %s %s %s", r.A.Position, r.A.Kind, r.B.Position, r.B.Kind)
	if r.A.File == "" || r.B.File == "" { // without positions, the expressions are all there is
		key += fmt.Sprintf(" %s %s %s", r.A.Expr, r.B.Expr, r.Object)
	}
	return key
}

func better(r, old *Race) bool {
	if r.Tier != old.Tier {
		return tierRank(r.Tier) < tierRank(old.Tier)
	}
	return r.Witness != nil && old.Witness != nil && len(r.Witness.Order) < len(old.Witness.Order)
}

// Races returns the races in the order of a report, with their IDs.
func (s *Set) Races() []*Race {
	var all []*Race
	for _, r := range s.races {
		r.ID = ""
		all = append(all, r)
	}
	slices.SortFunc(all, compareRaces)
	seen := make(map[string]int)
	for _, r := range all {
		r.ID = fingerprint(r)
		if seen[r.ID]++; seen[r.ID] > 1 { // the same expressions twice in the same functions
			r.ID = fmt.Sprintf("%s-%d", r.ID, seen[r.ID])
		}
	}
	return all
}

// fingerprint implements (R2).
func fingerprint(r *Race) string {
	side := func(a *Access) string {
		if a.Line == 0 { // another tool's trace: its name of the position is stable
			return strings.Join([]string{a.File, a.Kind, a.Expr}, "\x00")
		}
		return strings.Join([]string{a.Func, a.Kind, a.Expr}, "\x00")
	}
	sides := []string{side(&r.A), side(&r.B)}
	slices.Sort(sides)
	h := xxhash.Sum64String(strings.Join(append(sides, r.Object), "\x01"))
	return fmt.Sprintf("%012x", h>>16)
}

// Drop removes the races that f reports true for.
func (s *Set) Drop(f func(*Race) bool) {
	maps.DeleteFunc(s.races, func(_ string, r *Race) bool { return f(r) })
}
