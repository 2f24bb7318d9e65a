package witness

import (
	"cmp"
	"slices"

	"github.com/presage-race/presage/internal/predict/model"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// learned checks (Y5). Which reads see something else than in the recorded run, the execution of
// the witness says, with nothing asked of it; what rests on them in memory is found by the trace,
// byte by byte, in the order of the witness.
func (c *crossing) learned(p model.Pair, order []int32) error {
	if len(c.m.From) == 0 {
		return nil
	}
	other, err := c.others(p, order)
	if err != nil || len(other) == 0 {
		return err
	}
	list := make([]int, 0, len(c.began))
	for e := range c.began {
		if c.began[e] >= 0 {
			list = append(list, e)
		}
	}
	slices.SortFunc(list, func(d, e int) int { return cmp.Or(cmp.Compare(c.began[d], c.began[e]), cmp.Compare(d, e)) })
	left := map[uint64]int{} // what rests on such reads, by the event that has written it
	for _, e := range list {
		if err := c.learnsAt(e, other, left); err != nil {
			return err
		}
	}
	return c.unfinished(other)
}

// others are the reads of the trace, by number, that see something else than they did.
func (c *crossing) others(p model.Pair, order []int32) (map[int64]bool, error) {
	w := *c.w
	w.Edges, w.Orders, w.Events = nil, nil, slices.Clone(c.w.Events)
	for i := range w.Events {
		w.Events[i].Strict, w.Events[i].Deps, w.Events[i].Guards = false, nil, nil
	}
	x, err := Execute(&w, p, order)
	if err != nil {
		return nil, err
	}
	other := map[int64]bool{}
	for _, i := range order {
		if e := &c.w.Events[i]; e.Kind != model.Pin && !e.Bare && c.w.Threads[e.Thread] >= 0 && isRead(e.Kind) && !x.Intact(i) {
			other[e.Index] = true
		}
	}
	return other, nil
}

// learnsAt looks at event e of the witness: what it needs, if it is in a method; what a method
// finds that begins with it; and what it leaves where methods under way find it.
func (c *crossing) learnsAt(e int, other map[int64]bool, left map[uint64]int) error {
	ev, n := &c.m.Events[e], c.m.Index[e]
	rests := func(list []int64) bool { return slices.ContainsFunc(list, func(x int64) bool { return other[x] }) }
	refused := func(why string) error {
		return &Violation{Rule: "Y5", Event: max(0, c.event[e]), Kind: ev.Kind, Reason: why}
	}
	if c.ended[e] < never && rests(c.m.Needs[e]) && slices.ContainsFunc(c.m.Calls, func(k model.MissingCall) bool { return k.G == ev.G && during(&k, n) }) {
		return refused("a missing method learns of a read that saw something else")
	}
	if ev.Kind == format.MethodBegin && slices.ContainsFunc(c.gaps, func(g openGap) bool { return g.a == e && g.until > e }) {
		k := slices.IndexFunc(c.m.Calls, func(k model.MissingCall) bool { return k.Begin == n })
		for x := range left {
			if call := &c.m.Calls[k]; call.All || within(call.Memory, [2]uint64{x, x + 1}) {
				return refused("a missing method begins, and finds what rests on a read that saw something else")
			}
		}
	}
	if !ev.Kind.IsAccess() || !c.acted[e] {
		return nil
	}
	from, to := bytesOf(ev)
	if c.event[e] < 0 && !ev.Kind.IsWrite() || ev.Kind == format.AtomicRMW {
		for x := from; x < to; x++ {
			if _, ok := left[x]; ok {
				other[n] = true
			}
		}
	}
	if !ev.Kind.IsWrite() {
		return nil
	}
	tainted := rests(c.m.From[e]) || ev.Kind == format.AtomicRMW && other[n]
	for x := from; x < to; x++ {
		if delete(left, x); tainted {
			left[x] = e
		}
	}
	if tainted && c.sees(e) {
		return refused("a missing method under way finds what rests on a read that saw something else")
	}
	return nil
}

// sees says whether a method that can act on what event e has written is under way there, and goes
// on.
func (c *crossing) sees(e int) bool {
	n := c.m.Index[e]
	return slices.ContainsFunc(c.gaps, func(g openGap) bool {
		return g.until > g.a && g.until > e && slices.ContainsFunc(g.calls, func(k int) bool {
			return during(&c.m.Calls[k], n) && reaches(&c.m.Calls[k], &c.m.Events[e])
		})
	})
}

// unfinished looks at gaps of which the witness has run a part without the event that ends them:
// what has been called back before may have told the method anything that it has read.
func (c *crossing) unfinished(other map[int64]bool) error {
	strange := map[trace.GoID][]int{}
	for e := range c.m.Events {
		if c.began[e] >= 0 && other[c.m.Index[e]] {
			strange[c.m.Events[e].G] = append(strange[c.m.Events[e].G], e)
		}
	}
	for k := range c.gaps {
		g := &c.gaps[k]
		if g.until <= g.a || g.b < len(c.m.Events) && c.began[g.b] >= 0 {
			continue
		}
		for _, k := range g.calls {
			for _, e := range strange[c.m.Calls[k].G] {
				if e <= g.a && during(&c.m.Calls[k], c.m.Index[e]) {
					return &Violation{Rule: "Y5", Event: max(0, c.event[e]), Kind: c.m.Events[e].Kind, Reason: "a missing method has run behind what it has called back, which read something else"}
				}
			}
		}
	}
	return nil
}

// during says whether number n is in a call.
func during(p *model.MissingCall, n int64) bool { return n > p.Begin && (p.End < 0 || n < p.End) }
