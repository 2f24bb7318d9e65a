package window

import (
	"maps"
	"slices"
	"strings"

	"presage/internal/trace"
	"presage/internal/trace/format"
)

// What a location holds before its first access in a window is known
//
//   - (I1) from the last access of the trace before it;
//   - (I2) if there is none since its allocation: zero, where the Alloc says so (FlagZero) and traced code asked for it. Code
//     outside fills what it allocates without a record;
//   - (I3) of a package-level variable, if there is none at all: from what package initialisation left there (Meta.Variables);
//
// and, in any case,
//
//   - (I4) only if no opaque call that may write to it has been under way since then: if it
//     has ended before, and there is no loose goroutine, it wrote what (I1) to (I3) have seen.
//
// Else it is what the first access of the window reads, and if that writes, unknown: no read is
// intact there, and no guard holds that reads it. Calls inside the window are no exception. After an access, what such a call has left is what the
// next access reads (hiddenWrite, if it is not what was there); if that writes, nobody knows, and a write of
// something unknown comes in between (overwritten). The tempting alternative, to believe in the last traced
// value because all later accesses come after the call anyway, is wrong:
//
//	x = 1; lib.Set(&x, 7)
//	go func() { z = 1; mu.Lock(); x = 1; mu.Unlock() }()
//	go func() { mu.Lock(); ok := x == 1; mu.Unlock(); if ok { z = 2 } }() // sees 7, or the 1 of the other
//
// A *loose* goroutine runs code outside, was started by code outside, and no call brackets what it does: it may keep what any
// call was given, and write there whenever something opaque happens.

// outside is the opaque calls that touch something, up to a moment.
type outside struct {
	tick  uint32           // steps of opaque code so far
	open  map[touch]int32  // calls under way
	ended map[touch]uint32 // tick after the last end
	loose bool             // a loose goroutine was started
	alone bool             // a go statement called code outside of which nothing is recorded

	by map[touch][]trace.GoID // goroutines in calls under way, by footprint; the slices are not changed
	in map[trace.GoID]int32   // and how many calls

	busy map[touch]uint32 // answers of recent, while nothing begins or ends
}

const always = ^uint32(0)

func newOutside() outside {
	return outside{
		open: make(map[touch]int32), ended: make(map[touch]uint32), by: make(map[touch][]trace.GoID), in: make(map[trace.GoID]int32),
		busy: make(map[touch]uint32),
	}
}

func (o *outside) clone() outside {
	return outside{o.tick, maps.Clone(o.open), maps.Clone(o.ended), o.loose, o.alone, maps.Clone(o.by), maps.Clone(o.in), make(map[touch]uint32)}
}

// enter has goroutine g be in a call of footprint t.
func (o *outside) enter(t touch, g trace.GoID) {
	o.open[t]++
	o.by[t] = append(slices.Clip(o.by[t]), g)
	o.in[g]++
	clear(o.busy)
}

// leave ends one.
func (o *outside) leave(t touch, g trace.GoID) {
	if o.open[t]--; o.open[t] <= 0 {
		delete(o.open, t)
	}
	if k := slices.Index(o.by[t], g); k >= 0 {
		if list := slices.Delete(slices.Clone(o.by[t]), k, k+1); len(list) > 0 {
			o.by[t] = list
		} else {
			delete(o.by, t)
		}
		if o.in[g]--; o.in[g] == 0 {
			delete(o.in, g)
		}
	}
	o.ended[t] = o.tick
	clear(o.busy)
}

// step takes the next record. A call that ends in a panic has no end: it stays under way.
func (o *outside) step(r *record) {
	switch r.e.Kind {
	case format.OpaqueBegin:
		if o.tick++; r.touch != nothing {
			o.enter(r.touch, r.e.G)
		}
	case format.OpaqueEnd:
		if o.tick++; r.touch != nothing {
			o.leave(r.touch, r.e.G)
		}
	case format.Exit:
		if len(r.last) > 0 {
			o.tick++
			clear(o.busy)
		}
		for _, t := range r.last {
			o.ended[t] = o.tick
		}
	case format.Go:
		o.loose, o.alone = o.loose || r.loose, o.alone || r.alone()
		if r.touch != nothing { // until nobody knows when
			o.enter(r.touch, trace.GoID(r.e.Obj))
		}
		clear(o.busy)
	}
}

