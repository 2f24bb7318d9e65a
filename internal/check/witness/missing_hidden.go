package witness

import (
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// hidden checks (Y4): for each operation that somebody did whose code is not in the trace, and for
// each one on the same object before and after it.
func (c *crossing) hidden() error {
	before := map[acted][]int{}
	for e := range c.m.Events[:c.last+1] {
		ev := &c.m.Events[e]
		if ev.Kind == format.Alloc {
			for x := range before {
				if uint64(x.addr|7) >= uint64(ev.Obj) && uint64(x.addr) < uint64(ev.Obj)+ev.Val {
					delete(before, x)
				}
			}
		}
		x, ok := actedOn(ev)
		if !ok {
			continue
		}
		if err := c.inOrder(e, before[x]); err != nil {
			return err
		}
		before[x] = append(before[x], e)
	}
	return nil
}

// inOrder checks (Y4) for event e and those before it on the same object.
func (c *crossing) inOrder(e int, before []int) error {
	ev := &c.m.Events[e]
	for _, d := range before {
		dv := &c.m.Events[d]
		if dv.G == ev.G || (dv.Flags|ev.Flags)&format.FlagOpaque == 0 || sharing(dv) && sharing(ev) {
			continue
		}
		if c.event[d] >= 0 && c.began[e] >= 0 && (c.began[d] < 0 || c.began[d] > c.began[e]) {
			return &Violation{Rule: "Y4", Event: max(0, c.event[e]), Kind: ev.Kind, Reason: "it comes before an earlier operation on the same object, and one of the two is of code that is not known"}
		}
	}
	return nil
}

// acted is what an operation is on.
type acted struct {
	addr   trace.Addr
	memory bool
}

func actedOn(e *trace.Event) (acted, bool) {
	switch k := e.Kind; {
	case e.Obj == 0 || e.G < 1:
	case k.IsAtomic():
		return acted{e.Obj &^ 7, true}, true
	case k >= format.Lock && k <= format.ChanLen:
		return acted{e.Obj, false}, true
	}
	return acted{}, false
}

// sharing says whether an operation does nothing to others of its kind.
func sharing(e *trace.Event) bool {
	return e.Kind == format.AtomicRead || (e.Kind == format.Lock || e.Kind == format.Unlock || e.Kind == format.TryFail) && e.Flags&format.FlagRead != 0
}
