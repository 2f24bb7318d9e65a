package shadow

import (
	"github.com/presage-race/presage/internal/detect/table"
	"github.com/presage-race/presage/internal/trace/format"
)

// Cell is the state of some bytes of one aligned word.
type Cell[C any] struct {
	State C
	mask  uint8 // the bytes; 0: never accessed
	next  int32 // part+1: the cell of other bytes of the word; 0: none
}

// A page is the cells of pageWords consecutive words.
const (
	pageWords = 64
	pageShift = 9 // bytes of a page, as a power of two
)

type page[C any] [pageWords]Cell[C]

// Memory has the cells, in pages by address. The zero value is empty.
type Memory[C any] struct {
	// Split is called before from is copied into to, which is a new cell; nil: a copy is enough
	Split func(to, from *C)
	Drop  func(*C) // called before a state is removed; may be nil

	index    table.Table
	pages    []*page[C]
	parts    []*[partChunk]Cell[C]
	nparts   int32
	spare    []int32
	last     uint64
	lastPage *page[C]
}

const partChunk = 256

func (m *Memory[C]) page(no uint64) *page[C] {
	if m.lastPage != nil && m.last == no {
		return m.lastPage
	}
	i, fresh := m.index.At(no)
	if fresh {
		m.pages = append(m.pages, new(page[C]))
	}
	m.last, m.lastPage = no, m.pages[i]
	return m.lastPage
}

// Mask gives the bytes of a word that an access covers. Size 0 is the whole word.
func Mask(addr format.Addr, size uint16) uint8 {
	off := addr & 7
	if size == 0 || size >= 8 {
		return 0xff << off
	}
	return uint8((1<<size - 1) << off)
}

// At returns the state of the bytes of an access, or nil if they are not exactly one cell. It is
// the fast path of Each.
func (m *Memory[C]) At(addr format.Addr, mask uint8) *C {
	c := &m.page(uint64(addr) >> pageShift)[uint64(addr)>>3%pageWords]
	if c.mask == mask {
		return &c.State
	}
	if c.mask == 0 && c.next == 0 {
		c.mask = mask
		return &c.State
	}
	return nil
}

// Each calls f with the states of cells that together cover exactly mask, splitting those that
// cover more.
func (m *Memory[C]) Each(addr format.Addr, mask uint8, f func(*C)) {
	c := &m.page(uint64(addr) >> pageShift)[uint64(addr)>>3%pageWords]
	for {
		if both := c.mask & mask; both != 0 {
			if both != c.mask {
				m.split(c, both)
			}
			f(&c.State)
			mask &^= both
		}
		if mask == 0 {
			return
		}
		if c.next == 0 {
			break
		}
		c = m.part(c.next)
	}
	if c.mask == 0 {
		c.mask = mask
		f(&c.State)
		return
	}
	n := m.newPart()
	c.next = n
	c = m.part(n)
	c.mask = mask
	f(&c.State)
}

// split leaves the bytes of mask in c and gives the rest, with the same history, to a new part.
func (m *Memory[C]) split(c *Cell[C], mask uint8) {
	n := m.newPart()
	p := m.part(n)
	*p = *c
	p.mask = c.mask &^ mask
	if m.Split != nil {
		m.Split(&p.State, &c.State)
	}
	c.mask, c.next = mask, n
}

// part gives part n, counted from 1. Parts never move.
func (m *Memory[C]) part(n int32) *Cell[C] { return &m.parts[(n-1)/partChunk][(n-1)%partChunk] }

func (m *Memory[C]) newPart() int32 {
	if k := len(m.spare); k > 0 {
		n := m.spare[k-1]
		m.spare = m.spare[:k-1]
		return n
	}
	if m.nparts%partChunk == 0 {
		m.parts = append(m.parts, new([partChunk]Cell[C]))
	}
	m.nparts++
	return m.nparts
}

// Reset removes the state of the bytes in [addr, addr+size). Other bytes of the same words keep
// theirs.
func (m *Memory[C]) Reset(addr format.Addr, size uint64) {
	x := uint64(addr)
	end := x + size
	if size == 0 || end < x {
		return
	}
	if x&7 != 0 || end-x < 8 {
		next := min(x&^7+8, end)
		m.resetBytes(x>>3, Mask(addr, uint16(next-x)))
		x = next
	}
	if x < end && end&7 != 0 {
		m.resetBytes(end>>3, Mask(0, uint16(end&7)))
		end &^= 7
	}
	if x >= end {
		return
	}
	first, last := x>>3, end>>3-1
	if (last-first)/pageWords > uint64(len(m.pages)) {
		m.index.Each(func(no uint64, i int32) {
			if lo, hi := max(first, no*pageWords), min(last, no*pageWords+pageWords-1); lo <= hi {
				m.resetPage(m.pages[i], lo, hi)
			}
		})
		return
	}
	for no := first / pageWords; no <= last/pageWords; no++ {
		if i := m.index.Find(no); i >= 0 {
			m.resetPage(m.pages[i], max(first, no*pageWords), min(last, no*pageWords+pageWords-1))
		}
	}
}

func (m *Memory[C]) resetPage(p *page[C], first, last uint64) {
	for w := first; w <= last; w++ {
		c := &p[w%pageWords]
		if c.mask == 0 {
			continue
		}
		m.drop(c)
		for n := c.next; n != 0; {
			q := m.part(n)
			m.drop(q)
			m.spare = append(m.spare, n)
			n = q.next
			*q = Cell[C]{}
		}
		*c = Cell[C]{}
	}
}

// resetBytes removes the state of some bytes of a word.
func (m *Memory[C]) resetBytes(word uint64, mask uint8) {
	i := m.index.Find(word / pageWords)
	if i < 0 {
		return
	}
	head := &m.pages[i][word%pageWords]
	for c := head; ; c = m.part(c.next) {
		if c.mask&mask != 0 && c.mask&^mask == 0 {
			m.drop(c)
			c.State = *new(C)
		}
		c.mask &^= mask
		if c.next == 0 {
			break
		}
	}
	for head.mask == 0 && head.next != 0 {
		n := head.next
		*head = *m.part(n)
		m.free(n)
	}
	for c := head; c.next != 0; {
		n := c.next
		if next := m.part(n); next.mask != 0 {
			c = next
		} else {
			c.next = next.next
			m.free(n)
		}
	}
}

func (m *Memory[C]) free(n int32) {
	*m.part(n) = Cell[C]{}
	m.spare = append(m.spare, n)
}

func (m *Memory[C]) drop(c *Cell[C]) {
	if m.Drop != nil {
		m.Drop(&c.State)
	}
}

// Pages is how many pages were accessed.
func (m *Memory[C]) Pages() int { return len(m.pages) }