// recent returns the tick after the last end of a call that may write to what the access at site s touches:
// always if one is under way, or a loose goroutine may have what one was given; 0 if there was none.
func (o *outside) recent(f *footprints, s trace.Site) uint32 {
	if len(o.open)+len(o.ended) == 0 {
		return 0
	}
	x := f.at(s, asRead)
	last, ok := o.busy[x]
	if !ok {
		for t := range o.open { // the result does not depend on the order
			if f.meet(t, x) {
				last = always
			}
		}
		for t, end := range o.ended {
			if end > last && f.meet(t, x) {
				if last = end; o.loose {
					last = always
				}
			}
		}
		o.busy[x] = last
	}
	return last
}

// loose says whether a Go event starts a loose goroutine.
func (b *Builder) loose(e *trace.Event) bool {
	meta := b.opt.Meta
	if e.Flags&format.FlagOpaque == 0 || meta == nil || int(e.Obj) >= len(meta.Goroutines) {
		return false
	}
	name := meta.Goroutines[e.Obj].Func
	for _, p := range []string{"testing.", "runtime.", "time."} {
		if strings.HasPrefix(name, p) {
			return false
		}
	}
	return !b.traced(name)
}

// traced says whether a function of this name, as the runtime knows it, is of an instrumented package.
func (b *Builder) traced(name string) bool {
	return slices.ContainsFunc(b.opt.Meta.Packages, func(p string) bool { return strings.HasPrefix(name, p+".") })
}

// enters says whether the goroutine of Enter e is known to have entered an instrumented function at once: it is what the goroutine was started with, and not
// what the compiler puts before a call with arguments (gowrap) or through a method value (-fm), which may be one of code outside; nor a function that stays
// as written and has called the one that is entered.
func (b *Builder) enters(e *trace.Event) bool {
	meta := b.opt.Meta
	if meta == nil || int(e.G) >= len(meta.Goroutines) {
		return false
	}
	name := meta.Goroutines[e.G].Func
	if b.prints.written != nil && (b.prints.written[name] || int(e.Site) >= len(meta.Sites) || meta.Funcs[meta.Sites[e.Site].Func].Name != name) {
		return false
	}
	return b.traced(name) && !strings.Contains(name, ".gowrap") && !strings.HasSuffix(name, "-fm")
}

// first looks at the first event of a goroutine after its Start. If it is not an Enter, the go statement has
// called code outside, which may do what the call could until the end; so it has where the callee is not known to be instrumented.
func (b *Builder) first(e *trace.Event) {
	if e.Kind == format.Start || !b.started[e.G] {
		return
	}
	delete(b.started, e.G)
	birth := b.births[e.G]
	at := b.recordOf(birth.index)
	if e.Kind == format.Enter && e.Val != 0 || !b.prints.described(birth.site) { // another tool's trace
		return
	}
	switch t := b.prints.at(birth.site, asCall); {
	case b.prints.empty(t) || e.Kind == format.Enter && b.prints.sets[t].Dynamic && b.enters(e):
	case at >= 0:
		b.buf[at].touch, b.buf[at].bracketed = t, e.Kind == format.MethodBegin
	default:
		b.carry.outside.alone = b.carry.outside.alone || e.Kind != format.MethodBegin
		b.carry.outside.enter(t, e.G)
	}
}

// begun takes the package-level variables into the state before the buffer, once package initialisation is over (I3).
func (b *Builder) begun(index int64) {
	meta := b.opt.Meta
	if b.seeded || meta == nil || b.opt.NoValues || index < meta.VariablesAt {
		return
	}
	b.seeded = true
	tick := b.carry.outside.tick
	for i := range b.buf {
		if r := &b.buf[i]; r.e.Kind == format.OpaqueBegin || r.e.Kind == format.OpaqueEnd || len(r.last) > 0 {
			tick++
		}
	}
	for _, v := range meta.Variables {
		for i, x := range v.Data {
			b.carry.mem.set(uint64(v.Addr)+uint64(i), uint64(x), 1<<((uint64(v.Addr)+uint64(i))&7), tick)
		}
	}
}

