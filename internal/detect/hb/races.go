package hb

import (
	"github.com/presage-race/presage/internal/detect/shadow"
	"github.com/presage-race/presage/internal/detect/table"
	"github.com/presage-race/presage/internal/trace/format"
)

// Race is a race of the recorded order, for a pair of sites. A is the earlier access.
type Race struct {
	A, B  shadow.Access
	Addr  format.Addr
	Count int // pairs of accesses at these sites
}

// maxRaces bounds the memory of a trace in which everything races.
const maxRaces = 1 << 16

// races has one race for each unordered pair of sites.
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
