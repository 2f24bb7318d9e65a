package witness

import (
	"slices"

	"presage/internal/trace"
	"presage/internal/trace/format"
	"presage/internal/window"
)

// hidden checks (Y4): for each operation that somebody did whose code is not in the trace, and for each one on the same object before and after it.
func (c *crossing) hidden() error {
	known := c.allKnown()
	free := make([]bool, len(c.m.Events))
	calls := map[trace.GoID][]*window.MissingCall{}
	for k := range c.m.Calls {
		if p := &c.m.Calls[k]; p.Begin < c.m.Index[0] {
			calls[p.G] = append(calls[p.G], p)
		}
	}
	before := map[acted][]int{}
	for e := range c.m.Events[:c.last+1] {
		ev := &c.m.Events[e]
		in := slices.DeleteFunc(calls[ev.G], func(p *window.MissingCall) bool { return p.End >= 0 && p.End <= c.m.Index[e] })
		if ev.Kind == format.MethodBegin {
			k := slices.IndexFunc(c.m.Calls, func(p window.MissingCall) bool { return p.Begin == c.m.Index[e] })
			in = append(in, &c.m.Calls[k])
		}
		calls[ev.G] = in
		if ev.Kind == format.Alloc {
			for x := range before {
				if uint64(x.addr|7) >= uint64(ev.Obj) && uint64(x.addr) < uint64(ev.Obj)+ev.Val {
					delete(before, x)
				}
			}
		}
		free[e] = ev.Flags&format.FlagOpaque == 0 || known && len(in) > 0 && in[len(in)-1].Own
		x, ok := actedOn(ev)
		if !ok {
			continue
		}
		if err := c.inOrder(e, before[x], free); err != nil {
			return err
		}
		before[x] = append(before[x], e)
	}
	return nil
}

// inOrder checks (Y4) for event e and those before it on the same object.
func (c *crossing) inOrder(e int, before []int, free []bool) error {
	ev := &c.m.Events[e]
	for _, d := range before {
		dv := &c.m.Events[d]
		if dv.G == ev.G || free[d] && free[e] || sharing(dv) && sharing(ev) {
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

// allKnown says whether, as far as the window shows, code without records has touched nothing but what is said of it: every call's synchronisation is its own, and
// others have left alone what it reaches, where that matters.
func (c *crossing) allKnown() bool {
	for k := range c.m.Calls {
		p := &c.m.Calls[k]
		if !p.Own || p.All || !p.Fixed && (c.met(k) || c.touched(p)) {
			return false
		}
	}
	return true
}

// during says whether number n is in a call.
func during(p *window.MissingCall, n int64) bool { return n > p.Begin && (p.End < 0 || n < p.End) }

// met says whether another call that has something in common with call k was under way together with it.
func (c *crossing) met(k int) bool {
	p := &c.m.Calls[k]
	return slices.ContainsFunc(c.m.Calls, func(q window.MissingCall) bool {
		return q.Begin != p.Begin && (during(p, q.Begin) || during(&q, p.Begin)) && share(p, &q)
	})
}

// touched says whether another goroutine has accessed what a call reaches.
func (c *crossing) touched(p *window.MissingCall) bool {
	for e := range c.m.Events {
		if ev := &c.m.Events[e]; ev.G != p.G && ev.Kind.IsAccess() && during(p, c.m.Index[e]) && reaches(p, ev) {
			return true
		}
	}
	return false
}
