package wcp

import (
	"cmp"
	"slices"

	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// Pair is the sites of two accesses that ≺ leaves unordered, in the order of the trace. HB says
// that happens-before does too.
type Pair struct {
	A, B trace.Site
	HB   bool
}

// Detector is the detector. Call Step for the events of a trace, in order.
type Detector struct {
	gos     map[trace.GoID]*goroutine
	list    []*goroutine // by slot
	locks   map[trace.Addr]*lock
	objects map[object]*clocks
	chans   map[trace.Addr]*channel
	words   map[uint64][]access
	pairs   map[[2]trace.Site]bool // whether happens-before leaves them unordered too
}

// New returns a detector at the start of a trace.
func New() *Detector {
	return &Detector{
		gos: make(map[trace.GoID]*goroutine), locks: make(map[trace.Addr]*lock), objects: make(map[object]*clocks), chans: make(map[trace.Addr]*channel),
		words: make(map[uint64][]access), pairs: make(map[[2]trace.Site]bool),
	}
}

// Pairs returns the pairs, sorted.
func (d *Detector) Pairs() []Pair {
	var out []Pair
	for p, hb := range d.pairs {
		out = append(out, Pair{p[0], p[1], hb})
	}
	slices.SortFunc(out, func(p, q Pair) int { return cmp.Or(cmp.Compare(p.A, q.A), cmp.Compare(p.B, q.B)) })
	return out
}

// goroutine is the clocks of one goroutine; its own time is in h and m.
type goroutine struct {
	clocks
	slot int
	n    uint32
	held []*section
}

func (d *Detector) g(id trace.GoID) *goroutine {
	t := d.gos[id]
	if t == nil {
		t = &goroutine{slot: len(d.list)}
		d.gos[id], d.list = t, append(d.list, t)
		t.tick()
	}
	return t
}

// tick increases the own time.
func (t *goroutine) tick() {
	t.n++
	t.h, t.m = t.h.with(t.slot, t.n), t.m.with(t.slot, t.n)
}

// access is the last access of a word by one goroutine at one site, of one kind.
type access struct {
	slot int
	site trace.Site
	kind format.Kind
	mask uint8
	n    uint32
}

// Step takes an event.
func (d *Detector) Step(e *trace.Event) {
	switch e.Kind {
	case format.Read, format.Write, format.AtomicRead, format.AtomicWrite, format.AtomicRMW:
		d.access(e)
	case format.Lock, format.Unlock:
		d.lock(e)
	case format.Alloc:
		d.alloc(uint64(e.Obj), e.Val)
	default:
		d.hard(e)
	}
}

func maskOf(e *trace.Event) uint8 {
	if e.Size == 0 || e.Size >= 8 {
		return 0xff << (e.Obj & 7)
	}
	return uint8((1<<e.Size - 1) << (e.Obj & 7))
}

func conflict(a, b format.Kind) bool {
	return (a.IsWrite() || b.IsWrite()) && !(a.IsAtomic() && b.IsAtomic())
}

func (d *Detector) access(e *trace.Event) {
	if e.Flags&format.FlagStack != 0 || e.Obj == 0 || e.IsText() {
		return
	}
	t := d.g(e.G)
	w, mask := uint64(e.Obj)>>3, maskOf(e)
	if e.Kind == format.AtomicRead || e.Kind == format.AtomicRMW {
		d.acquire(t, object{classAtomic, e.Obj})
	}
	for _, s := range t.held { // (WC1)
		s.meets(t, w, mask, e.Kind)
	}
	list, known := d.words[w], false
	for k := range list {
		a := &list[k]
		if a.slot == t.slot {
			if a.site == e.Site && a.kind == e.Kind && a.mask == mask {
				a.n, known = t.n, true
			}
			continue
		}
		if a.mask&mask != 0 && conflict(a.kind, e.Kind) && a.n > t.m.at(a.slot) && a.n > t.p.at(a.slot) {
			// (WC4)
			p := [2]trace.Site{a.site, e.Site}
			d.pairs[p] = d.pairs[p] || a.n > t.h.at(a.slot)
		}
	}
	if !known {
		d.words[w] = append(list, access{t.slot, e.Site, e.Kind, mask, t.n})
	}
	for _, s := range t.held {
		s.add(w, mask, e.Kind)
	}
	if e.Kind == format.AtomicWrite || e.Kind == format.AtomicRMW {
		d.release(t, object{classAtomic, e.Obj}, false)
	}
}

// alloc makes memory new, with the objects in it.
func (d *Detector) alloc(addr, size uint64) {
	if size == 0 {
		return
	}
	first, last := addr>>3, (addr+size-1)>>3
	if last-first < uint64(len(d.words)) {
		for w := first; w <= last; w++ {
			delete(d.words, w)
		}
	} else {
		for w := range d.words { // the order does not matter
			if first <= w && w <= last {
				delete(d.words, w)
			}
		}
	}
	d.objectsIn(addr, size, func(a trace.Addr) {
		delete(d.locks, a)
		delete(d.chans, a)
		for c := range classes {
			delete(d.objects, object{c, a})
		}
	})
}

// objectsIn calls f with addresses of a range, all those of objects among them.
func (d *Detector) objectsIn(addr, size uint64, f func(trace.Addr)) {
	const align = 4
	if n := len(d.locks) + len(d.chans) + len(d.objects); size/align <= uint64(n) {
		for a := addr &^ (align - 1); a < addr+size; a += align {
			f(trace.Addr(a))
		}
		return
	}
	in := func(a trace.Addr) {
		if uint64(a)-addr < size {
			f(a)
		}
	}
	for a := range d.locks {
		in(a)
	}
	for a := range d.chans {
		in(a)
	}
	for a := range d.objects {
		in(a.addr)
	}
}
