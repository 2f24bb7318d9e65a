package merge

import (
	"encoding/binary"
	"fmt"

	"presage/internal/trace"
	"presage/internal/trace/format"
)

// emit writes the events of a record.
func (m *merger) emit(s *stream, r *record) {
	if r.kind == format.RawStamp {
		return
	}
	e := trace.Event{Kind: r.kind, Flags: r.flags, G: m.owner(s), Site: trace.Site(r.site)}
	switch r.kind {
	case format.Read, format.Write:
		m.plain(s, r, &e)
		return
	case format.AtomicRead, format.AtomicWrite, format.AtomicRMW:
		m.atomic(r, &e)
	case format.Lock, format.Unlock, format.TryFail, format.WGWait, format.OnceBegin, format.OnceEnd, format.OncePass,
		format.CondWait, format.CondWake, format.CondSignal, format.CondBroadcast,
		format.Acquire, format.Release, format.ReleaseMerge:
		e.Obj = trace.Addr(r.word(0))
	case format.WGAdd:
		e.Obj, e.Val, e.Aux = trace.Addr(r.word(0)), r.word(1), r.word(2)
	case format.ChanSend, format.ChanRecv, format.ChanClose, format.ChanLen, format.SelectCase:
		e.Obj, e.Val, e.Aux = trace.Addr(r.word(0)), r.word(1), r.word(2)
		m.element(&e)
	case format.SelectDefault, format.End, format.OpaqueBegin, format.OpaqueEnd, format.Block:
	case format.Go:
		child := m.goroutine(r.word(0))
		m.meta.Goroutines[child].Parent, m.meta.Goroutines[child].Site = e.G, e.Site
		e.Obj = trace.Addr(child)
	case format.Start:
		m.start(r, &e)
	case format.Alloc:
		m.alloc(s, r, &e)
	case format.Enter:
		w := r.word(0)
		e.Val, e.Aux = w&(1<<32-1), w>>32
	case format.Exit:
		e.Aux = r.word(0)
	case format.Value:
		m.value(r, &e)
		return
	default:
		panic("merge: RawLen let an unknown kind pass: " + r.kind.String())
	}
	m.write(&e)
}

func (m *merger) write(e *trace.Event) {
	if m.err != nil {
		return
	}
	if err := m.w.Write(e); err != nil {
		m.err = fmt.Errorf("writing event %d: %w", m.stats.Events, err)
		return
	}
	m.stats.Events++
}

// owner returns the number of the goroutine of s (G1).
func (m *merger) owner(s *stream) trace.GoID {
	if s.g < 0 {
		s.g = m.goroutine(s.goid)
	}
	return s.g
}

// goroutine returns the number of the goroutine with the runtime's number id (G1).
func (m *merger) goroutine(id uint64) trace.GoID {
	if id == 0 {
		return 0
	}
	g, ok := m.gos[id]
	if !ok {
		g = trace.GoID(len(m.gos) + 1)
		m.gos[id] = g
	}
	for len(m.meta.Goroutines) <= int(g) {
		m.meta.Goroutines = append(m.meta.Goroutines, trace.Goroutine{})
	}
	m.meta.Goroutines[g].RunID = id
	return g
}

func (m *merger) start(r *record, e *trace.Event) {
	var b []byte
	for i := 2; 8*i < len(r.w); i++ {
		b = binary.LittleEndian.AppendUint64(b, r.word(i))
	}
	m.meta.Goroutines[e.G].Func = string(b[:min(len(b), int(r.size))])
	if p := r.word(0); p != 0 {
		e.Obj = trace.Addr(m.goroutine(p))
	}
}

// value writes a Value and its Words.
func (m *merger) value(r *record, e *trace.Event) {
	e.Size, e.Val = r.size, r.word(0)
	m.write(e)
	for i := 1; 8*i < len(r.w); i++ {
		m.write(&trace.Event{Kind: format.Word, G: e.G, Site: e.Site, Val: r.word(i)})
	}
}

// element gives elements without a value the number of their send (G3).
func (m *merger) element(e *trace.Event) {
	send, recv := e.Kind == format.ChanSend, e.Kind == format.ChanRecv && e.Flags&format.FlagClosed == 0
	if e.Flags&format.FlagNoValue == 0 || !send && !recv {
		return
	}
	c := m.chans[uint64(e.Obj)]
	if c == nil {
		c = new(sends)
		m.chans[uint64(e.Obj)] = c
	}
	if send {
		c.sent++
		e.Val = c.sent
	} else {
		c.received++
		e.Val = c.received
	}
}

// alloc begins new locations.
func (m *merger) alloc(s *stream, r *record, e *trace.Event) {
	x, n := r.word(0), r.word(1)
	e.Obj, e.Val = trace.Addr(x), n
	m.shadow.forget(x, n)
	delete(m.chans, x)
	if r.flags&format.FlagStack != 0 {
		s.stack.lo, s.stack.hi = x, x+n
	}
}

// atomic keeps the shadow of an atomic operation. Its place is fixed by its stamp.
func (m *merger) atomic(r *record, e *trace.Event) {
	e.Obj, e.Size, e.Val = trace.Addr(r.word(0)), r.size, r.word(1)
	x := r.word(0)
	c, mask, shift := m.shadow.cell(x), byteMask(x, uint64(min(r.size, 8))), 8*(x&7)
	if e.Kind != format.AtomicWrite {
		m.compare(c, e.Val<<shift, mask, e)
	}
	switch e.Kind {
	case format.AtomicWrite:
		c.store(e.Val<<shift, mask)
	case format.AtomicRMW:
		e.Aux = r.word(2)
		c.store(e.Aux<<shift, mask)
	}
}

// compare counts and marks a read that the shadow does not explain (V3).
func (m *merger) compare(c *cell, val uint64, mask uint8, e *trace.Event) {
	m.stats.Values++
	if !c.explains(val, mask) {
		m.stats.Unexplained++
		e.Flags |= format.FlagUnexplained
	}
	c.store(val, mask)
}

// plain writes the events of a plain access.
func (m *merger) plain(s *stream, r *record, e *trace.Event) {
	x := r.word(0)
	if x == 0 { // (G4)
		return
	}
	if x >= s.stack.lo && x < s.stack.hi { // (G2)
		e.Flags |= format.FlagStack
	}
	if r.flags&format.FlagNoValue != 0 {
		m.span(r, e)
		return
	}
	e.Obj, e.Size, e.Val = trace.Addr(x), r.size, r.word(1)
	if isValued(r) {
		a := m.accessOf(r)
		if e.Kind == format.Read {
			m.compare(a.c, a.val, a.mask, e)
		} else {
			a.c.store(a.val, a.mask)
		}
	}
	m.write(e)
}

// span writes an access to a range of bytes, one event per word (G4).
func (m *merger) span(r *record, e *trace.Event) {
	x, n := r.word(0), r.word(1)
	if n > m.widest || x+n < x {
		m.damaged("an access of %d bytes at %#x", n, x)
		return
	}
	more := e.Flags & format.FlagMore
	if e.Kind == format.Write {
		m.shadow.forget(x, n)
	}
	for end := x + n; x < end; {
		k := min(end-x, 8-x&7)
		e.Obj, e.Size = trace.Addr(x), uint16(k)
		e.Flags = e.Flags&^format.FlagMore | more
		if x += k; x < end {
			e.Flags |= format.FlagMore
		}
		m.write(e)
	}
}
