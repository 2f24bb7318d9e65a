package merge

import (
	"fmt"
	"slices"

	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// The last events merged are kept for a while, so that one of them can still be moved (V3), (V4).

const (
	bufferSize = 8192 // events kept; they are written half a buffer at a time
	maxBack    = 2048 // events looked back at in (V3)
	maxOwn     = 64   // events of one stream moved at once (V3)
	maxHoist   = 8    // writes moved at once (V4)
	// searches in the buffer that may fail, more than a tenth of those that succeed
	maxFails = 10000
)

// placed is an event in its place.
type placed struct {
	e    trace.Event
	a    access // of an access with a value; a.c is nil otherwise
	was  cell   // before a write: what it changed
	s    int32  // stream
	from uint64 // stamps around it: of its group, or twice its own
	to   uint64
}

// place appends p.
func (m *merger) place(p placed) {
	if m.err != nil {
		return
	}
	m.buf = append(m.buf, p)
	if len(m.buf) >= bufferSize {
		m.flush(bufferSize / 2)
	}
}

// flush writes the first n events of the buffer.
func (m *merger) flush(n int) {
	for i := range n {
		if m.err != nil {
			return
		}
		m.write(&m.buf[i].e)
	}
	m.buf = append(m.buf[:0], m.buf[n:]...)
}

// before reports whether p may stand before q, which it follows: they are of
// different streams, and p's group did not begin after q's had ended (O1), (O2).
func (p *placed) before(q *placed) bool { return p.s != q.s && q.to > p.from }

// writes reports whether p writes to the cell c.
func (p *placed) writes(c *cell) bool { return p.a.c == c && p.e.Kind.IsWrite() }

// hides reports whether nothing is known of what the word x held before p: the
// memory is new, was written without a value, or unnoticed before an unexplained read.
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

// rescue looks for an order of the last events in which the read p is explained. It
// returns the place of p, or -1.
func (m *merger) rescue(p *placed) int {
	if !p.a.c.racy || m.fails > maxFails+m.stats.Moves/10 {
		return -1
	}
	i := m.earlier(p)
	if i < 0 && m.hoist(p) {
		i = len(m.buf)
	}
	if i < 0 {
		m.fails++
	} else {
		m.stats.Moves++
	}
	return i
}

// earlier returns the place of the write that took away what p read, if p may stand before it (V3).
// What p's stream did in between goes there, too.
func (m *merger) earlier(p *placed) int {
	c := *p.a.c
	own, first := 0, ^c.known // bytes whose first access since is a write, or none
	for i := len(m.buf) - 1; i >= max(0, len(m.buf)-maxBack); i-- {
		q := &m.buf[i]
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
		if c.mayHold(p.a.val, p.a.mask, first) && m.free(i, len(m.buf), p.s, p.a.c) {
			m.gather(i, len(m.buf), p.s)
			return i + own
		}
	}
	return -1
}

// free reports whether the events of stream s from i on, up to before end, can go to place i: their
// reads see there what they saw, and no access of another stream minds their writes. Writes to the
// cell but are the caller's business.
func (m *merger) free(i, end int, s int32, but *cell) bool {
	for j := i + 1; j < end; j++ {
		o := &m.buf[j]
		if o.s != s || !o.e.Kind.IsAccess() || o.writes(but) {
			continue
		}
		if o.a.c == nil || o.e.Flags&format.FlagUnexplained != 0 && o.e.Kind == format.Read {
			return false
		}
		touched := false // by a write of another stream, since i
		for k := i; k < j; k++ {
			q := &m.buf[k]
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

// gather moves the events of stream s from i on, up to before end, to place i.
func (m *merger) gather(i, end int, s int32) {
	var others []placed
	for _, q := range m.buf[i:end] {
		if q.s == s {
			m.buf[i] = q
			i++
		} else {
			others = append(others, q)
		}
	}
	copy(m.buf[i:], others)
}

// hoist finds the write that p wants and moves the writes behind it before it, if
// that explains p and what was read in between stays explained (V4).
func (m *merger) hoist(p *placed) bool {
	var later [maxHoist]int // places of the writes behind, last first
	n := 0
	for i := len(m.buf) - 1; i >= 0; i-- {
		q := &m.buf[i]
		if q.hides(p.a.x) {
			return false
		}
		if !q.writes(p.a.c) {
			continue
		}
		if n > 0 && q.e.Kind != format.AtomicRMW && m.fits(i, later[:n], p) {
			m.move(i, later[:n])
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

// fits reports whether the writes in later can stand right before the one at i.
func (m *merger) fits(i int, later []int, p *placed) bool {
	w := &m.buf[i]
	c := w.was
	for _, k := range slices.Backward(later) {
		c.store(m.buf[k].a.val, m.buf[k].a.mask)
	}
	if c.store(w.a.val, w.a.mask); !c.holds(p.a.val, p.a.mask) {
		return false
	}
	for j := i + 1; j < len(m.buf); j++ {
		q := &m.buf[j]
		if q.a.c == p.a.c && !q.e.Kind.IsWrite() && !c.explains(q.a.val, q.a.mask) {
			return false
		}
	}
	if m.oneStream(later) {
		return m.prefixMoves(i, later[0])
	}
	for _, k := range later {
		for j := i; j < k; j++ {
			if !slices.Contains(later, j) && !m.buf[k].before(&m.buf[j]) {
				return false
			}
		}
	}
	return true
}

func (m *merger) oneStream(places []int) bool {
	for _, k := range places {
		if m.buf[k].s != m.buf[places[0]].s {
			return false
		}
	}
	return true
}

// prefixMoves reports whether the write at k can go to place i with all that its stream did in
// between.
func (m *merger) prefixMoves(i, k int) bool {
	h := &m.buf[k]
	own := 0
	for j := i; j < k; j++ {
		q := &m.buf[j]
		if q.s != h.s {
			if !h.before(q) {
				return false
			}
		} else if own++; q.from != h.from || q.from == q.to || own > maxOwn {
			return false
		}
	}
	return k-i <= maxBack && m.buf[i].s != h.s && m.free(i, k+1, h.s, h.a.c)
}

// move moves the writes in later before the event at i, and notes anew what the writes of the cell
// changed.
func (m *merger) move(i int, later []int) {
	c := m.buf[i].was
	target := m.buf[i].a.c
	if m.oneStream(later) {
		m.gather(i, later[0]+1, m.buf[later[0]].s)
		later = nil
	}
	for n := range later {
		k := later[len(later)-1-n] // the first one, then the next
		h := m.buf[k]
		copy(m.buf[i+n+1:k+1], m.buf[i+n:k])
		m.buf[i+n] = h
	}
	for j := i; j < len(m.buf); j++ {
		q := &m.buf[j]
		if q.writes(target) {
			q.was = c
		}
		if q.a.c == target { // a read may have told what was unknown
			c.store(q.a.val, q.a.mask)
		}
	}
	target.val, target.known = c.val, c.known
}

// write writes an event, and the looks around it if it is an access of shared memory.
func (m *merger) write(e *trace.Event) {
	if e.Kind == format.Alloc && e.Flags&format.FlagShared != 0 {
		m.mapped = append(m.mapped, [2]uint64{uint64(e.Obj), uint64(e.Obj) + e.Val})
	}
	if !m.more {
		m.shared = m.isMapped(e)
	}
	if m.shared && !m.more {
		m.observe(e)
	}
	m.writeOne(e)
	if m.more = e.Kind.IsAccess() && e.Flags&format.FlagMore != 0; m.shared && !m.more {
		m.observe(e)
	}
}

func (m *merger) writeOne(e *trace.Event) {
	if err := m.w.Write(e); m.err == nil && err != nil {
		m.err = fmt.Errorf("writing event %d: %w", m.stats.Events, err)
		return
	}
	m.stats.Events++
}
