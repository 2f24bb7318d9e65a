package merge

import (
	"bytes"
	"slices"

	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// emit places the events of a record.
func (m *merger) emit(s *stream, r *record) {
	switch r.kind {
	case format.RawStamp, format.RawSet, format.RawLate, format.RawPC, format.RawGC:
		return
	case format.RawContext:
		m.contexts.begin(s, uint64(r.site))
		return
	case format.RawTest:
		m.gos.test(s, r)
		return
	case format.RawVar:
		m.variable(s, r)
		return
	case format.RawMade:
		m.made(r)
		return
	case format.RawConst:
		m.constant(r)
		return
	case format.Read, format.Write, format.Value:
		m.readOnly.note(s, r)
	}
	if endsContext(r.kind) {
		m.contexts.end(s)
	}
	p := placed{e: trace.Event{Kind: r.kind, Flags: r.flags, G: m.gos.owner(s), Site: trace.Site(r.site)}, s: s.index, from: s.from, to: s.stamp}
	if r.has {
		p.from, p.to = r.stamp, r.stamp
		m.calls.passed(s, r)
	}
	switch r.kind {
	case format.Read, format.Write:
		m.plain(s, r, p)
	case format.AtomicRead, format.AtomicWrite, format.AtomicRMW:
		m.atomic(r, p)
	case format.Enter, format.Exit:
		m.frame(s, r, p)
	case format.MethodBegin:
		m.beginCall(s, r, p)
	case format.MethodEnd:
		m.calls.end(s, r, p)
	case format.Reach, format.ReachSet: // placed with its MethodBegin
	case format.Value:
		m.recent.value(r, p)
	case format.End:
		m.calls.unwind(s, 0, p)
		m.recent.place(p)
	default:
		m.operation(s, r, &p.e)
		m.recent.place(p)
	}
}

// operation completes the event of a record that is placed as it is.
func (m *merger) operation(s *stream, r *record, e *trace.Event) {
	switch r.kind {
	case format.Lock, format.Unlock, format.TryFail, format.WGWait, format.OnceBegin, format.OnceEnd, format.OncePass,
		format.CondWait, format.CondWake, format.CondSignal, format.CondBroadcast,
		format.Acquire, format.Release, format.ReleaseMerge, format.Observe:
		e.Obj = trace.Addr(r.word(0))
	case format.WGAdd:
		e.Obj, e.Val, e.Aux = trace.Addr(r.word(0)), r.word(1), r.word(2)
	case format.ChanSend, format.ChanRecv, format.ChanClose, format.ChanLen, format.SelectCase:
		e.Obj, e.Val, e.Aux = trace.Addr(r.word(0)), r.word(1), r.word(2)
		m.elements.number(e)
		m.variables.operates(uint64(e.Obj))
	case format.OpaqueBegin:
		e.Flags |= m.callsDirectly(s)
	case format.SelectDefault, format.OpaqueEnd, format.Block:
	case format.Go:
		m.gos.spawn(s, r, e)
	case format.Start:
		m.gos.start(r, e)
	case format.Alloc:
		m.alloc(s, r, e)
	default:
		panic("merge: RawLen let an unknown kind pass: " + r.kind.String())
	}
}

// frame places the begin or the end of a function, after the ends of the excluded calls that it
// implies.
func (m *merger) frame(s *stream, r *record, p placed) {
	w := r.word(0)
	if r.kind == format.Enter {
		p.e.Val, p.e.Aux = w&(1<<32-1), w>>32
	} else {
		p.e.Aux = w
	}
	m.calls.unwind(s, p.e.Aux, p)
	m.recent.place(p)
}

// beginCall places the begin of an excluded call, and its D.
func (m *merger) beginCall(s *stream, r *record, p placed) {
	p.e.Obj = trace.Addr(r.word(0) & (1<<32 - 1))
	if m.reach.growsEndless(s) {
		p.e.Flags |= format.FlagAll
	}
	m.calls.begin(s, r, p)
	m.recent.place(p)
	if p.e.Flags&format.FlagAll == 0 {
		m.reach.place(s, p)
	}
}

// callsDirectly returns FlagDirect if the call that s has begun goes straight into an instrumented
// function. Records that the runtime makes in between are skipped: those of a growing stack, and
// the reads of a wrapper that the compiler generated for a method.
func (m *merger) callsDirectly(s *stream) format.Flags {
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

// constant takes a piece of read-only data.
func (m *merger) constant(r *record) {
	x, n := r.word(0), min(uint64(r.size), uint64(len(r.w)-8))
	if x == 0 && n == 8 {
		m.meta.Warn("constants-large", int(r.word(1)), "{{n}} byte{{|s}} of the program's read-only data {{was|were}} not recorded: the content of strings in them is unknown")
	} else if end := m.readOnly.end(); !m.readOnly.add(x, r.w[8:8+n]) {
		m.recording.damaged("read-only data at %#x, after data up to %#x", x, end)
	}
}

// variable takes the address of a variable and its initial content.
func (m *merger) variable(s *stream, r *record) {
	x, n := r.word(0), r.word(1)
	if r.flags&format.FlagMore != 0 {
		m.variables.channel(x, n)
		return
	}
	large := r.flags&format.FlagNoValue != 0
	if x == 0 || n > maxVariable && !large || x+n < x {
		m.recording.damaged("a variable of size %d at %#x", n, x)
		return
	}
	m.variables.until, m.variables.reader = s.stamp, s.g
	keep := m.variables.place(r.site, x, n, r.flags&format.FlagFirst != 0)
	switch {
	case large:
		m.variables.large++
		return
	case m.current.inRange(x, n):
		return
	}
	if len(m.variables.list) == 0 {
		m.out.variablesAt = m.recent.count()
	}
	data := r.w[16:]
	m.readOnly.scan(data)
	m.variables.read(x, n, data, keep)
}

// made takes what a variable holds.
func (m *merger) made(r *record) {
	x, y := trace.Addr(r.word(0)), trace.Addr(r.word(1))
	k := &m.variables
	switch {
	case r.flags&format.FlagMore != 0:
		k.functions = append(k.functions, function{Function: trace.Function{Addr: x, Once: y, Runs: trace.Addr(r.word(2))}})
	case r.flags&format.FlagWrite != 0:
		k.conds = append(k.conds, trace.Cond{Addr: x, Lock: y, Shared: r.flags&format.FlagRead != 0})
	default:
		text := r.w[16:]
		name, file, _ := bytes.Cut(text[:min(int(r.size), len(text))], []byte{0})
		k.functions = append(k.functions, function{Function: trace.Function{Addr: x}, code: pcPlace{string(name), string(file), int32(y)}})
	}
}

// alloc begins a new object: the accesses to the former one come first.
func (m *merger) alloc(s *stream, r *record, e *trace.Event) {
	x, n := r.word(0), r.word(1)
	e.Obj, e.Val = trace.Addr(x), n
	m.pullFormer(s, x, n, r.stamp)
	m.contexts.reused(x, n, r.stamp)
	m.shadow.forget(x, n)
	delete(m.elements, x)
	delete(m.variables.used, x)
	if r.flags&format.FlagStack != 0 {
		s.stack.lo, s.stack.hi = x, x+n
	}
}

// pullFormer applies (ME3) before the Alloc of the n bytes at x.
func (m *merger) pullFormer(s *stream, x, n, stamp uint64) {
	gc, _ := slices.BinarySearch(m.recording.gcs, stamp)
	if x+n < x || gc == 0 { // nothing has been freed yet
		return
	}
	lastGC := m.recording.gcs[gc-1]
	for _, k := range m.current.formerUsers(s, x, n) {
		t := m.recording.streams[k]
		if t.from > lastGC {
			continue
		}
		if i := m.current.lastFormer(t, x, n); i >= 0 && !t.busy {
			m.pull(t, i)
		}
	}
}

// atomic places an atomic operation. Its stamp fixes its place.
func (m *merger) atomic(r *record, p placed) {
	e := &p.e
	x := r.word(0)
	e.Obj, e.Size, e.Val = trace.Addr(x), r.size, r.word(1)
	shift := 8 * (x & 7)
	p.a = access{x: x &^ 7, c: m.shadow.cell(x), val: e.Val << shift, mask: byteMask(x, uint64(min(r.size, 8))), kind: e.Kind}
	if e.Kind != format.AtomicWrite {
		m.explain(&p)
	}
	if e.Kind == format.AtomicRMW {
		e.Aux = r.word(2)
		p.a.val = e.Aux << shift
	}
	if e.Kind.IsWrite() {
		p.was = *p.a.c
		p.a.c.store(p.a.val, p.a.mask)
		p.a.c.everContended = true // by plain accesses: (ME4) ignores atomic ones
	}
	m.recent.place(p)
}

// explain compares a read with the shadow. It returns the index among the recent events at which
// the read is explained, and marks a read that no order explains (ME6).
func (m *merger) explain(p *placed) int {
	m.stats.Values++
	if m.current.doubtful(p) {
		m.stats.Unexplained++
		p.e.Flags |= format.FlagUnexplained
	}
	if !p.a.c.explains(p.a.val, p.a.mask) {
		i := m.recent.rescue(p)
		if i < 0 {
			m.stats.Unexplained++
			p.e.Flags |= format.FlagUnexplained
		}
		if i >= 0 && i < len(m.recent.events) { // the known bytes of the shadow are of later writes
			p.a.c.store(p.a.val, p.a.mask&^p.a.c.known)
			return i
		}
	}
	p.a.c.store(p.a.val, p.a.mask)
	return len(m.recent.events)
}

// plain places a plain access. An access at address 0, of a nil map, is left out.
func (m *merger) plain(s *stream, r *record, p placed) {
	x := r.word(0)
	if x == 0 {
		return
	}
	if r.site&format.OutsidePC != 0 {
		m.outside.place(r, p)
		return
	}
	if x >= s.stack.lo && x < s.stack.hi {
		p.e.Flags |= format.FlagStack
	}
	if r.flags&format.FlagNoValue != 0 {
		m.bytes(r, p)
		return
	}
	p.e.Obj, p.e.Size, p.e.Val = trace.Addr(x), r.size, r.word(1)
	if !isValued(r) {
		m.recent.place(p)
		return
	}
	p.a = m.shadow.access(r)
	if p.e.Kind == format.Write {
		p.was = *p.a.c
		p.a.c.store(p.a.val, p.a.mask)
	} else if i := m.explain(&p); i < len(m.recent.events) {
		m.recent.insert(i, p)
		return
	}
	m.recent.place(p)
}

// bytes places an access without a value to a range of bytes.
func (m *merger) bytes(r *record, p placed) {
	x, n := r.word(0), r.word(1)
	if m.tooWide(x, n) {
		m.recording.damaged("an access of size %d at %#x", n, x)
		return
	}
	if p.e.Kind == format.Write {
		m.shadow.forget(x, n)
	}
	m.recent.bytes(r, p)
}

// tooWide reports whether an access of n bytes at x is impossible.
func (m *merger) tooWide(x, n uint64) bool { return n > m.widest || x+n < x }
