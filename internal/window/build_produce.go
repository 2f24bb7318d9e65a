package window

import (
	"slices"

	"presage/internal/trace"
	"presage/internal/trace/format"
)

// production is what the second pass knows while it makes events, all of it at the
// moment of the record it is at.
type production struct {
	threads  map[trace.GoID]*thread
	order    []*thread // by Thread
	src      [][]int32 // by record: the reads that must be intact for this read's value to be
	cutAny   bool
	started  map[trace.GoID]bool // by a Go of the window, in it or cut
	points   []point             // ends of opaque calls
	pointOff bool                // one of them is not in the window
}

func newProduction() production {
	return production{threads: make(map[trace.GoID]*thread), started: make(map[trace.GoID]bool)}
}

// thread is one goroutine of the window.
type thread struct {
	g      trace.GoID
	id     Thread // -1: no event yet
	dead   bool   // nothing more of it is in the window
	last   int32  // its last event
	use    []use  // its last accesses to shared locations and opaque calls, by footprint
	parts  []int32
	cases  []Case
	inside int32 // opaque calls it is in
	opaque int64 // trace index of the last sign of opaque code
}

func (m *maker) thread(g trace.GoID) *thread {
	t := m.threads[g]
	if t == nil {
		t = &thread{g: g, id: -1, last: -1, opaque: -1, inside: m.b.carry.inside[g]}
		m.threads[g] = t
	}
	return t
}

// add appends an event to t.
func (m *maker) add(t *thread, i int, e Event) int32 {
	if t.id < 0 {
		t.id = Thread(len(m.order))
		m.order = append(m.order, t)
		m.w.Threads = append(m.w.Threads, t.g)
	}
	e.Thread = t.id
	e.Index, e.Site = m.recs[i].index, m.recs[i].e.Site
	if e.Kind != format.ChanSend {
		e.Partner = -1
	}
	n := int32(len(m.w.Events))
	m.w.Events = append(m.w.Events, e)
	m.kept[i] = true
	t.last = n
	return n
}

// newObj makes the next object of the window, whose state at the start is s.
func (m *maker) newObj(s ObjState) Obj {
	m.w.Init = append(m.w.Init, s)
	return Obj(len(m.w.Init) - 1)
}

// cut ends t in this window.
func (m *maker) cut(t *thread) {
	if !t.dead {
		m.b.count.Cut++
		t.dead, m.cutAny = true, true
	}
}

// produce makes the events of the window, in trace order. It executes the model: an
// event that the recorded order does not enable ends its thread.
func (m *maker) produce() {
	m.src = make([][]int32, len(m.recs))
	for i := range m.recs {
		r := &m.recs[i]
		t := m.thread(r.e.G)
		if r.skip {
			m.cut(t)
		}
		if t.dead {
			m.dropped(r)
			continue
		}
		if r.e.Flags&format.FlagOpaque != 0 {
			t.opaque = r.index
		}
		m.event(i, r, t)
	}
}

// dropped notes what the absence of an event makes impossible.
func (m *maker) dropped(r *record) {
	switch {
	case r.mem >= 0:
		for k := range m.words[r.mem].atoms {
			a := &m.words[r.mem].atoms[k]
			a.poisoned = a.poisoned || a.opaque
		}
	case r.e.Kind == format.Go:
		m.cut(m.thread(trace.GoID(r.e.Obj)))
	case r.obj >= 0 && (m.objs[r.obj].opaque || m.objs[r.obj].key.class == hiddenClass):
		m.objs[r.obj].poisoned = true
	case r.e.Kind == format.OpaqueBegin || r.e.Kind == format.OpaqueEnd:
		m.pointOff = m.pointOff || r.touch != nothing
	}
}

