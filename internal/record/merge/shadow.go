package merge

import (
	"maps"
	"slices"

	"github.com/presage-race/presage/internal/trace/format"
)

// shadow is the memory of the program after the merged events.
type shadow struct {
	pages map[uint64]*page
	cache [256]struct {
		number uint64
		p      *page
	}
}

const (
	pageShift = 10 // bytes
	pageCells = 1 << pageShift / 8
)

type page [pageCells]cell

// cell is the shadow of one aligned word.
type cell struct {
	val           uint64
	known         uint8 // bytes that are known
	contended     bool  // current.contended has the list
	everContended bool  // it is or was contended, or is accessed atomically
	// The stream whose current group accessed it last, index+1, and the number of that group.
	stream int32
	group  uint32
}

func newShadow() *shadow { return &shadow{pages: make(map[uint64]*page)} }

// cell returns the cell of the word at x. It makes one for a new word.
func (m *shadow) cell(x uint64) *cell {
	n := x >> pageShift
	e := &m.cache[n%uint64(len(m.cache))]
	if e.p == nil || e.number != n {
		p := m.pages[n]
		if p == nil {
			p = new(page)
			m.pages[n] = p
		}
		e.number, e.p = n, p
	}
	return &e.p[x>>3%pageCells]
}

// within calls f for each word of [x, x+n) that has a cell, in order. In a damaged recording n may
// be larger than all memory.
func (m *shadow) within(x, n uint64, f func(x uint64, c *cell)) {
	end := x + n
	if n == 0 || end < x {
		return
	}
	first, last := x>>pageShift, (end-1)>>pageShift
	in := func(no uint64) {
		p := m.pages[no]
		if p == nil {
			return
		}
		for w := max(x&^7, no<<pageShift); w < end && w>>pageShift == no; w += 8 {
			f(w, &p[w>>3%pageCells])
		}
	}
	if last-first <= uint64(len(m.pages)) {
		for no := first; no <= last; no++ {
			in(no)
		}
		return
	}
	for _, no := range slices.Sorted(maps.Keys(m.pages)) {
		if first <= no && no <= last {
			in(no)
		}
	}
}

// forget makes the n bytes at x unknown.
func (m *shadow) forget(x, n uint64) {
	end := x + n
	if end < x {
		return
	}
	m.within(x, n, func(w uint64, c *cell) {
		lo, hi := max(x, w), min(end, w+8)
		c.known &^= byteMask(lo, hi-lo)
	})
}

// byteMask returns the mask of the n ≤ 8 bytes at x within their word.
func byteMask(x, n uint64) uint8 { return uint8((1<<n - 1) << (x & 7)) }

// spread maps a mask of bytes to the mask of their bits.
var spread = func() (t [256]uint64) {
	for m := range t {
		for i := range 8 {
			if m>>i&1 != 0 {
				t[m] |= 0xff << (8 * i)
			}
		}
	}
	return t
}()

// explains reports whether a read of val in the bytes of mask agrees with the cell.
func (c *cell) explains(val uint64, mask uint8) bool {
	return (c.val^val)&spread[mask&c.known] == 0
}

// holds reports whether the cell is known to have val in the bytes of mask.
func (c *cell) holds(val uint64, mask uint8) bool {
	return mask&^c.known == 0 && c.explains(val, mask)
}

// mayHold reports whether the cell may have val in the bytes of mask. The first access to the bytes
// of first is a write: unknown bytes among them are zero before it, since Go allocates zeroed
// memory. Other unknown bytes have no value.
func (c *cell) mayHold(val uint64, mask, first uint8) bool {
	unknown := mask &^ c.known
	return unknown&^first == 0 && c.explains(val, mask) && val&spread[unknown] == 0
}

// store writes val to the bytes of mask.
func (c *cell) store(val uint64, mask uint8) {
	c.val = c.val&^spread[mask] | val&spread[mask]
	c.known |= mask
}

// access returns the access of a record that is counted in its group.
func (m *shadow) access(r *record) access {
	x := r.word(0)
	if r.flags&format.FlagNoValue != 0 {
		return access{x: x, val: r.word(1), kind: r.kind}
	}
	if isAudited(r) {
		return access{x: x, val: uint64(r.size), kind: r.kind}
	}
	return access{
		x: x &^ 7, c: m.cell(x), val: r.word(1) << (8 * (x & 7)), mask: byteMask(x, uint64(r.size)), kind: r.kind,
	}
}
