package window

import (
	"cmp"
	"slices"

	"github.com/presage-race/presage/internal/predict/excluded"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// Missing is what a window's stretch of the trace says of missing methods: all that a checker needs to judge
// by itself what they forbid.
type Missing struct {
	Index  []int64 // numbers of Events
	Events []trace.Event
	Calls  []MissingCall

	// Needs and From are, for each event, the reads of its goroutine that it needs, and that what it writes rests on, by number: as the walk has found them. Of a trace that was not walked there are none.
	Needs, From [][]int64
}

// MissingCall is a call of a missing method.
type MissingCall struct {
	G          trace.GoID
	Begin, End int64       // by number; End is -1 if it has not ended
	All        bool        // it reaches everything
	Seen       bool        // what it does with locks, channels and goroutines is in the trace: it reaches memory
	Memory     [][2]uint64 // in order and apart
	Goroutines []trace.GoID
}

// Missing returns nil if there are no missing methods.
func (b *Built) Missing() *Missing {
	if b.m == nil || !b.m.b.miss.active() {
		return nil
	}
	x := &Missing{}
	for _, list := range b.m.b.miss.open {
		for _, p := range list {
			x.Calls = append(x.Calls, callOf(p))
		}
	}
	for i := range b.m.recs[:b.m.onPath] {
		r := &b.m.recs[i]
		x.Index, x.Events = append(x.Index, r.index), append(x.Events, r.e)
		if b.m.b.opt.Walked {
			x.Needs, x.From = append(x.Needs, r.needed()), append(x.From, r.from)
		}
		if r.pair != nil && r.pair.Begin == r.index {
			x.Calls = append(x.Calls, callOf(r.pair))
		}
	}
	b.addEnds(x)
	slices.SortFunc(x.Calls, func(p, q MissingCall) int { return cmp.Compare(p.Begin, q.Begin) })
	return x
}

func callOf(p *excluded.Pair) MissingCall {
	c := MissingCall{G: p.G, Begin: p.Begin, End: p.End, All: p.D.All || p.D.Cut, Seen: p.D.Seen}
	p.D.Each(func(from, to uint64) {
		c.Memory = append(c.Memory, [2]uint64{from, to})
	}, func(g trace.GoID) { c.Goroutines = append(c.Goroutines, g) })
	return c
}

// addEnds adds the ends of goroutines before the first missing method, which the window does not have.
func (b *Built) addEnds(x *Missing) {
	for g, n := range b.m.b.miss.ends {
		if i, ok := slices.BinarySearch(x.Index, n); !ok && b.From <= n && n < b.To {
			x.Index = slices.Insert(x.Index, i, n)
			x.Events = slices.Insert(x.Events, i, trace.Event{Kind: format.End, G: g})
			if b.m.b.opt.Walked {
				x.Needs, x.From = slices.Insert(x.Needs, i, nil), slices.Insert(x.From, i, nil)
			}
		}
	}
}
