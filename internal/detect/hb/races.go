package hb

import (
	"cmp"
	"slices"

	"github.com/presage-race/presage/internal/detect/shadow"
	"github.com/presage-race/presage/internal/detect/table"
	"github.com/presage-race/presage/internal/trace/format"
)

// Race is two sites whose accesses raced in the recorded order. A is the earlier access.
type Race struct {
	A, B  shadow.Access
	Addr  format.Addr
	Count int // dynamic pairs seen of these two sites
}

// maxRaces bounds the memory of a trace in which everything races.
const maxRaces = 1 << 16

// races are the races found, one for each unordered pair of sites.
type races struct {
	index table.Table
	list  []Race
	total int64
	each  func(a, b int64)
	cut   int64
}

func (r *races) add(a, b shadow.Access, addr format.Addr) {
	r.total++
	if r.each != nil {
		r.each(a.Index, b.Index)
	}
	lo, hi := min(a.Site, b.Site), max(a.Site, b.Site)
	key := uint64(lo)<<32 | uint64(hi)
	if i := r.index.Find(key); i >= 0 {
		r.list[i].Count++
		return
	}
	if len(r.list) == maxRaces {
		r.cut++
		return
	}
	r.index.At(key)
	r.list = append(r.list, Race{A: a, B: b, Addr: addr, Count: 1})
}

// Races returns what was found, one race for each pair of sites, in the order in which
// the second accesses stand in the trace.
func (d *Detector) Races() []Race {
	out := slices.Clone(d.races.list)
	slices.SortStableFunc(out, func(a, b Race) int {
		return cmp.Or(cmp.Compare(a.B.Index, b.B.Index), cmp.Compare(a.A.Index, b.A.Index))
	})
	return out
}

// Total returns the number of dynamic pairs that were found racing, and how many of
// them belong to pairs of sites that are not in Races because there were too many.
func (d *Detector) Total() (pairs, cut int64) { return d.races.total, d.races.cut }
