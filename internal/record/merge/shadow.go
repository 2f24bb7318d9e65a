package merge

// shadow is the memory of the program as the merged events have left it.
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
	val   uint64
	known uint8 // bytes that are known
	hot   bool  // it is contended: merger.hot has the list
	racy  bool  // it was contended at some time
	// The stream whose current group accessed it last, index+1, and the number of that group.
	stream int32
	group  uint32
}

func newShadow() *shadow { return &shadow{pages: make(map[uint64]*page)} }

// cell returns the cell of the word at x, and makes it if need be.
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

// within calls f with the words of [x, x+n) that have cells.
func (m *shadow) within(x, n uint64, f func(x uint64, c *cell)) {
	for end := x + n; x < end; {
		p := m.pages[x>>pageShift]
		stop := min(end, (x>>pageShift+1)<<pageShift)
		if p != nil {
			for w := x &^ 7; w < stop; w += 8 {
				f(w, &p[w>>3%pageCells])
			}
		}
		x = stop
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

// byteMask gives the bytes of its word that the n ≤ 8 bytes at x are.
func byteMask(x, n uint64) uint8 { return uint8((1<<n - 1) << (x & 7)) }

// spread makes a mask of bits of a mask of bytes.
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

// mayHold reports whether the cell has val in the bytes of mask, if it was still new when the bytes
// of first were written for the first time: bytes that are not known then are zero, as Go hands out
// memory.
func (c *cell) mayHold(val uint64, mask, first uint8) bool {
	unknown := mask &^ c.known
	return unknown&^first == 0 && c.explains(val, mask) && val&spread[unknown] == 0
}

// store writes val to the bytes of mask.
func (c *cell) store(val uint64, mask uint8) {
	c.val = c.val&^spread[mask] | val&spread[mask]
	c.known |= mask
}