// inside says whether goroutine g runs code outside now: in an opaque call, called back from
// nowhere, or before it has come to traced code.
func (b *Builder) inside(g trace.GoID) bool {
	c := &b.calls[g]
	n := len(c.open)
	return c.depth == 0 || n > 0 && c.open[n-1].depth == c.depth
}

// initial sets the value of an atom before its first access in the window. Where
// values are writers it is 0, the writer before all.
func (m *maker) initial(w *word, a *atom, r *record, v uint64) {
	if w.noValue {
		return
	}
	known, since := w.alloced && w.zero, w.tick // (I2)
	if !w.alloced {
		a.initial, known, since = m.b.carry.mem.value(w.addr, a.mask) // (I1)
	}
	known = known && m.outside.recent(&m.b.prints, r.e.Site) <= since // (I4)
	beside := false
	if a.missing { // (B6)
		known = known && !m.b.miss.early.Hits(readOf(w, a))
		beside = !w.unsure && m.reachedHere(readOf(w, a), r.index)
	}
	switch {
	case known:
	case beside: // foundBeside writes what is read
		a.firstWrite = true
	case r.way > 0 || r.e.Kind == format.Write || r.e.Kind == format.AtomicWrite:
		a.firstWrite = true
	default:
		a.initial = v
	}
}

// unreadable is a number that no program has in memory but by accident; that it is unknown is said elsewhere.
const unreadable = uint64(1)<<63 | 0x5eed

// unread gives an atom whose value at the start nothing tells a value that no read returns.
func (a *atom) unread() {
	v := unreadable
	for again := true; again; {
		again = false
		for _, x := range a.reads {
			if x == v {
				v, again = v+1, true
			}
		}
	}
	a.initial, a.unknown, a.reads = v, true, nil
}

// overwritten puts a write of something unknown before the write e to the atom, if an opaque call that has ended may have written
// there since the last access. It orders nothing that the call does not order.
func (m *maker) overwritten(i int, a *atom, e *trace.Event) {
	if len(a.events) == 0 || m.outside.recent(&m.b.prints, e.Site) <= a.tick {
		return
	}
	x := m.b.prints.at(e.Site, asRead)
	after := append(slices.Clone(a.events), a.barrier)
	caller := Thread(-1)
	for k := len(m.points) - 1; k >= 0 && m.points[k].n > a.events[len(a.events)-1]; k-- {
		if p := &m.points[k]; m.b.prints.meet(p.touch, x) {
			caller, after = p.t, append(after, p.n)
		}
	}
	n := m.add(m.ghost(i, caller), i, Event{Kind: format.Write, Obj: a.obj, Val: unreadable, ValDeps: m.ghosts[caller].events[:1:1]})
	for _, f := range after {
		m.edge(f, n)
	}
	a.barrier = n
}

// ghost returns the thread that stands for what the opaque calls of a thread write. It begins with a read of which nobody
// knows what it sees, and what is computed from that is unknown.
func (m *maker) ghost(i int, caller Thread) *thread {
	g := m.ghosts[caller]
	if g == nil {
		g = &thread{g: -1, id: -1, last: -1}
		m.ghosts[caller] = g
		m.add(g, i, Event{Kind: format.Read, Obj: m.newObj(ObjState{Unknown: true})})
	}
	return g
}