func (m *maker) event(i int, r *record, t *thread) {
	switch r.e.Kind {
	case format.Read, format.Write, format.AtomicRead, format.AtomicWrite, format.AtomicRMW:
		m.accessEvent(i, r, t)
	case format.SelectCase:
		if r.obj >= 0 {
			t.cases = append(t.cases, Case{Chan: m.idOf(&m.objs[r.obj]), Send: r.e.Flags&format.FlagWrite != 0})
		}
	case format.SelectDefault:
		m.selectDefault(i, r, t)
	case format.Go:
		m.goEvent(i, r, t)
	case format.Start:
		m.start(i, r, t)
	case format.Join:
		m.join(i, r, t)
	case format.OpaqueBegin, format.OpaqueEnd:
		m.opaque(i, r, t)
	case format.Alloc:
	case format.Block, format.Value, format.Word, format.Enter, format.Exit:
		m.pin(i, r, t)
	default:
		if r.obj >= 0 {
			m.syncEvent(i, r, t)
		}
	}
}

// pin makes a Pin of a record's needs, if there are any (P).
func (m *maker) pin(i int, r *record, t *thread) int32 {
	if deps := m.resolve(r.needs); len(deps) > 0 {
		return m.add(t, i, Event{Kind: Pin, Obj: -1, Deps: deps})
	}
	return -1
}

