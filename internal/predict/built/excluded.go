package built

import (
	"cmp"
	"slices"

	"github.com/presage-race/presage/internal/predict/excluded"
	"github.com/presage-race/presage/internal/predict/model"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// ExcludedTrace returns what the window's stretch of the trace has of excluded code, nil if there
// is none.
func (b *Window) ExcludedTrace() *model.ExcludedTrace {
	if b.Excluded == nil {
		return nil
	}
	x := &model.ExcludedTrace{}
	for _, p := range b.Excluded.Open {
		x.Calls = append(x.Calls, callOf(p))
	}
	for _, r := range b.Records {
		x.Index, x.Events = append(x.Index, r.Index), append(x.Events, r.Event)
		if b.Excluded.Walked {
			x.Needs, x.From = append(x.Needs, r.Needed()), append(x.From, r.From)
		}
		if r.Pair != nil && r.Pair.Begin == r.Index {
			x.Calls = append(x.Calls, callOf(r.Pair))
		}
	}
	b.addEnds(x)
	slices.SortFunc(x.Calls, func(p, q model.ExcludedCall) int { return cmp.Compare(p.Begin, q.Begin) })
	return x
}

func callOf(p *excluded.Pair) model.ExcludedCall {
	c := model.ExcludedCall{G: p.G, Begin: p.Begin, End: p.End, All: p.D.All || p.D.Cut, Seen: p.D.Seen}
	p.D.Each(func(from, to uint64) {
		c.Memory = append(c.Memory, [2]uint64{from, to})
	}, func(g trace.GoID) { c.Goroutines = append(c.Goroutines, g) })
	return c
}

// addEnds adds the ends of goroutines that Records do not have.
func (b *Window) addEnds(x *model.ExcludedTrace) {
	for _, e := range b.Excluded.Ends {
		if i, ok := slices.BinarySearch(x.Index, e.Index); !ok {
			x.Index = slices.Insert(x.Index, i, e.Index)
			x.Events = slices.Insert(x.Events, i, trace.Event{Kind: format.End, G: e.G})
			if b.Excluded.Walked {
				x.Needs, x.From = slices.Insert(x.Needs, i, nil), slices.Insert(x.From, i, nil)
			}
		}
	}
}
