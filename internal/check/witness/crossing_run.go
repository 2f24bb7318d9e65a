package witness

import (
	"slices"

	"github.com/presage-race/presage/internal/predict/model"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// runGaps computes how far the witness runs each gap.
func (c *crossing) runGaps(order []int32) {
	for k := range c.gaps {
		if g := &c.gaps[k]; g.b < len(c.m.Events) && c.began[g.b] >= 0 {
			g.until = g.b
		}
	}
	found := c.found(order)
	upTo := make([]int, len(c.sets)) // by call set: the event up to which all its gaps have run
	for i := range upTo {
		upTo[i] = -1
	}
	for e := range c.m.Events {
		if c.began[e] < 0 || c.idle(e) {
			continue
		}
		since, depends := -1, c.depends(e)
		switch {
		case depends:
		case found[e]:
			since = c.before(e)
		default:
			continue
		}
		for _, i := range c.actors[e] {
			if !depends && !c.leaves(c.sets[i].calls, e) {
				continue
			}
			if since < 0 {
				upTo[i] = e
				continue
			}
			for _, k := range c.sets[i].all {
				if g := &c.gaps[k]; g.a < e && since < g.b {
					g.until = max(g.until, min(e, g.b))
				}
			}
		}
	}
	for i, e := range upTo {
		for _, k := range c.sets[i].all {
			if g := &c.gaps[k]; g.a < e {
				g.until = max(g.until, min(e, g.b))
			}
		}
	}
	c.runTogether()
}

// runTogether runs gaps that share as far as each other, beginning with the call set that has run
// farthest.
func (c *crossing) runTogether() {
	far, done := make([]int, len(c.sets)), make([]bool, len(c.sets))
	for i := range c.sets {
		far[i] = -1
		for _, k := range c.sets[i].all {
			if g := &c.gaps[k]; g.until > g.a {
				far[i] = max(far[i], g.until)
			}
		}
	}
	for {
		next := -1
		for i := range c.sets {
			if !done[i] && far[i] >= 0 && (next < 0 || far[i] > far[next]) {
				next = i
			}
		}
		if next < 0 {
			return
		}
		done[next] = true
		for _, j := range c.sets[next].near {
			for _, k := range c.sets[j].all {
				h := &c.gaps[k]
				if to := min(far[next], h.b); to > max(h.a, h.until) {
					h.until = to
					far[j] = max(far[j], to)
				}
			}
		}
	}
}

// leaves reports whether one of the calls can have written what event e reads.
func (c *crossing) leaves(calls []int, e int) bool {
	from, to := bytesOf(&c.m.Events[e])
	return slices.ContainsFunc(calls, func(k int) bool {
		call := &c.m.Calls[k]
		return call.All || within(call.Memory, [2]uint64{from, to})
	})
}

// idle reports whether the witness only reaches an access, and does not execute it.
func (c *crossing) idle(e int) bool { return c.m.Events[e].Kind.IsAccess() && !c.acted[e] }

// before returns the last event before e that accesses the same memory, -1 if there is none.
func (c *crossing) before(e int) int {
	from, to := bytesOf(&c.m.Events[e])
	for d := e - 1; d >= 0; d-- {
		if c.m.Events[d].Kind.IsAccess() {
			if f, t := bytesOf(&c.m.Events[d]); f < to && from < t {
				return d
			}
		}
	}
	return -1
}

// found are the events that read what excluded code has left: the window has a write of no
// goroutine for them.
func (c *crossing) found(order []int32) map[int]bool {
	at := map[int64]int{}
	for e, i := range c.m.Index {
		at[i] = e
	}
	found := map[int]bool{}
	for _, i := range order {
		ev := &c.w.Events[i]
		if e, ok := at[ev.Index]; ok && c.w.Threads[ev.Thread] < 0 && ev.Kind == format.Write && c.m.Events[e].Kind != format.Write && c.m.Events[e].Kind != format.AtomicWrite {
			found[e] = true
		}
	}
	return found
}

// depends reports whether an event is possible only if the excluded calls that can act on it have
// run up to it. It is an operation on an object, or a read whose value the window does not have.
func (c *crossing) depends(e int) bool {
	ev := &c.m.Events[e]
	return !ev.Kind.IsAccess() || ev.Flags&format.FlagNoValue != 0 || c.w.Semantics == model.StrictReads && ev.Kind != format.Write && ev.Kind != format.AtomicWrite
}

// onlyReads reports whether an event changes nothing.
func onlyReads(e *trace.Event) bool {
	return e.Kind == format.Read || e.Kind == format.AtomicRead
}
