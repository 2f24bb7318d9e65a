package window

import (
	"cmp"
	"slices"

	"github.com/presage-race/presage/internal/predict/built"
	"github.com/presage-race/presage/internal/predict/excluded"
	"github.com/presage-race/presage/internal/predict/flow"
	"github.com/presage-race/presage/internal/trace"
)

// product is a window that was made, with what the builder needs of it.
type product struct {
	*graph
	reads *resolver
	excl  *exclusions
	prod  *producer
	alts  []built.Way
}

// make makes the window of the buffer: the passes in their order.
func (b *state) make(q *quietness) *product {
	l := newLayout(b)
	l.gather()
	alts := &alternatives{layout: l}
	alts.explore()
	(&sharing{l}).share()
	open := &appends{layout: l}
	open.openAppends()
	q.quieten(l)
	l.skipUnpaired()

	g := newGraph(l)
	reads, turns := newResolver(g), &turnOrder{g}
	excl := &exclusions{graph: g, reads: reads, quietness: q, methods: make(map[int32]trace.Addr)}
	trust := &trusting{graph: g, reads: reads, appends: open}
	access := &accesses{graph: g, reads: reads, turns: turns, excl: excl, trust: trust, maps: &mapEntries{graph: g, numbers: make(map[flow.MapValue]uint64)}}
	sync := &syncs{graph: g, reads: reads, turns: turns, started: make(map[trace.GoID]bool)}
	p := &producer{graph: g, reads: reads, alts: alts, excl: excl, trust: trust, access: access, sync: sync}
	p.produce()
	produceAlts := &altProducer{graph: g, reads: reads, access: access, alts: alts}
	produceAlts.produceAlternatives()
	g.finish()
	return &product{graph: g, reads: reads, excl: excl, prod: p, alts: produceAlts.made}
}

// built returns the window with the records that it was made of.
func (m *product) built() *built.Window {
	x := &built.Window{
		Window: m.w, Alternatives: m.alts,
		Records: m.b.recordsOf(m.recs[:m.onPath]), Places: m.placed, Entries: m.inMaps, Sources: m.reads.src, Contents: m.reads.contents,
		Kept: m.excl.keptBy, Loose: m.loose, LoosePins: m.prod.loosePins,
	}
	for i := range m.alts {
		if w := &m.alts[i]; w.Ended {
			w.Returned = m.b.returned(w.G)
		}
	}
	if m.b.excode.active() {
		x.Excluded = m.b.excluded()
	}
	return x
}

// forget drops what a window that was emitted has shared with the buffer.
func (b *state) forget(m *product) {
	clear(b.table)
	b.table = b.table[:0]
	if m != nil {
		clear(m.recs[len(b.buf):]) // of alternatives, maybe in the room behind the buffer
	}
}

// recordsOf lists records, in the builder's table.
func (b *state) recordsOf(recs []record) []*built.Record {
	b.table = slices.Grow(b.table[:0], len(recs))
	for i := range recs {
		b.table = append(b.table, &recs[i].Record)
	}
	return b.table
}

// excluded lists the calls of excluded code that are open where the buffer begins, and the ends of
// goroutines during its events.
func (b *state) excluded() *built.Excluded {
	from, to := b.buf[0].Index, b.buf[len(b.buf)-1].Index+1
	x := &built.Excluded{Walked: b.opt.Walked}
	for _, list := range b.excode.open {
		x.Open = append(x.Open, list...)
	}
	slices.SortFunc(x.Open, func(p, q *excluded.Pair) int { return cmp.Compare(p.Begin, q.Begin) })
	for g, n := range b.excode.ends {
		if from <= n && n < to {
			x.Ends = append(x.Ends, built.Ended{G: g, Index: n})
		}
	}
	slices.SortFunc(x.Ends, func(p, q built.Ended) int { return cmp.Compare(p.Index, q.Index) })
	return x
}
