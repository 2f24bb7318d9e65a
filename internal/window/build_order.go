package window

import (
	"iter"
	"slices"

	"presage/internal/footprint"
	"presage/internal/trace"
	"presage/internal/trace/format"
)

// Hard edges (M4). They keep the recorded order of what the model does not know:
//
//   - operations on one object, if one of the two came from code that was not
//     instrumented, and they conflict;
//   - opaque calls among each other, and with accesses to shared locations;
//   - writes that no event of the trace is.

// mode is how an operation conflicts with others on its object.
type mode uint8

const (
	shared    mode = iota // with all but shared ones: RLock, RUnlock, an atomic read, Acquire
	merging               // with all but merging ones, unless an Acquire follows
	exclusive             // with all
	modes
)

func modeOf(e *trace.Event) mode {
	switch e.Kind {
	case format.Lock, format.Unlock, format.TryFail:
		if e.Flags&format.FlagRead != 0 {
			return shared
		}
	case format.Acquire:
		return shared
	case format.ReleaseMerge:
		return merging
	}
	return exclusive
}

// origin is whose code an operation is of.
type origin uint8

const (
	ofTraced origin = iota
	ofOutside
	ofInward // of an inward call (build_inward.go)
	origins
)

// heeds says whether an operation of origin x keeps its order with one of origin y.
func (x origin) heeds(y origin) bool {
	return (x != ofTraced || y != ofTraced) && (x != ofInward || y != ofInward)
}

func (m *maker) originOf(r *record) origin {
	switch {
	case r.inward:
		return ofInward
	case r.obj >= 0 && m.objs[r.obj].key.class == hiddenClass, m.hidden(r):
		return ofOutside
	}
	return ofTraced
}

// lane is what one thread last did to an object, by mode and origin.
type lane struct {
	t    Thread
	last [modes][origins]int32
}

// ordering is the lanes of one object.
type ordering []lane

// keep adds the edges that keep event n of t in order with the earlier operations on
// its object. apart says that merging operations conflict too.
func (m *maker) keep(o *ordering, t *thread, n int32, c mode, by origin, apart bool) {
	own := -1
	for k := range *o {
		l := &(*o)[k]
		if l.t == t.id {
			own = k
			continue
		}
		from := int32(-1)
		for d := range modes {
			if c == shared && d == shared || c == merging && d == merging && !apart {
				continue
			}
			for x, last := range l.last[d] {
				if by.heeds(origin(x)) {
					from = max(from, last)
				}
			}
		}
		m.edge(from, n)
	}
	if own < 0 {
		l := lane{t: t.id}
		for d := range modes {
			l.last[d] = [origins]int32{-1, -1, -1}
		}
		*o = append(*o, l)
		own = len(*o) - 1
	}
	(*o)[own].last[c][by] = n
}

// orderedSync keeps event n, of record i, in order with the operations on its object.
func (m *maker) orderedSync(o *synch, t *thread, n int32, i int, e *trace.Event) {
	if o.key.class == hiddenClass || o.opaque {
		m.keep(&o.order, t, n, modeOf(e), m.originOf(&m.recs[i]), i < o.acquire)
	}
}

// edge adds a hard edge between events of different threads, unless others say the same.
func (m *maker) edge(from, to int32) {
	if from < 0 || from >= to || m.w.Events[from].Thread == m.w.Events[to].Thread {
		return
	}
	if k := len(m.w.Edges); k > 0 && m.w.Edges[k-1] == (Edge{From: from, To: to}) {
		return
	}
	if m.follow(from, to) {
		m.w.Edges = append(m.w.Edges, Edge{From: from, To: to})
	}
}

// weakEdge adds one that is nothing to an access of the race.
func (m *maker) weakEdge(from, to int32) {
	if from >= 0 && from < to && m.w.Events[from].Thread != m.w.Events[to].Thread {
		m.w.Edges = append(m.w.Edges, Edge{From: from, To: to, Weak: true})
	}
}

// afterAll puts event n after everything that happened.
func (m *maker) afterAll(t *thread, n int32) {
	if m.b.miss.active() {
		m.afterLast(t, n)
		return
	}
	for _, u := range m.order {
		if u != t {
			m.edge(u.last, n)
		}
	}
}

