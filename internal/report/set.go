package report

import (
	"fmt"
	"maps"
	"slices"
)

// Set gathers the races and candidates of one or more traces, one per pair of source positions. A
// pair with a race is no candidate: the race counts the accesses of both.
type Set struct {
	races      map[string]*Race
	candidates map[string]*Candidate
}

// Add merges a race into the set. Of two reports of one pair the stronger tier stays, and within a
// tier the shorter witness.
func (s *Set) Add(r Race) {
	if s.races == nil {
		s.races = make(map[string]*Race)
	}
	r.Count = max(r.Count, 1)
	if misplaced(&r.A, &r.B) {
		r.A, r.B = r.B, r.A
	}
	key := pairKey(&r.A, &r.B, r.Object)
	if c := s.candidates[key]; c != nil {
		r.Count += c.Count
		delete(s.candidates, key)
	}
	old := s.races[key]
	if old == nil {
		s.races[key] = &r
		return
	}
	count := old.Count + r.Count
	r.addTests(old.Tests)
	if tests := r.Tests; better(&r, old) {
		*old = r
	} else {
		old.Tests = tests
	}
	old.Count = count
}

// AddCandidate merges a candidate into the set.
func (s *Set) AddCandidate(c Candidate) {
	if s.candidates == nil {
		s.candidates = make(map[string]*Candidate)
	}
	c.Count = max(c.Count, 1)
	if misplaced(&c.A, &c.B) {
		c.A, c.B = c.B, c.A
	}
	key := pairKey(&c.A, &c.B, c.Object)
	if r := s.races[key]; r != nil {
		r.Count += c.Count
		return
	}
	if old := s.candidates[key]; old != nil {
		old.Count += c.Count
		return
	}
	s.candidates[key] = &c
}

// misplaced reports whether A and B must change places for the pair to have one key. Hidden and
// Witness name their events themselves, so nothing else changes.
func misplaced(a, b *Access) bool {
	if c := comparePositions(a.Position, b.Position); c != 0 {
		return c > 0
	}
	return a.Kind < b.Kind // "write" before "read"
}

func pairKey(a, b *Access, object string) string {
	key := fmt.Sprintf("%s %s %s %s", a.Position, a.Kind, b.Position, b.Kind)
	if a.File == "" || b.File == "" { // without positions, the expressions are all there is
		key += fmt.Sprintf(" %s %s %s", a.Expr, b.Expr, object)
	}
	return key
}

func better(r, old *Race) bool {
	if r.Tier != old.Tier {
		return r.Tier.rank() < old.Tier.rank()
	}
	return r.Witness != nil && old.Witness != nil && len(r.Witness.Order) < len(old.Witness.Order)
}

// Races returns the races in the order of a report, with their IDs.
func (s *Set) Races() []*Race {
	races, _ := s.named()
	return races
}

// Candidates returns the candidates in the order of a report, with their IDs.
func (s *Set) Candidates() []*Candidate {
	_, candidates := s.named()
	return candidates
}

// named orders what the set has, and gives each pair its ID.
func (s *Set) named() (races []*Race, candidates []*Candidate) {
	for _, r := range s.races {
		r.ID = ""
		races = append(races, r)
	}
	for _, c := range s.candidates {
		c.ID = ""
		candidates = append(candidates, c)
	}
	slices.SortFunc(races, compareRaces)
	slices.SortFunc(candidates, compareCandidates)
	seen := make(map[string]int)
	for _, r := range races {
		r.ID = distinct(seen, fingerprint(&r.A, &r.B, r.Object))
	}
	for _, c := range candidates {
		c.ID = distinct(seen, fingerprint(&c.A, &c.B, c.Object))
	}
	return races, candidates
}

// DropCandidates removes the candidates that f reports true for.
func (s *Set) DropCandidates(f func(*Candidate) bool) {
	maps.DeleteFunc(s.candidates, func(_ string, c *Candidate) bool { return f(c) })
}

// Drop removes the races that f reports true for.
func (s *Set) Drop(f func(*Race) bool) {
	maps.DeleteFunc(s.races, func(_ string, r *Race) bool { return f(r) })
}
