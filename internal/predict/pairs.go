package predict

import (
	"cmp"
	"slices"

	"github.com/presage-race/presage/internal/detect/hb"
	"github.com/presage-race/presage/internal/trace"
)

// sitePair is an unordered pair of sites.
type sitePair struct{ lo, hi trace.Site }

func pairOf(a, b trace.Site) sitePair { return sitePair{min(a, b), max(a, b)} }

// A pairState is what is known of a pair of sites.
type pairState struct {
	race   int          // index in run.races, +1
	rung   int          // on which it was found
	tried  [rungs]int   // pairs of accesses, by rung
	visits [rungs]int64 // the cost of their searches
	count  int          // conflicting pairs of recorded accesses

	// two of its accesses have neither a lock in common nor an order that the engine's rules fix
	promising bool
	open      bool // not all of those were decided

	keptBy     int64 // a callee whose excluded calls keep it in order; -1: none is known
	triedLoose int   // searches by run.suppressed

	run          *Race // a schedule to be tried
	triedRelaxed int   // searches by run.relax
}

// A pairTable has what is known of each pair of sites.
type pairTable map[sitePair]*pairState

func (t pairTable) of(p sitePair) *pairState {
	s := t[p]
	if s == nil {
		s = &pairState{keptBy: -1}
		t[p] = s
	}
	return s
}

// settled counts the pairs of sites that could race, and those of them that are decided.
func (t pairTable) settled() (promising, settled int) {
	for _, s := range t {
		if s.promising || s.race != 0 {
			promising++
			if s.race != 0 || !s.open {
				settled++
			}
		}
	}
	return promising, settled
}

// suppressed counts pairs of sites without a race, by the callee whose excluded calls keep them in
// order.
func (t pairTable) suppressed() map[trace.Addr]int64 {
	n := map[trace.Addr]int64{}
	for _, s := range t {
		if s.race == 0 && s.keptBy >= 0 {
			n[trace.Addr(s.keptBy)]++
		}
	}
	return n
}

// toRun lists the schedules to be tried, of the pairs of sites that have no race and that hb has
// not found unordered either.
func (t pairTable) toRun(unordered []hb.Race) []Race {
	var list []Race
	for q, s := range t {
		known := func(h hb.Race) bool { return pairOf(h.A.Site, h.B.Site) == q }
		if s.run != nil && s.race == 0 && !slices.ContainsFunc(unordered, known) {
			list = append(list, *s.run)
		}
	}
	slices.SortFunc(list, func(a, b Race) int {
		return cmp.Or(cmp.Compare(a.B.Index, b.B.Index), cmp.Compare(a.A.Index, b.A.Index))
	})
	return list
}

// A KeptPair is a pair of sites that would race without the orders of excluded calls. Method is the
// callee, 0 if there are several.
type KeptPair struct {
	A, B   trace.Site
	Method trace.Addr
}

// kept lists these pairs.
func (t pairTable) kept() []KeptPair {
	var list []KeptPair
	for q, s := range t {
		if s.race == 0 && s.keptBy >= 0 {
			list = append(list, KeptPair{q.lo, q.hi, trace.Addr(s.keptBy)})
		}
	}
	slices.SortFunc(list, func(x, y KeptPair) int { return cmp.Or(cmp.Compare(x.A, y.A), cmp.Compare(x.B, y.B)) })
	return list
}
