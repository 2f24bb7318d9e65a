package witness

import (
	"slices"

	"github.com/presage-race/presage/internal/trace/format"
)

// values checks (CW4).
func (c *crossing) values() error {
	for k := range c.m.Calls {
		call := &c.m.Calls[k]
		b, ok := slices.BinarySearch(c.m.Index, call.Begin)
		if !ok || !slices.ContainsFunc(c.gaps, func(g gap) bool { return g.a == b && g.until > b }) {
			// the witness does not run the call
			continue
		}
		// by byte: the event that wrote it last, in the recorded run and in the witness
		recorded, moved := map[uint64]int{}, map[uint64]int{}
		for e := range b {
			if !c.m.Events[e].Kind.IsWrite() || !reaches(call, &c.m.Events[e]) {
				continue
			}
			from, to := bytesOf(&c.m.Events[e])
			for x := from; x < to; x++ {
				recorded[x] = e
				if c.began[e] < 0 || c.began[e] > c.began[b] {
					continue
				}
				if last, ok := moved[x]; !ok || c.began[last] < c.began[e] {
					moved[x] = e
				}
			}
		}
		for x, e := range recorded {
			if f, ok := moved[x]; ok && f != e && !c.same(x, e, f) && c.began[e] >= 0 && c.began[e] < c.began[b] && !c.overwritten(x, e, b) {
				return &Violation{Rule: "CW4", Event: max(0, c.event[b]), Kind: format.MethodBegin, Reason: "an excluded call that begins here finds another value than in the recorded run"}
			}
		}
	}
	return nil
}

// same reports whether two events left the same in byte x.
func (c *crossing) same(x uint64, e, f int) bool {
	left := func(e int) (uint64, bool) {
		ev := &c.m.Events[e]
		v := ev.Val
		if ev.Kind == format.AtomicRMW {
			v = ev.Aux
		}
		return v >> (8 * (x - uint64(ev.Obj))) & 0xff, ev.Flags&format.FlagNoValue == 0
	}
	v, ok := left(e)
	u, known := left(f)
	return ok && known && v == u
}

// overwritten reports whether excluded code may have written byte x between two events of the
// recorded run.
func (c *crossing) overwritten(x uint64, e, b int) bool {
	return slices.ContainsFunc(c.gaps, func(g gap) bool {
		return g.a < b && g.b > e && slices.ContainsFunc(g.calls, func(k int) bool {
			call := &c.m.Calls[k]
			return call.All || within(call.Memory, [2]uint64{x, x + 1})
		})
	})
}