// unsure makes the events of an access to an atom to which code outside may write at any time. What a read sees
// is known by its writer only; where it is not what that has written, code outside has, as in hiddenWrite.
func (m *maker) unsure(i int, r *record, t *thread, a *atom, deps, valDeps []int32) bool {
	e := &r.e
	if !a.begun {
		a.begun, a.real, a.cur = true, a.cur, 0
	}
	shift := 8 * (uint64(e.Obj) & 7)
	v := extract(e.Val<<shift, a.mask)
	if reads(e.Kind) && v != a.real {
		if m.cutAny {
			m.cut(t)
			return false
		}
		m.b.count.Hidden++
		ghost := &thread{g: -1, id: -1, last: -1}
		from := m.trustsAll(i, ghost)
		a.barrier = m.add(ghost, i, Event{Kind: Pin, Obj: -1})
		m.afterAll(ghost, min(from, a.barrier))
	}
	a.real = v
	if e.Kind == format.AtomicRMW {
		a.real = extract(e.Aux<<shift, a.mask)
	}
	m.versioned(i, r, t, a, deps, valDeps)
	return true
}

// accessed notes event n as the last access of a shared atom.
func (m *maker) accessed(a *atom, n int32, index int64) {
	a.last, a.tick = index, m.outside.tick
	t := m.w.Events[n].Thread
	a.events = append(slices.DeleteFunc(a.events, func(e int32) bool { return m.w.Events[e].Thread == t }), n)
}

// memory holds the last known value of every word of the program.
type memory struct{ paged[memPage] }

type memPage struct {
	val   [wordsOf]uint64
	known [wordsOf]uint8  // bytes of val that are
	since [wordsOf]uint32 // ticks: at these moments the known bytes were so
}

// access takes the value of an access of the trace.
func (m *memory) access(e *trace.Event, tick uint32) {
	if e.Flags&format.FlagStack != 0 {
		return
	}
	v, mask := e.Val, byteMask(uint64(e.Obj), e.Size)
	if e.Kind == format.AtomicRMW {
		v = e.Aux
	}
	if e.Flags&format.FlagNoValue != 0 {
		if e.Kind.IsWrite() {
			m.at(uint64(e.Obj) >> pageShift).known[uint64(e.Obj)>>3%wordsOf] &^= mask
		}
		return
	}
	m.set(uint64(e.Obj), v, mask, tick)
}

// set makes the bytes of mask known, in the word of addr: those of v, shifted down by where addr stands in it.
func (m *memory) set(addr, v uint64, mask uint8, tick uint32) {
	p, i := m.at(addr>>pageShift), addr>>3%wordsOf
	bits := bitMask(mask)
	p.val[i] = p.val[i]&^bits | v<<(8*(addr&7))&bits
	if p.known[i]&^mask == 0 || tick < p.since[i] {
		p.since[i] = tick
	}
	p.known[i] |= mask
}

// maxCleared bounds the allocations whose zeros are remembered: those of larger ones are
// unknown until the first access.
const maxCleared = 1 << 14

func (m *memory) alloc(addr, size uint64, zero bool, tick uint32) {
	if size > maxCleared { // of its words those that are known: a trace may say any size
		to := addr + size
		m.forget(addr, min(size, -addr&7))
		m.forget(to&^7, to&7)
		m.within((addr+7)&^7, to&^7-(addr+7)&^7, func(p *memPage, first, last int) { clear(p.known[first : last+1]) })
		return
	}
	for a := addr &^ 7; a < addr+size; a += 8 {
		lo, hi := max(a, addr), min(a+8, addr+size)
		if m.forget(lo, hi-lo); zero {
			m.set(a, 0, uint8((1<<(hi-lo)-1)<<(lo&7)), tick)
		}
	}
}

// forget makes n bytes of the word of addr unknown.
func (m *memory) forget(addr, n uint64) {
	if p := m.get(addr >> pageShift); p != nil {
		p.known[addr>>3%wordsOf] &^= uint8((1<<n - 1) << (addr & 7))
	}
}

// value returns the bytes of mask in the word at addr, shifted down, whether all are known, and since when.
func (m *memory) value(addr uint64, mask uint8) (v uint64, known bool, since uint32) {
	p := m.get(addr >> pageShift)
	if p == nil {
		return 0, false, 0
	}
	i := addr >> 3 % wordsOf
	return extract(p.val[i], mask), p.known[i]&mask == mask, p.since[i]
}