// resolve turns trace indexes of reads into events. Reads before the window stand as they were.
func (m *maker) resolve(reads []int64) []int32 {
	var out []int32
	for _, x := range reads {
		i, ok := slices.BinarySearchFunc(m.recs, x, func(r record, x int64) int { return int(r.index - x) })
		if ok {
			out = append(out, m.src[i]...)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// accessEvent makes the events of an access: one for each shared atom it covers. Reads
// of several atoms are strict together, by a Pin after the last: a race on one part
// does not need the value of another.
func (m *maker) accessEvent(i int, r *record, t *thread) {
	e := &r.e
	deps, valDeps := m.resolve(r.needs), m.resolve(r.from)
	first := true
	w := &m.words[r.mem]
	mask := byteMask(uint64(e.Obj), e.Size)
	for k := range w.atoms {
		a := &w.atoms[k]
		switch {
		case a.mask&mask == 0:
		case a.shared():
			if !m.part(i, r, t, w, a, deps, valDeps) {
				return
			}
			deps, first = nil, false
		default:
			m.settle(w, a)
			if !m.private(i, r, t, w, a, valDeps) {
				return
			}
		}
	}
	if first && len(deps) > 0 {
		m.add(t, i, Event{Kind: Pin, Obj: -1, Deps: deps})
	}
	if e.Flags&format.FlagMore != 0 {
		return
	}
	m.strict(i, r, t)
}

// strict ends an access.
func (m *maker) strict(i int, r *record, t *thread) {
	if !(m.b.opt.Walked && r.walked) {
		switch len(t.parts) {
		case 0:
		case 1:
			m.w.Events[t.parts[0]].Strict = true
		default:
			m.add(t, i, Event{Kind: Pin, Obj: -1, Deps: slices.Clone(t.parts)})
		}
	}
	t.parts = t.parts[:0]
}

// settle gives an atom its value at the start of the window.
func (m *maker) settle(w *word, a *atom) {
	if a.curSet {
		return
	}
	if a.firstWrite {
		a.unread()
	}
	a.cur, a.curSet = a.initial, true
}

// part makes the event of one shared atom of an access. It returns false if the
// thread ends here.
func (m *maker) part(i int, r *record, t *thread, w *word, a *atom, deps, valDeps []int32) bool {
	if m.pointOff || a.poisoned {
		m.cut(t)
		return false
	}
	m.settle(w, a)
	e := &r.e
	if a.obj < 0 {
		a.obj = m.newObj(ObjState{Val: a.initial})
	}
	shift := 8 * (uint64(e.Obj) & 7)
	v, aux := extract(e.Val<<shift, a.mask), extract(e.Aux<<shift, a.mask)
	reads := e.Kind != format.Write && e.Kind != format.AtomicWrite
	if w.noValue {
		v = a.cur
	}
	if reads && v != a.cur && !m.hiddenWrite(i, t, a, v) {
		return false
	}
	ev := Event{Kind: e.Kind, Flags: e.Flags, Obj: a.obj, Val: v, Deps: deps}
	if w.noValue && !reads && !m.b.opt.NoValues {
		// What was written is a function of what was there: an insertion into a map.
		n := m.add(t, i, Event{Kind: format.Read, Obj: a.obj, Val: a.cur, Deps: deps})
		m.ordered(t, n, a, e)
		ev.Deps, valDeps = nil, append(slices.Clone(valDeps), n)
	}
	n := int32(len(m.w.Events))
	if w.noValue {
		ev.Val, aux = uint64(n)+1, uint64(n)+1
		if reads {
			ev.Val = a.cur
		}
	}
	switch {
	case e.Kind == format.AtomicRMW:
		ev.Aux, a.cur = aux, aux
	case !reads:
		a.cur = ev.Val
	}
	if e.Kind.IsWrite() {
		ev.ValDeps = valDeps
	}
	m.add(t, i, ev)
	if reads {
		t.parts = append(t.parts, n)
		m.src[i] = append(m.src[i], n)
	}
	m.ordered(t, n, a, e)
	a.last = r.index
	return true
}

// ordered keeps an access in its order with opaque operations, hidden writes and opaque calls.
func (m *maker) ordered(t *thread, n int32, a *atom, e *trace.Event) {
	if a.barrier >= 0 {
		m.edge(a.barrier, n)
	}
	if a.opaque {
		c := exclusive
		if e.Kind == format.AtomicRead || e.Kind == format.Read {
			c = shared
		}
		m.keep(&a.order, t, n, c, e.Flags&format.FlagOpaque != 0, true)
	}
	use := asRead
	if e.Kind.IsWrite() {
		use = asWrite
	}
	m.afterPoints(t, n, m.b.prints.at(e.Site, use))
}

// private executes an access to an atom that no other goroutine meets: it has no
// event, but what its content was computed from is passed on.
func (m *maker) private(i int, r *record, t *thread, w *word, a *atom, valDeps []int32) bool {
	e := &r.e
	shift := 8 * (uint64(e.Obj) & 7)
	v := extract(e.Val<<shift, a.mask)
	reads := e.Kind != format.Write && e.Kind != format.AtomicWrite
	if reads {
		if !w.noValue && v != a.cur {
			if !m.hiddenPrivate(i, t, a) {
				return false
			}
			a.cur, a.deps = v, nil
		}
		m.src[i] = append(m.src[i], a.deps...)
	}
	switch {
	case e.Kind == format.AtomicRMW:
		a.cur, a.deps = extract(e.Aux<<shift, a.mask), valDeps
	case !reads && w.noValue:
		a.deps = merge(a.deps, valDeps)
	case !reads:
		a.cur, a.deps = v, valDeps
	}
	a.last = r.index
	return true
}

func merge(a, b []int32) []int32 {
	out := append(slices.Clone(a), b...)
	slices.Sort(out)
	return slices.Compact(out)
}

// finish completes the window.
func (m *maker) finish() {
	m.w.Semantics = ValueReads
	switch {
	case m.b.opt.NoValues:
		m.w.Semantics = StrictReads
	case m.b.opt.Walked:
		m.w.Semantics = NeededReads
	}
	for k := range m.objs {
		if o := &m.objs[k]; o.obj >= 0 {
			m.w.Init[o.obj] = m.state(o)
		}
	}
}

// threadOf returns the number of a goroutine that the state of an object names.
func (m *maker) threadOf(g trace.GoID) Thread {
	t := m.thread(g)
	if t.id < 0 {
		t.id = Thread(len(m.order))
		m.order = append(m.order, t)
		m.w.Threads = append(m.w.Threads, t.g)
	}
	return t.id
}

// state is an object's state at the start of the window, in the window's terms.
func (m *maker) state(o *synch) ObjState {
	s := ObjState{
		Writer: o.init.writer, Readers: o.init.readers, Counter: o.init.counter, Once: o.init.once,
		Cap: int32(min(o.init.cap, 1<<31-1)), Closed: o.init.closed,
	}
	for k, e := range o.init.queue {
		v := e.val
		if o.noValue {
			v = ^uint64(k)
		}
		s.Queue = append(s.Queue, v)
	}
	if s.Cap == 0 && len(s.Queue) > 0 {
		s.SlotOf = m.threadOf(o.init.slotOf)
	}
	for _, w := range o.init.waiters {
		s.Waiters = append(s.Waiters, Waiter{m.threadOf(w.g), w.notified})
	}
	return s
}
