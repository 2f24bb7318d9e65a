package window

import (
	"cmp"
	"slices"

	"github.com/presage-race/presage/internal/predict/built"
	"github.com/presage-race/presage/internal/predict/excluded"
)

// built returns the window with the part of the trace that it was made of: the events from ≤ i <
// to.
func (m *maker) built(from, to int64) *built.Window {
	x := &built.Window{
		Window: m.w, From: from, To: to, Done: m.b.done, Alternatives: m.made,
		Records: m.b.recordsOf(m.recs[:m.onPath]), Places: m.placed, Sources: m.src, Contents: m.contents,
		Kept: m.keptBy, Loose: m.loose, LoosePins: m.loosePins,
	}
	if m.b.miss.active() {
		x.Excluded = m.b.excluded(from, to)
	}
	return x
}

// recordsOf lists records, in the builder's table.
func (b *Builder) recordsOf(recs []record) []*built.Record {
	b.table = slices.Grow(b.table[:0], len(recs))
	for i := range recs {
		b.table = append(b.table, &recs[i].Record)
	}
	return b.table
}

// excluded lists the calls of excluded code that are open where the buffer begins, and the ends of
// goroutines from ≤ i < to.
func (b *Builder) excluded(from, to int64) *built.Excluded {
	x := &built.Excluded{Walked: b.opt.Walked}
	for _, list := range b.miss.open {
		x.Open = append(x.Open, list...)
	}
	slices.SortFunc(x.Open, func(p, q *excluded.Pair) int { return cmp.Compare(p.Begin, q.Begin) })
	for g, n := range b.miss.ends {
		if from <= n && n < to {
			x.Ends = append(x.Ends, built.Ended{G: g, Index: n})
		}
	}
	slices.SortFunc(x.Ends, func(p, q built.Ended) int { return cmp.Compare(p.Index, q.Index) })
	return x
}