// point is an end of an opaque call, or a place where code outside has been without a record.
type point struct {
	n     int32
	t     Thread
	touch touch
	begin bool  // of a call that has not ended
	past  int32 // allocs before it
}

// use is what a thread did last with one footprint.
type use struct {
	touch    touch
	n        int32    // its last event; -1: none
	seen     int      // points before this one are before the next event of this footprint anyway,
	beyond   [][2]int // and so are those between these, of which an access to memory allocated before them was told,
	openings int      // and of the beginnings of calls, those that were open then, up to this one
	writes   []int32  // its events that wrote computed values, since a call that met them
	private  bool     // an access without an event came after n,
	after    int32    // and after this event of the thread
	from     []int32  // what those accesses wrote is computed from
	took     []int32  // of from, the part taken last
}

// useOf returns the use of footprint x, which is changed.
func (t *thread) useOf(x touch) *use {
	t.turn++
	for int(x) >= len(t.uses) {
		t.uses = append(t.uses, 0)
	}
	k := t.uses[x]
	if k == 0 {
		t.use = append(t.use, use{touch: x, n: -1})
		k = int32(len(t.use))
		t.uses[x] = k
	}
	return &t.use[k-1]
}

// privately keeps an access that has no event in order with the opaque calls of other
// threads. After a call that it meets, it gets a Pin for an event; before one, the call will see to it.
func (m *maker) privately(i int, t *thread, e *trace.Event, valDeps []int32) {
	kind := asRead
	if e.Kind.IsWrite() {
		kind = asWrite
	}
	x := m.b.prints.at(e.Site, kind)
	u := t.useOf(x)
	if len(m.points) > u.seen {
		later, unknown := m.newer(t, u.seen, uint64(e.Obj))
		if len(m.meeting(t, u, later, unknown)) > 0 {
			n := m.add(t, i, Event{Kind: Pin, Obj: -1})
			m.afterPoints(t, n, x, uint64(e.Obj))
			u = t.useOf(x)
		} else {
			m.knows(u, later, unknown)
		}
	}
	u.private, u.after = true, t.last
	if kind == asWrite && len(valDeps) > 0 && !(len(u.took) > 0 && same(u.took, valDeps)) {
		u.from, u.took = merge(u.from, valDeps), valDeps
	}
}

// newer returns the first point, from the one at seen on, that an access of t to addr may have to follow. unknown says that it may also have to
// follow the beginnings before that of calls that have not ended.
//
// A call that ended before memory was allocated did not touch it, and does not when that memory is allocated
// earlier: it sees what it saw, and nothing there leads to it. So the two need no order. The same holds for any
// call of others as long as the goroutine that allocated the memory has not written, sent or passed on anything
// that leads there.
func (m *maker) newer(t *thread, seen int, addr uint64) (later int, unknown bool) {
	k := m.lastAlloc(addr, 1)
	if k < 0 {
		return seen, true
	}
	if m.unpublished(t, k) {
		return len(m.points), false
	}
	n, _ := slices.BinarySearchFunc(m.points[seen:], k, func(p point, k int32) int {
		if p.past <= k {
			return -1
		}
		return 1
	})
	return seen + n, true
}

// meeting returns the points from number later on, and the beginnings of open calls if one is unknown, that a footprint of t meets, and that are not before its
// next event anyway: of each thread the last, which suffices.
func (m *maker) meeting(t *thread, u *use, later int, unknown bool) (last []point) {
	meets := func(p point) {
		if p.t == t.id || !m.b.prints.meet(p.touch, u.touch) {
			return
		}
		if k := slices.IndexFunc(last, func(q point) bool { return q.t == p.t }); k < 0 {
			last = append(last, p)
		} else if p.n > last[k].n {
			last[k] = p
		}
	}
	if unknown {
		for _, k := range m.openings[u.openings:] {
			if p := m.points[k]; p.begin && int(k) >= u.seen && int(k) < later {
				meets(p)
			}
		}
	}
	for from, to := range u.unseen(later, len(m.points)) {
		for _, p := range m.points[from:to] {
			meets(p)
		}
	}
	return last
}

// knows notes that the points that meeting has looked at are before the next event of the footprint.
func (m *maker) knows(u *use, later int, unknown bool) {
	u.sees(later, len(m.points))
	if unknown {
		u.openings = len(m.openings)
	}
}

