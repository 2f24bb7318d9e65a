package merge

import (
	"slices"

	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// recent holds the last events of the merged order. They are written late, so that an event can
// still be moved to explain a read (ME5).
type recent struct {
	events []placed
	out    *output
	moves  int // searches that found an order
	fails  int // and those that did not
}

const (
	bufferSize = 8192 // events kept; half of them are written at a time
	maxBack    = 2048 // events that a search for an earlier place looks back at
	maxOwn     = 64   // events of one stream that are moved at once
	maxHoist   = 8    // writes that are moved at once
	// Searches stop once more than this number have failed, and a tenth of those that succeeded.
	maxFails = 10000
)

// placed is an event of the merged order.
type placed struct {
	e    trace.Event
	a    access // of an access with a value; a.c is nil otherwise
	was  cell   // of a write: the cell before it
	s    int32  // stream
	from uint64 // the stamps around its group; both are its own stamp, if it has one
	to   uint64
}

// count returns the number of events placed so far.
func (b *recent) count() int64 {
	return b.out.events + int64(len(b.out.maps.kept)+len(b.events))
}

// place appends p.
func (b *recent) place(p placed) {
	if b.out.err != nil {
		return
	}
	b.events = append(b.events, p)
	if len(b.events) >= bufferSize {
		b.flush(bufferSize / 2)
	}
}

// flush writes the first n events of the buffer.
func (b *recent) flush(n int) {
	for i := range n {
		if b.out.err != nil {
			return
		}
		b.out.write(&b.events[i].e)
	}
	b.events = append(b.events[:0], b.events[n:]...)
}

// before reports whether p, which follows q, may be moved before q: they are of different streams,
// and p's group did not begin after q's group had ended (ME1), (ME2).
func (p *placed) before(q *placed) bool { return p.s != q.s && q.to > p.from }

// writes reports whether p writes to the cell c.
func (p *placed) writes(c *cell) bool { return p.a.c == c && p.e.Kind.IsWrite() }

// hides reports whether the value of the word x before p is unknown: p allocates the memory, writes
// it without a value, or is an unexplained read, which follows a write that was not recorded.
func (p *placed) hides(x uint64) bool {
	lo := uint64(p.e.Obj)
	if p.a.c != nil {
		return p.a.x == x && p.e.Flags&format.FlagUnexplained != 0 && p.e.Kind != format.Write
	}
	if p.e.Kind == format.Alloc {
		return lo < x+8 && x < lo+p.e.Val
	}
	return p.e.Kind.IsWrite() && lo&^7 == x
}

// rescue looks for an order of the recent events in which the read p is explained, and makes it. It
// returns the index at which p belongs, or -1.
func (b *recent) rescue(p *placed) int {
	if !p.a.c.everContended || b.fails > maxFails+b.moves/10 {
		return -1
	}
	i := b.earlier(p)
	if i < 0 && b.hoist(p) {
		i = len(b.events)
	}
	if i < 0 {
		b.fails++
	} else {
		b.moves++
	}
	return i
}

// earlier moves the read p before the write that overwrote the value it returned, with the events
// of p's stream in between, if that is allowed (ME5). It returns the index for p, or -1.
func (b *recent) earlier(p *placed) int {
	c := *p.a.c
	own := 0
	first := ^c.known // bytes with no access after this point, or with a write as the first one
	for i := len(b.events) - 1; i >= max(0, len(b.events)-maxBack); i-- {
		q := &b.events[i]
		if q.a.c == p.a.c && !q.e.Kind.IsWrite() {
			first &^= q.a.mask
		}
		if q.s == p.s {
			own++
			if q.from != p.from || q.from == q.to || own > maxOwn || q.writes(p.a.c) {
				return -1
			}
			continue
		}
		if !p.before(q) || q.hides(p.a.x) {
			return -1
		}
		if !q.writes(p.a.c) {
			continue
		}
		c.val, c.known = q.was.val, q.was.known
		first |= q.a.mask
		if c.mayHold(p.a.val, p.a.mask, first) && b.free(i, len(b.events), p.s, p.a.c) {
			b.gather(i, len(b.events), p.s)
			return i + own
		}
	}
	return -1
}

// free reports whether the events of stream s in [i, end) can move to index i without changing a
// value: their reads return there what they returned, and so do the reads of other streams after
// their writes. The caller checks the writes to the cell but.
func (b *recent) free(i, end int, s int32, but *cell) bool {
	for j := i + 1; j < end; j++ {
		o := &b.events[j]
		if o.s != s || !o.e.Kind.IsAccess() || o.writes(but) {
			continue
		}
		if o.a.c == nil || o.e.Flags&format.FlagUnexplained != 0 && o.e.Kind == format.Read {
			return false
		}
		touched := false // by a write of another stream, since i
		for k := i; k < j; k++ {
			q := &b.events[k]
			if q.s == s {
				if touched && q.writes(o.a.c) {
					return false
				}
				continue
			}
			if q.hides(o.a.x) || o.e.Kind == format.Write && q.a.c == o.a.c {
				return false
			}
			if !touched && q.writes(o.a.c) {
				if touched = true; !q.was.mayHold(o.a.val, o.a.mask, q.a.mask) {
					return false
				}
			}
		}
	}
	return true
}

// gather moves the events of stream s in [i, end) to index i.
func (b *recent) gather(i, end int, s int32) {
	var others []placed
	for _, q := range b.events[i:end] {
		if q.s == s {
			b.events[i] = q
			i++
		} else {
			others = append(others, q)
		}
	}
	copy(b.events[i:], others)
}

// hoist finds the write of the value that p read, and moves the later writes of the cell before it,
// if that explains p and the reads in between stay explained (ME5).
func (b *recent) hoist(p *placed) bool {
	var later [maxHoist]int // indices of the later writes, last first
	n := 0
	for i := len(b.events) - 1; i >= 0; i-- {
		q := &b.events[i]
		if q.hides(p.a.x) {
			return false
		}
		if !q.writes(p.a.c) {
			continue
		}
		if n > 0 && q.e.Kind != format.AtomicRMW && b.fits(i, later[:n], p) {
			b.move(i, later[:n])
			return true
		}
		if n == maxHoist || q.e.Kind != format.Write {
			return false
		}
		later[n] = i
		n++
	}
	return false
}

// fits reports whether the writes at the indices later can be moved right before the one at i.
func (b *recent) fits(i int, later []int, p *placed) bool {
	w := &b.events[i]
	c := w.was
	for _, k := range slices.Backward(later) {
		c.store(b.events[k].a.val, b.events[k].a.mask)
	}
	if c.store(w.a.val, w.a.mask); !c.holds(p.a.val, p.a.mask) {
		return false
	}
	for j := i + 1; j < len(b.events); j++ {
		q := &b.events[j]
		if q.a.c == p.a.c && !q.e.Kind.IsWrite() && !c.explains(q.a.val, q.a.mask) {
			return false
		}
	}
	if b.oneStream(later) {
		return b.prefixMoves(i, later[0])
	}
	for _, k := range later {
		for j := i; j < k; j++ {
			if !slices.Contains(later, j) && !b.events[k].before(&b.events[j]) {
				return false
			}
		}
	}
	return true
}

// oneStream reports whether the events at these indices are of one stream.
func (b *recent) oneStream(places []int) bool {
	for _, k := range places {
		if b.events[k].s != b.events[places[0]].s {
			return false
		}
	}
	return true
}

// prefixMoves reports whether the write at k can move to index i together with the events of its
// stream in between.
func (b *recent) prefixMoves(i, k int) bool {
	h := &b.events[k]
	own := 0
	for j := i; j < k; j++ {
		q := &b.events[j]
		if q.s != h.s {
			if !h.before(q) {
				return false
			}
		} else if own++; q.from != h.from || q.from == q.to || own > maxOwn {
			return false
		}
	}
	return k-i <= maxBack && b.events[i].s != h.s && b.free(i, k+1, h.s, h.a.c)
}

// move moves the writes at the indices later before the event at i, and recomputes for each write
// of the cell what it changed.
func (b *recent) move(i int, later []int) {
	c := b.events[i].was
	target := b.events[i].a.c
	if b.oneStream(later) {
		b.gather(i, later[0]+1, b.events[later[0]].s)
		later = nil
	}
	for n := range later {
		k := later[len(later)-1-n] // the first one, then the next
		h := b.events[k]
		copy(b.events[i+n+1:k+1], b.events[i+n:k])
		b.events[i+n] = h
	}
	for j := i; j < len(b.events); j++ {
		q := &b.events[j]
		if q.writes(target) {
			q.was = c
		}
		if q.a.c == target { // a read may have shown a value that was unknown
			c.store(q.a.val, q.a.mask)
		}
	}
	target.val, target.known = c.val, c.known
}

// bytes places the events of an access to a range of bytes, one per word.
func (b *recent) bytes(r *record, p placed) {
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
		b.place(p)
	}
}

// value places a Value and its Words.
func (b *recent) value(r *record, p placed) {
	p.e.Size, p.e.Val = r.size, r.word(0)
	b.place(p)
	p.e = trace.Event{Kind: format.Word, G: p.e.G, Site: p.e.Site}
	for i := 1; 8*i < len(r.w); i++ {
		p.e.Val = r.word(i)
		b.place(p)
	}
}

// insert places p at index i.
func (b *recent) insert(i int, p placed) { b.events = slices.Insert(b.events, i, p) }
