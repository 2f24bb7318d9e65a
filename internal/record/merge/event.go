package merge

import (
	"encoding/binary"
	"slices"

	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// emit writes the events of a record.
func (m *merger) emit(s *stream, r *record) {
	switch r.kind {
	case format.RawStamp, format.RawSet, format.RawLate, format.RawPC, format.RawGC:
		return
	case format.RawContext:
		m.context(s, uint64(r.site))
		return
	case format.RawVar:
		m.variable(r)
		return
	case format.RawConst:
		m.constant(r)
		return
	case format.Read, format.Write, format.Value:
		m.texts(s, r)
	}
	if endsContext(r.kind) {
		m.endContext(s)
	}
	p := placed{e: trace.Event{Kind: r.kind, Flags: r.flags, G: m.owner(s), Site: trace.Site(r.site)}, s: s.index, from: s.from, to: s.stamp}
	if r.has {
		p.from, p.to = r.stamp, r.stamp
		m.passed(s, r)
	}
	e := &p.e
	switch r.kind {
	case format.Read, format.Write:
		m.plain(s, r, p)
		return
	case format.AtomicRead, format.AtomicWrite, format.AtomicRMW:
		m.atomic(r, p)
		return
	case format.Lock, format.Unlock, format.TryFail, format.WGWait, format.OnceBegin, format.OnceEnd, format.OncePass,
		format.CondWait, format.CondWake, format.CondSignal, format.CondBroadcast,
		format.Acquire, format.Release, format.ReleaseMerge, format.Observe:
		e.Obj = trace.Addr(r.word(0))
	case format.WGAdd:
		e.Obj, e.Val, e.Aux = trace.Addr(r.word(0)), r.word(1), r.word(2)
	case format.ChanSend, format.ChanRecv, format.ChanClose, format.ChanLen, format.SelectCase:
		e.Obj, e.Val, e.Aux = trace.Addr(r.word(0)), r.word(1), r.word(2)
		m.element(e)
	case format.OpaqueBegin:
		e.Flags |= m.goesInto(s)
	case format.End:
		m.left(s, 0, p)
	case format.SelectDefault, format.OpaqueEnd, format.Block:
	case format.Go:
		child := m.goroutine(r.word(0))
		if s.goid < format.FirstFiring { // else it is the timer's function
			m.meta.Goroutines[child].Parent, m.meta.Goroutines[child].Site = e.G, e.Site
		}
		e.Obj = trace.Addr(child)
	case format.Start:
		m.start(r, e)
	case format.Alloc:
		m.alloc(s, r, e)
	case format.Enter:
		w := r.word(0)
		e.Val, e.Aux = w&(1<<32-1), w>>32
		m.left(s, e.Aux, p)
	case format.Exit:
		e.Aux = r.word(0)
		m.left(s, e.Aux, p)
	case format.MethodBegin:
		e.Obj = trace.Addr(r.word(0) & (1<<32 - 1))
		if m.growsEndless(s) {
			e.Flags |= format.FlagAll
		}
		m.begun(s, r, p)
		m.place(p)
		if e.Flags&format.FlagAll == 0 {
			m.reach(s, p)
		}
		return
	case format.MethodEnd:
		method, depth := r.word(0)&(1<<32-1), r.word(0)>>32
		m.left(s, depth+1, p)
		if n := len(s.missing); n == 0 || s.missing[n-1].method != trace.Addr(method) {
			return // a callback that has panicked, and was recovered from, took it along
		}
		m.left(s, depth, p)
		return
	case format.Reach, format.ReachSet: // it was behind its MethodBegin
		return
	case format.Value:
		m.value(r, p)
		return
	default:
		panic("merge: RawLen let an unknown kind pass: " + r.kind.String())
	}
	m.place(p)
}

// endsContext reports whether an operation of synchronisation of this kind, or an observation of a
// state, ends the context of its goroutine, as the recorder has it.
func endsContext(k format.Kind) bool {
	switch k {
	case format.Lock, format.Unlock, format.TryFail, format.WGAdd, format.WGWait, format.OnceBegin, format.OnceEnd, format.OncePass,
		format.CondWait, format.CondWake, format.CondSignal, format.CondBroadcast, format.Acquire, format.Release, format.ReleaseMerge, format.Observe,
		format.ChanSend, format.ChanRecv, format.ChanClose, format.ChanLen, format.SelectCase, format.Go, format.End,
		format.AtomicRead, format.AtomicWrite, format.AtomicRMW:
		return true
	}
	return false
}

// goesInto returns FlagDirect for a call under way, if the next thing that s does is to enter the
// instrumented function that the call is of. What the runtime does for itself in between, growing
// the stack, does not count, nor what a wrapper of the compiler's reads on the way to the method.
func (m *merger) goesInto(s *stream) format.Flags {
	c := s.cursor()
	var r record
	for c.read(m.recording, s, &r) {
		switch {
		case r.kind == format.Enter:
			return r.flags & format.FlagDirect
		case r.kind == format.Read && r.site&format.OutsidePC != 0, r.kind == format.RawContext, r.kind == format.RawPC, r.kind == format.RawLate:
		case r.kind != format.RawStamp && r.kind != format.RawGC && (r.kind != format.Alloc || r.flags&format.FlagStack == 0):
			return 0
		}
	}
	return 0
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

// value places a Value and its Words.
func (m *merger) value(r *record, p placed) {
	p.e.Size, p.e.Val = r.size, r.word(0)
	m.place(p)
	p.e = trace.Event{Kind: format.Word, G: p.e.G, Site: p.e.Site}
	for i := 1; 8*i < len(r.w); i++ {
		p.e.Val = r.word(i)
		m.place(p)
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
	m.freed(s, x, n, r.stamp)
	m.reused(x, n, r.stamp)
	m.shadow.forget(x, n)
	delete(m.chans, x)
	if r.flags&format.FlagStack != 0 {
		s.stack.lo, s.stack.hi = x, x+n
	}
}

// atomic places an atomic operation. Its place is fixed by its stamp.
func (m *merger) atomic(r *record, p placed) {
	e := &p.e
	x := r.word(0)
	e.Obj, e.Size, e.Val = trace.Addr(x), r.size, r.word(1)
	shift := 8 * (x & 7)
	p.a = access{x: x &^ 7, c: m.shadow.cell(x), val: e.Val << shift, mask: byteMask(x, uint64(min(r.size, 8))), kind: e.Kind}
	if e.Kind != format.AtomicWrite {
		m.compare(&p)
	}
	if e.Kind == format.AtomicRMW {
		e.Aux = r.word(2)
		p.a.val = e.Aux << shift
	}
	if e.Kind.IsWrite() {
		p.was = *p.a.c
		p.a.c.store(p.a.val, p.a.mask)
		p.a.c.racy = true // with plain accesses, which (V1) and (V2) do not bring near it
	}
	m.place(p)
}

// compare counts and marks a read that no order explains (V5), and returns its place in the buffer.
func (m *merger) compare(p *placed) int {
	m.stats.Values++
	if m.doubtful(p) {
		m.stats.Unexplained++
		p.e.Flags |= format.FlagUnexplained
	}
	if !p.a.c.explains(p.a.val, p.a.mask) {
		i := m.rescue(p)
		if i < 0 {
			m.stats.Unexplained++
			p.e.Flags |= format.FlagUnexplained
		}
		if i >= 0 && i < len(m.buf) { // the shadow holds a later value, where it knows one
			p.a.c.store(p.a.val, p.a.mask&^p.a.c.known)
			return i
		}
	}
	p.a.c.store(p.a.val, p.a.mask)
	return len(m.buf)
}

// plain places a plain access.
func (m *merger) plain(s *stream, r *record, p placed) {
	x := r.word(0)
	if x == 0 { // (G4)
		return
	}
	if r.site&format.OutsidePC != 0 {
		m.outsideAccess(s, r, p)
		return
	}
	if x >= s.stack.lo && x < s.stack.hi { // (G2)
		p.e.Flags |= format.FlagStack
	}
	if r.flags&format.FlagNoValue != 0 {
		m.span(r, p)
		return
	}
	p.e.Obj, p.e.Size, p.e.Val = trace.Addr(x), r.size, r.word(1)
	if !isValued(r) {
		m.place(p)
		return
	}
	p.a = m.accessOf(r)
	if p.e.Kind == format.Write {
		p.was = *p.a.c
		p.a.c.store(p.a.val, p.a.mask)
	} else if i := m.compare(&p); i < len(m.buf) { // (V3)
		m.buf = slices.Insert(m.buf, i, p)
		return
	}
	m.place(p)
}

// tooWide reports whether an access of n bytes at x cannot be (G4).
func (m *merger) tooWide(x, n uint64) bool { return n > m.widest || x+n < x }

// span places an access to a range of bytes, one event per word (G4).
func (m *merger) span(r *record, p placed) {
	x, n := r.word(0), r.word(1)
	if m.tooWide(x, n) {
		m.damaged("an access of %d bytes at %#x", n, x)
		return
	}
	if p.e.Kind == format.Write {
		m.shadow.forget(x, n)
	}
	m.bytes(r, p)
}

// bytes places the events of an access to a range of bytes.
func (m *merger) bytes(r *record, p placed) {
	x, n := r.word(0), r.word(1)
	e := &p.e
	more := e.Flags & format.FlagMore
	for end := x + n; x < end; {
		k := min(end-x, 8-x&7)
		e.Obj, e.Size = trace.Addr(x), uint16(k)
		e.Flags = e.Flags&^format.FlagMore | more
		if x += k; x < end {
			e.Flags |= format.FlagMore
		}
		m.place(p)
	}
}
