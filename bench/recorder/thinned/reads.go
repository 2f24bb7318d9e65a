package thinned

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// (SC7), the second judgement: if outside code reads a byte that emitted code of its goroutine has
// written to, and nobody has since, then the thinned trace has a read of it by outside code of the
// goroutine, behind the write and not behind that of the full trace. Both are found by their places
// among the accesses of emitted code of the goroutine, which are the same in the two traces.
//
// That emitted code allocates memory (FlagFirst) is such a write of its bytes, by the goroutine
// that reads one first.

// A seenWrite is a byte and a write of it by emitted code: the number of the write among the
// accesses of emitted code of its goroutine. The goroutine is the runtime's number. Where the byte
// was allocated, n is -1 minus the number of allocations that the byte was in before.
type seenWrite struct {
	addr trace.Addr
	g    uint64
	n    int
}

// reads are the first reads of outside code behind a write: how many accesses of emitted code their
// goroutine has made.
type reads struct {
	asked map[seenWrite]outsideRead // with no other write in between
	found map[seenWrite]outsideRead // records that have a place in their stream
}

type outsideRead struct {
	n           int
	write, read trace.Site
}

// An unread is a read of outside code that the thinned trace does not have.
type unread struct {
	seenWrite
	write, read string // source lines
	late        bool   // there is one behind it
}

// newBytes are bytes of a word that emitted code has allocated.
type newBytes struct {
	times [8]int // allocations of this memory
	clean uint8  // somebody has accessed the byte since, or other code has allocated it
}

// lastWrite is the last write of a byte by anybody: n is 0 if it is not by emitted code.
type lastWrite struct {
	g    uint64
	n    int
	site trace.Site
}

// ownWord is a word as a goroutine sees it.
type ownWord struct {
	g    uint64
	word trace.Addr
}

// reader finds the reads of a trace.
type reader struct {
	reads
	goroutine func(trace.GoID) uint64
	count     map[uint64]int
	last      map[trace.Addr]*[8]lastWrite
	own       map[ownWord]*[8]lastWrite
	made      map[trace.Addr]*newBytes
}

func readsOf(src *trace.Reader, events []trace.Event) reads {
	list := src.Meta().Goroutines
	r := &reader{
		reads:     reads{map[seenWrite]outsideRead{}, map[seenWrite]outsideRead{}},
		goroutine: func(g trace.GoID) uint64 { return list[g].RunID },
		count:     map[uint64]int{}, last: map[trace.Addr]*[8]lastWrite{}, own: map[ownWord]*[8]lastWrite{}, made: map[trace.Addr]*newBytes{},
	}
	for i := range events {
		switch e := &events[i]; {
		case e.IsText() || e.Flags&format.FlagStack != 0 && e.Kind != format.Alloc:
		case e.Kind == format.Alloc:
			r.alloc(e.Obj, trace.Addr(e.Val))
			r.isMade(e)
		case e.Kind.IsAccess() && e.Obj != 0:
			r.access(e)
		}
	}
	return r.reads
}

// alloc forgets the writes of memory that is new.
func (r *reader) alloc(x, n trace.Addr) {
	for w, list := range r.last {
		if n <= 1<<16 {
			break
		}
		r.forget(list, w, x, n)
	}
	for w := x &^ 7; n <= 1<<16 && w < x+n; w += 8 {
		if list := r.last[w]; list != nil {
			r.forget(list, w, x, n)
		}
	}
}

func (r *reader) forget(list *[8]lastWrite, w, x, n trace.Addr) {
	for i := range list {
		if at := w + trace.Addr(i); at >= x && at < x+n {
			list[i] = lastWrite{}
		}
	}
}

// isMade takes an allocation of at most a page: first reads of its bytes have to be there.
func (r *reader) isMade(e *trace.Event) {
	for x := e.Obj; e.Val <= 4096 && x < e.Obj+trace.Addr(e.Val); x++ {
		m := r.made[x&^7]
		if m == nil {
			m = &newBytes{clean: 0xff}
			r.made[x&^7] = m
		}
		m.times[x&7]++
		if m.clean |= 1 << (x & 7); e.Flags&format.FlagFirst != 0 {
			m.clean &^= 1 << (x & 7)
		}
	}
}

func (r *reader) access(e *trace.Event) {
	g := r.goroutine(e.G)
	emitted := e.Flags&format.FlagOpaque == 0
	if emitted {
		r.count[g]++
	}
	for x := e.Obj; x < e.Obj+trace.Addr(e.Size); x++ {
		switch {
		case e.Kind.IsWrite():
			r.write(x, g, e, emitted)
		case e.Kind == format.Read && !emitted: // of outside code, or of the kernel
			r.read(x, g, e)
		}
	}
}

func (r *reader) write(x trace.Addr, g uint64, e *trace.Event, emitted bool) {
	w := lastWrite{g: g, site: e.Site}
	if emitted {
		w.n = r.count[g]
		entryOf(r.own, ownWord{g, x &^ 7})[x&7] = w
	}
	entryOf(r.last, x&^7)[x&7] = w
	if m := r.made[x&^7]; m != nil {
		m.clean |= 1 << (x & 7)
	}
}

func (r *reader) read(x trace.Addr, g uint64, e *trace.Event) {
	note := func(m map[seenWrite]outsideRead, w lastWrite) {
		key := seenWrite{x, g, w.n}
		if _, ok := m[key]; !ok {
			m[key] = outsideRead{r.count[g], w.site, e.Site}
		}
	}
	if w := entryOf(r.last, x&^7)[x&7]; w.n > 0 && w.g == g {
		note(r.asked, w)
	}
	if w := entryOf(r.own, ownWord{g, x &^ 7})[x&7]; w.n > 0 && e.Flags&format.FlagLate == 0 {
		note(r.found, w)
	}
	if m := r.made[x&^7]; m != nil {
		w := lastWrite{n: -m.times[x&7]}
		if m.clean>>(x&7)&1 == 0 {
			note(r.asked, w)
			m.clean |= 1 << (x & 7)
		}
		if e.Flags&format.FlagLate == 0 {
			note(r.found, w)
		}
	}
}

func entryOf[K comparable](m map[K]*[8]lastWrite, k K) *[8]lastWrite {
	list := m[k]
	if list == nil {
		list = new([8]lastWrite)
		m[k] = list
	}
	return list
}

// unreads are the reads that full asks for and thin does not have.
func unreads(full, thin *verdict) (list []unread) {
	for w, a := range full.reads.asked {
		f, ok := thin.reads.found[w]
		if ok && f.n <= a.n {
			continue
		}
		list = append(list, unread{w, full.line(a.write, format.Write), full.line(a.read, format.Read), ok})
	}
	slices.SortFunc(list, func(x, y unread) int {
		return cmp.Or(cmp.Compare(x.g, y.g), cmp.Compare(x.n, y.n), cmp.Compare(x.addr, y.addr))
	})
	return list
}

func (u unread) String() string {
	late := ""
	if u.late {
		late = ", only a later one"
	}
	return fmt.Sprintf("%#x, goroutine %d, access %d: written at %s, read at %s%s", uint64(u.addr), u.g, u.n, u.write, u.read, late)
}
