package witness

import (
	"slices"

	"github.com/presage-race/presage/internal/predict/model"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// objects checks (CW5) for objects that excluded calls reach.
func (c *crossing) objects() error {
	before := map[trace.Addr][]int{}
	for e := range c.m.Events[:c.last+1] {
		ev := &c.m.Events[e]
		if from, to := bytesOf(ev); ev.Kind.IsAccess() || to == from || ev.Obj == 0 || !slices.ContainsFunc(c.m.Calls, func(p model.ExcludedCall) bool { return reaches(&p, ev) }) {
			continue
		}
		switch ev.Kind {
		case format.Go, format.Start, format.End:
			continue
		}
		for _, d := range before[ev.Obj] {
			before := &c.m.Events[d]
			free := before.G == ev.G || before.Kind == format.Lock && ev.Kind == format.Lock && before.Flags&ev.Flags&format.FlagRead != 0
			if !free && c.began[e] >= 0 && c.ended[d] >= c.began[e] {
				return &Violation{Rule: "CW5", Event: max(0, c.event[e]), Kind: ev.Kind, Reason: "it comes before an earlier operation on an object that excluded code reaches"}
			}
		}
		before[ev.Obj] = append(before[ev.Obj], e)
	}
	return nil
}

// hidden checks (CW5) for operations on one object of which one is by code that is not in the
// trace.
func (c *crossing) hidden() error {
	before := map[target][]int{}
	for e := range c.m.Events[:c.last+1] {
		ev := &c.m.Events[e]
		if ev.Kind == format.Alloc {
			for x := range before {
				if uint64(x.addr|7) >= uint64(ev.Obj) && uint64(x.addr) < uint64(ev.Obj)+ev.Val {
					delete(before, x)
				}
			}
		}
		x, ok := targetOf(ev)
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

// inOrder compares event e with the earlier events on the same object.
func (c *crossing) inOrder(e int, before []int) error {
	ev := &c.m.Events[e]
	for _, d := range before {
		dv := &c.m.Events[d]
		if dv.G == ev.G || (dv.Flags|ev.Flags)&format.FlagOpaque == 0 || sharing(dv) && sharing(ev) {
			continue
		}
		if c.event[d] >= 0 && c.began[e] >= 0 && (c.began[d] < 0 || c.began[d] > c.began[e]) {
			return &Violation{Rule: "CW5", Event: max(0, c.event[e]), Kind: ev.Kind, Reason: "it comes before an earlier operation on the same object, and one of the two is by code that is not in the trace"}
		}
	}
	return nil
}

// target is the object of an operation.
type target struct {
	addr   trace.Addr
	memory bool
}

func targetOf(e *trace.Event) (target, bool) {
	switch k := e.Kind; {
	case e.Obj == 0 || e.G < 1:
	case k.IsAtomic():
		return target{e.Obj &^ 7, true}, true
	case k >= format.Lock && k <= format.ChanLen:
		return target{e.Obj, false}, true
	}
	return target{}, false
}

// sharing reports whether an operation commutes with others of its kind.
func sharing(e *trace.Event) bool {
	return e.Kind == format.AtomicRead || (e.Kind == format.Lock || e.Kind == format.Unlock || e.Kind == format.TryFail) && e.Flags&format.FlagRead != 0
}