// unseen yields the parts of the points from number later up to n that are not before the next event of the footprint anyway.
func (u *use) unseen(later, n int) iter.Seq2[int, int] {
	return func(yield func(from, to int) bool) {
		to := n
		for _, r := range slices.Backward(u.beyond) {
			if to <= later {
				return
			}
			if from := max(later, r[1]); from < to && !yield(from, to) {
				return
			}
			to = r[0]
		}
		if later < to {
			yield(later, to)
		}
	}
}

// sees notes that the points from number later up to n are before the next event of the footprint.
func (u *use) sees(later, n int) {
	switch {
	case later <= u.seen:
		u.seen, u.beyond = n, u.beyond[:0]
		return
	case later >= n:
		return
	}
	for k := len(u.beyond) - 1; k >= 0 && u.beyond[k][1] >= later; k-- {
		later = min(later, u.beyond[k][0])
		u.beyond = u.beyond[:k]
	}
	u.beyond = append(u.beyond, [2]int{later, n})
}

// unpublished says whether only t has what Alloc k made.
func (m *maker) unpublished(t *thread, k int32) bool {
	return k >= t.published && m.allocs[k].g == t.g && t.outside == 0
}

// publish notes that others may have from now on what t allocated before. (What the function of a
// sync.OnceValue returns, the others have without a record.)
func (m *maker) publish(r *record, t *thread) {
	switch k := r.e.Kind; {
	case r.mem >= 0 && !k.IsWrite() && r.e.Flags&format.FlagOpaque == 0:
		return
	case r.mem >= 0 && r.e.Flags&format.FlagOpaque == 0:
		if k := m.lastAlloc(uint64(r.e.Obj), 1); k >= 0 && m.unpublished(t, k) {
			return
		}
	case k == format.OpaqueBegin || k == format.OpaqueEnd:
		if s := &m.b.prints.sets[r.touch]; s.Effect == footprint.None && s.State == "" { // it only looks (F14, F15 of package footprint)
			return
		}
	case k != format.Go && k != format.ChanSend && k != format.OnceEnd && r.touch == nothing && r.e.Flags&format.FlagOpaque == 0:
		return
	}
	t.published = m.past
}

// afterPoints keeps event n of t, with footprint x, after the opaque calls before it that it meets.
func (m *maker) afterPoints(t *thread, n int32, x touch, addr uint64) {
	u := t.useOf(x)
	if len(m.points) > u.seen {
		later, unknown := m.newer(t, u.seen, addr)
		for _, p := range m.meeting(t, u, later, unknown) {
			m.edge(p.n, n)
		}
		m.knows(u, later, unknown)
	}
	if u.n = n; len(m.w.Events[n].ValDeps) > 0 {
		u.writes = append(u.writes, n)
	}
}

// opaque makes an end of an opaque call a *point*, which keeps its recorded order with
// the points and the accesses to shared locations that its footprint meets.
func (m *maker) opaque(i int, r *record, t *thread) {
	t.opaque = r.index
	if r.e.Kind == format.OpaqueBegin {
		t.inside++
	} else {
		t.inside = max(0, t.inside-1)
	}
	if r.touch == nothing {
		m.pin(i, r, t)
		return
	}
	if r.e.Kind == format.OpaqueBegin {
		t.outside++
	} else {
		t.outside = max(0, t.outside-1)
	}
	m.point(i, r, t)
}

// point makes a point of a record with a footprint.
func (m *maker) point(i int, r *record, t *thread) {
	if m.cutAny { // what it has to follow may not be in the window
		m.cut(t)
		m.pointOff, m.lookOff = true, m.lookOff || m.looks(r) == footprint.AllGoroutines
		return
	}
	var from []int32
	for _, u := range m.order { // a thread that is in it gets events at most
		if u != t {
			if n := m.beforeCall(i, u, r.touch); n >= 0 {
				from = append(from, n)
			}
		}
	}
	n := m.add(t, i, Event{Kind: Pin, Obj: -1, Deps: m.resolve(r.needs)})
	for _, f := range from {
		m.edge(f, n)
	}
	t.useOf(r.touch).n = n
	m.look(r, t, n)
	begin := r.e.Kind == format.OpaqueBegin || r.e.Kind == format.Go
	switch {
	case begin:
		m.openings = append(m.openings, int32(len(m.points)))
		t.openings = append(t.openings, int32(len(m.points)))
	case r.e.Kind == format.OpaqueEnd:
		t.ends(m, r.touch)
	}
	m.points = append(m.points, point{n, t.id, r.touch, begin, m.past})
}

