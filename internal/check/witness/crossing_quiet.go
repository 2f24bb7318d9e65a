package witness

import (
	"slices"

	"github.com/presage-race/presage/internal/predict/model"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// placeQuiet places accesses that have no event in the window although an excluded call may reach
// them. If the witness has a later event of the goroutine, the access is executed directly after
// the goroutine's event before it, or after its go statement. If the witness has no later event,
// the access is not executed.
//
// An access in a callback, to memory that a call reaches in which its goroutine is, is part of the
// gap: it can influence other gaps only as far as they share with this one.
func (c *crossing) placeQuiet() {
	further := map[trace.GoID]bool{}
	for e := len(c.m.Events) - 1; e >= 0; e-- {
		switch ev := &c.m.Events[e]; {
		case c.event[e] >= 0:
			// the window may have only a Pin for it
			c.acted[e] = c.acted[e] || ev.Kind.IsAccess() && further[ev.G] && c.began[e] >= 0
			further[ev.G] = further[ev.G] || c.began[e] >= 0
		case ev.Kind.IsAccess() && further[ev.G]:
			c.began[e] = 0 // until it is placed
		}
	}
	type place struct{ e, at int }
	last, in := map[trace.GoID]place{}, c.openBefore()
	c.own = map[int]bool{}
	for e := range c.m.Events {
		ev := &c.m.Events[e]
		p, ok := last[ev.G]
		switch {
		case c.event[e] >= 0:
			last[ev.G] = place{e, c.ended[e]}
			if ev.Kind == format.Go { // for a goroutine without a Start
				last[trace.GoID(ev.Obj)] = last[ev.G]
			}
			c.openAt(in, e)
			continue
		case !ev.Kind.IsAccess():
			continue
		case c.began[e] != 0:
		case ok && p.at == never:
			c.began[e] = -1
		case ok:
			c.began[e], c.acted[e] = p.at+e-p.e, true
			c.ended[e] = c.began[e]
		default: // before anything of its goroutine in the window
			c.began[e], c.acted[e] = e, true
			c.ended[e] = e
		}
		if slices.ContainsFunc(in[ev.G], func(k int) bool { return reaches(&c.m.Calls[k], ev) }) {
			c.own[e] = true
		}
	}
}

// openBefore are the calls that are open at the start of the window, by goroutine.
func (c *crossing) openBefore() map[trace.GoID][]int {
	in := map[trace.GoID][]int{}
	for k, call := range c.m.Calls {
		if call.Begin < c.m.Index[0] {
			in[call.G] = append(in[call.G], k)
		}
	}
	return in
}

// openAt opens and closes the calls that begin and end with event e.
func (c *crossing) openAt(in map[trace.GoID][]int, e int) {
	switch g := c.m.Events[e].G; c.m.Events[e].Kind {
	case format.MethodBegin:
		if k := slices.IndexFunc(c.m.Calls, func(call model.ExcludedCall) bool { return call.Begin == c.m.Index[e] }); k >= 0 {
			in[g] = append(in[g], k)
		}
	case format.MethodEnd, format.End:
		in[g] = slices.DeleteFunc(in[g], func(k int) bool { return c.m.Calls[k].End == c.m.Index[e] })
	}
}
