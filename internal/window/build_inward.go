package window

import (
	"presage/internal/trace"
	"presage/internal/trace/format"
)

// Functions like fmt.Sprintf synchronise inside: they take buffers from pools, lock the file that they print to, look into caches.
// What they do for traced code does not depend on who else did so before: they have no hidden state (F6 of package footprint). So
// that synchronisation orders nothing, and code that prints is not in order by what it prints:
//
//   - (N1) a call is *inward* if its function is (Set.Inward), the whole call is in the window, and all that its goroutine has
//     records of in between is of code outside: nothing is called back;
//   - (N2) what inward calls do with a lock is in order with what others do with it, but not among each other. (If a call stood in
//     the middle of it, nothing of its goroutine that a witness has would come later; and it waits for nothing but others like it.)
//   - (N3) of other hooks, as those for input and output, an Acquire of others alone matters to them.
//   - (N4) so it is with words that they access, atomically or not: with what others do there they keep their order, and they do not
//     among each other. What inward calls alone have to do with is as if each goroutine had its own.
//
// A file that is read, to which what is printed may come back through a pipe, is one that others acquire; a lock under which traced
// code is called back is not of an inward call alone. With missing methods in the trace nothing is inward.

// inwardCall is a call of a goroutine that may be inward.
type inwardCall struct {
	first int  // its records, from here on, by the goroutine
	open  bool // and so far nothing was called back
}

// findInward is (N1).
func (m *maker) findInward() {
	for i := range m.recs {
		m.recs[i].inward = false
	}
	if m.b.miss.active() || !m.b.prints.some {
		return
	}
	calls := make(map[trace.GoID]*inwardCall)
	for i := range m.recs {
		r := &m.recs[i]
		c := calls[r.e.G]
		switch {
		case r.e.Kind == format.OpaqueBegin:
			if c == nil {
				c = &inwardCall{}
				calls[r.e.G] = c
			}
			c.first, c.open = i, m.b.prints.inward(r.e.Site)
		case c == nil || !c.open || r.e.Kind == format.Alloc:
		case r.e.Kind == format.OpaqueEnd:
			m.markInward(c.first, i, r.e.G)
			c.open = false
		case r.e.Flags&format.FlagOpaque == 0 || !orders(r.e.Kind):
			c.open = false
		}
	}
}

// orders says whether a record is of what (N2) to (N4) are about: no channels, goroutines, WaitGroups or Conds.
func orders(k format.Kind) bool {
	switch k {
	case format.Lock, format.Unlock, format.TryFail, format.OnceBegin, format.OnceEnd, format.OncePass,
		format.Acquire, format.Release, format.ReleaseMerge:
		return true
	}
	return k.IsAccess()
}

// markInward marks the records of a call.
func (m *maker) markInward(first, last int, g trace.GoID) {
	for i := first + 1; i < last; i++ {
		if r := &m.recs[i]; r.e.G == g {
			r.inward = true
		}
	}
}

// inwardSync executes what an inward call does with a lock or a Once (N2).
func (m *maker) inwardSync(i int, r *record, t *thread, o *synch) {
	o.cur.step(&r.e, true)
	if !o.many || !o.outward {
		m.pin(i, r, t)
		return
	}
	m.orderedSync(o, t, m.add(t, i, Event{Kind: Pin, Obj: -1, Deps: m.resolve(r.needs)}), i, &r.e)
}