// ends notes that the last call of t with this footprint has ended.
func (t *thread) ends(m *maker, x touch) {
	for k, p := range slices.Backward(t.openings) {
		if m.points[p].touch == x {
			m.points[p].begin = false
			t.openings = slices.Delete(t.openings, k, k+1)
			return
		}
	}
}

// prior is what beforeCall found for one footprint of a call: it holds until the thread uses something again.
type prior struct {
	turn uint32 // of the thread, then
	last int32
}

// beforeCall returns the last event of u that an opaque call of another thread must
// follow, and has what u wrote and the call may look at keep its value.
func (m *maker) beforeCall(i int, u *thread, call touch) int32 {
	if len(u.use) == 0 {
		return -1
	}
	for int(call) >= len(u.priors) {
		u.priors = append(u.priors, prior{})
	}
	x := &u.priors[call]
	if x.turn == u.turn { // most threads have done nothing since the last call
		return x.last
	}
	var last int32
	last, x.last = m.lastUse(i, u, call)
	x.turn = u.turn
	return last
}

// lastUse is beforeCall, and the last event that a call of the same footprint must follow if u does nothing before it.
func (m *maker) lastUse(i int, u *thread, call touch) (last, later int32) {
	last = -1
	var deps []int32
	private, after := false, int32(-1)
	for k := range u.use {
		x := &u.use[k]
		if !m.b.prints.meet(x.touch, call) {
			continue
		}
		last = max(last, x.n)
		for _, w := range x.writes {
			e := &m.w.Events[w]
			e.Deps = merge(e.Deps, e.ValDeps)
		}
		x.writes = x.writes[:0]
		if x.private {
			private, after, deps = true, max(after, x.after), merge(deps, x.from)
			x.private, x.from, x.took = false, nil, nil
		}
	}
	later = last
	switch {
	case private && after < u.last:
		// The first event that follows the accesses stands for them: one more at the end of the thread would have the call
		// follow all that is between, and there may not be one (U).
		k, _ := slices.BinarySearch(u.events, after+1)
		e := &m.w.Events[u.events[k]]
		e.Deps, last = merge(e.Deps, deps), max(last, u.events[k])
	case private:
		last = m.add(u, i, Event{Kind: Pin, Obj: -1, Deps: deps})
	}
	return last, later
}

// hiddenWrite deals with a read of a shared atom that returned v, which no recorded write left
// there: some code that was not instrumented wrote it, after the last access and before
// now, for reasons unknown. So a write of a thread of its own stands before the read, after
// everything that happened, and before every later access of the atom.
func (m *maker) hiddenWrite(i int, t *thread, a *atom, v uint64) bool {
	if m.cutAny {
		m.cut(t) // the write may be one that is not in the window
		return false
	}
	m.b.count.Hidden++
	ghost := &thread{g: -1, id: -1, last: -1}
	from := m.trustsAll(i, ghost)
	n := m.add(ghost, i, Event{Kind: format.Write, Obj: a.obj, Val: v})
	m.afterAll(ghost, min(from, n))
	a.cur, a.barrier = v, n
	return true
}

// hiddenPrivate is hiddenWrite for an atom that only t accesses. The writer is in opaque
// code now, or was since the last access; if only t itself can have been, program order says it all.
func (m *maker) hiddenPrivate(i int, t *thread, a *atom) bool {
	if m.cutAny {
		m.cut(t)
		return false
	}
	m.b.count.Hidden++
	n, suspects := int32(-1), 0
	if t.inside > 0 || t.opaque >= a.last {
		suspects++
	}
	for _, u := range m.threads {
		if u != t && (u.inside > 0 || u.opaque >= a.last) {
			suspects++
			n = 0
		}
	}
	if suspects > 0 && n < 0 {
		return true
	}
	n = m.add(t, i, Event{Kind: Pin, Obj: -1})
	m.afterAll(t, n)
	m.trustsAll(i, t)
	return true
}
