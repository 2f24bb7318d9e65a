package window

import (
	"slices"

	"presage/internal/barrier"
	"presage/internal/trace"
	"presage/internal/trace/format"
)

// Synchronisation of missing methods whose code is known to have no other than its own (B13 of package barrier): it is taken for what it is, and not for
// that of code outside, in windows in which all memory is known that code without records touches.

// owning is what a Builder knows of missing methods whose synchronisation is their own.
type owning struct {
	active bool // the trace has had a missing method
	calls  map[*barrier.Pair]*ownCall
	open   []*barrier.Pair // those under way
	begun  *barrier.Pair   // the D of which is not complete yet
	late   map[trace.GoID]*late
	once   map[trace.GoID]bool // in a sync.Once, and has not entered the function
}

// late is what a goroutine has done since its last operation of synchronisation: where that is among the events of others only values can tell, so if
// the recorder followed what a method reaches meanwhile, it may have come before.
type late struct {
	wrote []barrier.Touch // pointers
	many  bool            // more than maxLate, or code outside
}

const maxLate = 256

func newOwning() owning {
	return owning{calls: make(map[*barrier.Pair]*ownCall), late: make(map[trace.GoID]*late), once: make(map[trace.GoID]bool)}
}

// ownCall is such a call.
type ownCall struct {
	depth  uint64 // of the function that calls
	shaken bool   // others may have changed what it touches while it was open, or code outside was there (B14)
}

// listed looks at the last call that has begun when its D is complete, before a record of another kind is taken: that may end a call which was under way with it.
func (b *Builder) listed(k format.Kind) {
	if o := &b.owning; o.begun != nil && k != format.Reach && k != format.ReachGo && k != format.ReachSet {
		b.meets(o.begun)
		o.begun = nil
	}
}

// ownStep takes a record, once it is known which opaque call it is of.
func (b *Builder) ownStep(r *record) {
	o := &b.owning
	if !b.miss.active() || b.miss.mode != barrier.Reachable {
		return
	}
	if !o.active {
		b.ownFirst(r)
	}
	switch k := r.e.Kind; {
	case k == format.MethodBegin:
		o.begun = r.pair
		if r.pair.Own {
			o.calls[r.pair] = &ownCall{depth: b.calls[r.e.G].depth}
			o.open = append(o.open, r.pair)
		}
	case k == format.MethodEnd || k == format.End:
		o.open = slices.DeleteFunc(o.open, func(p *barrier.Pair) bool { return p.End >= 0 })
	case k.IsAccess():
		r.own = b.isOwn(r)
		b.shake(r)
	default:
		r.own = k >= format.Lock && k <= format.SelectDefault && b.isOwn(r)
	}
	b.lately(r)
}

// ownFirst takes what was before r, the first MethodBegin of the trace.
func (b *Builder) ownFirst(r *record) {
	o := &b.owning
	o.active = true
	for g := range b.miss.known {
		if _, ended := b.miss.ends[g]; b.done > 0 && g != r.e.G && !ended { // what it did is not in the buffer
			o.late[g] = &late{many: true}
		}
	}
	for i := range b.buf {
		b.lately(&b.buf[i])
	}
}

// lately keeps what the goroutine of a record has done since its last operation of synchronisation.
func (b *Builder) lately(r *record) {
	o := &b.owning
	x := o.late[r.e.G]
	switch k := r.e.Kind; {
	case k == format.Enter:
		delete(o.once, r.e.G)
	case k == format.OnceBegin && r.e.Flags&format.FlagOpaque == 0:
		o.once[r.e.G] = true
	case k == format.OnceEnd && o.once[r.e.G]:
		r.unseen = true
		delete(o.once, r.e.G)
	}
	switch k := r.e.Kind; {
	case k >= format.Lock && k <= format.ReleaseMerge || k.IsAtomic():
		delete(o.late, r.e.G)
	case pointerLike(&r.e):
		if x == nil {
			x = &late{}
			o.late[r.e.G] = x
		}
		if x.many = x.many || len(x.wrote) == maxLate; !x.many {
			x.wrote = append(x.wrote, barrier.TouchOf(&r.e))
		}
	}
}

// pointerLike says whether an event writes what may be a pointer.
func pointerLike(e *trace.Event) bool {
	return e.Kind == format.Write && e.Flags&format.FlagStack == 0 && (e.Flags&format.FlagNoValue != 0 || e.Val >= 4096 && e.Val < 1<<48)
}

// followed says whether the recorder may have come to D before what others have done there, as the trace has it.
func (b *Builder) followed(p *barrier.Pair) bool {
	for g, x := range b.owning.late { // the result does not depend on the order
		if g != p.G && (x.many || slices.ContainsFunc(x.wrote, p.D.Hits)) {
			return true
		}
	}
	return false
}

// isOwn says whether a record is of a missing method's own code.
func (b *Builder) isOwn(r *record) bool {
	if r.e.Flags&format.FlagOpaque == 0 || r.e.Kind == format.Read || r.e.Kind == format.Write {
		return false
	}
	p := b.miss.pairs.Last(r.e.G)
	return p != nil && p.Own && b.owning.calls[p].depth == b.calls[r.e.G].depth
}

// shake takes an access: by traced code, by code outside, or by another missing method, whose D lacks what it accesses by a record.
func (b *Builder) shake(r *record) {
	x, last := barrier.TouchOf(&r.e), b.miss.pairs.Last(r.e.G)
	for _, p := range b.owning.open {
		if c := b.owning.calls[p]; !p.Fixed && !c.shaken && !(r.own && p == last) {
			c.shaken = p.D.Hits(x)
		}
	}
}

// meets looks at the other calls under way when one has begun.
func (b *Builder) meets(p *barrier.Pair) {
	o := &b.owning
	if p.Own && !p.Fixed && b.followed(p) {
		o.calls[p].shaken = true
	}
	b.miss.pairs.Each(func(q *barrier.Pair) {
		if q == p || !p.D.Meets(&q.D) {
			return
		}
		for _, x := range []*barrier.Pair{p, q} {
			if c := o.calls[x]; c != nil && !x.Fixed {
				c.shaken = true
			}
		}
	})
}

// passOwn takes a record that leaves the buffer.
func (b *Builder) passOwn(r *record) {
	if r.e.Kind == format.MethodEnd {
		delete(b.owning.calls, r.pair)
	}
}

// allKnown says whether all memory is known that code without records touches in the window (B14).
func (m *maker) allKnown() bool {
	b := m.b
	if !b.miss.active() || b.miss.mode != barrier.Reachable || b.owning.begun != nil {
		return false
	}
	known := func(p *barrier.Pair) bool { return p.Own && !p.D.All && !b.owning.calls[p].shaken }
	for _, list := range b.miss.open {
		if slices.ContainsFunc(list, func(p *barrier.Pair) bool { return !known(p) }) {
			return false
		}
	}
	for i := range m.recs {
		switch r := &m.recs[i]; {
		case r.unseen:
			return false
		case r.e.Kind == format.MethodBegin && !known(r.pair):
			return false
		}
	}
	return true
}

// hidden says whether a record is an operation of code outside, about which nothing but the order is known. A ChanLen may stand for a
// panic, because the channel is closed: it comes behind what closed it.
func (m *maker) hidden(r *record) bool {
	return r.e.Flags&format.FlagOpaque != 0 && (r.e.Kind == format.ChanLen || m.b.miss.active() && !(m.owned && r.own))
}
