package static

import (
	"cmp"
	"slices"
	"strings"

	"github.com/presage-race/presage/internal/static/guard"
	"github.com/presage-race/presage/internal/static/tier"
)

// Rank is what makes a warning stronger than others of its tier, by (ST2).
type Rank struct {
	InTest     bool       // one of the accesses stands in a file of tests
	Guarded    bool       // a lock guards the memory elsewhere
	Guard      guard.Fact // which, and how many of the uses hold it
	WriteWrite bool       // both accesses write
	Calls      int        // between the goroutines' starts and the accesses
}

// compare orders the stronger one first (ST2).
func (r *Rank) compare(o *Rank) int {
	return cmp.Or(first(o.InTest, r.InTest), first(r.Guarded, o.Guarded), first(r.WriteWrite, o.WriteWrite), cmp.Compare(r.Calls, o.Calls))
}

func first(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

// Count is the number of warnings that a report of the pairs that keep accepts has.
func (r *Result) Count(keep func(*Warning) bool) int { return len(gather(r.only(keep))) }

func (r *Result) only(keep func(*Warning) bool) (kept []*Warning) {
	for _, w := range r.Pairs {
		if keep(w) {
			kept = append(kept, w)
		}
	}
	return kept
}

// Report returns the pairs that keep accepts as a report has them: one for each access (ST1), by
// tier, the strongest first (ST2), then by position.
func (r *Result) Report(keep func(*Warning) bool) []*Warning {
	out := gather(r.only(keep))
	facts := map[string]*guard.Fact{}
	ranks := map[*Warning]*Rank{}
	for _, w := range out {
		class := w.A.Loc.Class()
		f, known := facts[class]
		if !known {
			if fact, ok := r.guards.Of(class); ok {
				f = &fact
			}
			facts[class] = f
		}
		rank := &Rank{WriteWrite: w.writes()}
		if f != nil {
			rank.Guarded, rank.Guard = true, *f
		}
		for _, s := range r.Sides(w) {
			rank.InTest = rank.InTest || strings.HasSuffix(s.Pos.Filename, "_test.go")
			rank.Calls += max(0, len(s.Stack)-1)
		}
		ranks[w] = rank
	}
	slices.SortStableFunc(out, func(a, b *Warning) int {
		switch {
		case a.Tier != b.Tier && tier.Shows(b.Tier, a.Tier):
			return -1
		case a.Tier != b.Tier:
			return 1
		}
		return ranks[a].compare(ranks[b])
	})
	for _, w := range out {
		w.Rank = *ranks[w]
	}
	return out
}
