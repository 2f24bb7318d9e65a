package witness

import (
	"cmp"
	"slices"

	"github.com/presage-race/presage/internal/predict/model"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// reads checks (CW6). The reads that differ are found by executing the witness without conditions.
// What is computed from them is followed through memory, byte by byte, in the order of the
// witness.
func (c *crossing) reads(p model.Pair, order []int32) error {
	if len(c.m.From) == 0 {
		return nil
	}
	differ, err := c.differing(p, order)
	if err != nil || len(differ) == 0 {
		return err
	}
	list := make([]int, 0, len(c.began))
	for e := range c.began {
		if c.began[e] >= 0 {
			list = append(list, e)
		}
	}
	slices.SortFunc(list, func(d, e int) int { return cmp.Or(cmp.Compare(c.began[d], c.began[e]), cmp.Compare(d, e)) })
	left := map[uint64]int{} // by byte computed from such reads: the event that wrote it
	for _, e := range list {
		if err := c.readsAt(e, differ, left); err != nil {
			return err
		}
	}
	return c.unfinished(differ)
}

// differing are the reads of the trace, by number, that return another value than in the recorded
// run.
func (c *crossing) differing(p model.Pair, order []int32) (map[int64]bool, error) {
	w := *c.w
	w.Edges, w.Orders, w.Events = nil, nil, slices.Clone(c.w.Events)
	for i := range w.Events {
		w.Events[i].Strict, w.Events[i].Deps, w.Events[i].Guards = false, nil, nil
	}
	x, err := Execute(&w, p, order)
	if err != nil {
		return nil, err
	}
	differ := map[int64]bool{}
	for _, i := range order {
		if e := &c.w.Events[i]; e.Kind != model.Pin && !e.Bare && c.w.Threads[e.Thread] >= 0 && isRead(e.Kind) && !x.Intact(i) {
			differ[e.Index] = true
		}
	}
	return differ, nil
}

// readsAt checks event e of the witness: what it needs, if it is in a call; what memory holds where
// a call begins; and what it writes where an open call finds it.
func (c *crossing) readsAt(e int, differ map[int64]bool, left map[uint64]int) error {
	ev, n := &c.m.Events[e], c.m.Index[e]
	dependent := func(list []int64) bool { return slices.ContainsFunc(list, func(x int64) bool { return differ[x] }) }
	refused := func(why string) error {
		return &Violation{Rule: "CW6", Event: max(0, c.event[e]), Kind: ev.Kind, Reason: why}
	}
	if c.ended[e] < never && dependent(c.m.Needs[e]) && slices.ContainsFunc(c.m.Calls, func(k model.ExcludedCall) bool { return k.G == ev.G && during(&k, n) }) {
		return refused("an excluded call depends on a read that returns another value")
	}
	if ev.Kind == format.MethodBegin && slices.ContainsFunc(c.gaps, func(g gap) bool { return g.a == e && g.until > e }) {
		k := slices.IndexFunc(c.m.Calls, func(k model.ExcludedCall) bool { return k.Begin == n })
		for x := range left {
			if call := &c.m.Calls[k]; call.All || within(call.Memory, [2]uint64{x, x + 1}) {
				return refused("an excluded call that begins here finds a value computed from a read that returns another value")
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
				differ[n] = true
			}
		}
	}
	if !ev.Kind.IsWrite() {
		return nil
	}
	tainted := dependent(c.m.From[e]) || ev.Kind == format.AtomicRMW && differ[n]
	for x := from; x < to; x++ {
		if delete(left, x); tainted {
			left[x] = e
		}
	}
	if tainted && c.foundBy(e) {
		return refused("an open excluded call finds a value computed from a read that returns another value")
	}
	return nil
}

// foundBy reports whether a call that can act on what event e has written is open there, and runs
// on.
func (c *crossing) foundBy(e int) bool {
	n := c.m.Index[e]
	return slices.ContainsFunc(c.gaps, func(g gap) bool {
		return g.until > g.a && g.until > e && slices.ContainsFunc(g.calls, func(k int) bool {
			return during(&c.m.Calls[k], n) && reaches(&c.m.Calls[k], &c.m.Events[e])
		})
	})
}

// unfinished checks gaps of which the witness has run a part without the event that ends them.
// Traced code that the calls have called back before may have returned to them what it has read.
func (c *crossing) unfinished(differ map[int64]bool) error {
	byGoroutine := map[trace.GoID][]int{}
	for e := range c.m.Events {
		if c.began[e] >= 0 && differ[c.m.Index[e]] {
			byGoroutine[c.m.Events[e].G] = append(byGoroutine[c.m.Events[e].G], e)
		}
	}
	for k := range c.gaps {
		g := &c.gaps[k]
		if g.until <= g.a || g.b < len(c.m.Events) && c.began[g.b] >= 0 {
			continue
		}
		for _, k := range g.calls {
			for _, e := range byGoroutine[c.m.Calls[k].G] {
				if e <= g.a && during(&c.m.Calls[k], c.m.Index[e]) {
					return &Violation{Rule: "CW6", Event: max(0, c.event[e]), Kind: c.m.Events[e].Kind, Reason: "an excluded call has run on after a callback with a read that returns another value"}
				}
			}
		}
	}
	return nil
}

// during reports whether an event of the trace is in a call.
func during(p *model.ExcludedCall, n int64) bool { return n > p.Begin && (p.End < 0 || n < p.End) }
