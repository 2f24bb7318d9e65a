package hb

import "presage/internal/trace"

// seen is one earlier access, with what a report says of it.
type seen struct {
	epoch Epoch
	index int64
	site  trace.Site
	g     trace.GoID
}

// cell is what FastTrack knows of some bytes of one aligned word.
type cell struct {
	w, r seen
	mask uint8 // the bytes; 0: never accessed
	more int32 // crowd+1: unordered reads and atomics; 0: none
	next int32 // part+1: the cell of other bytes of the word; 0: none
}

// crowd holds the accesses of a cell that are unordered among themselves: plain reads
// by several goroutines, and atomic accesses.
type crowd struct {
	reads           []seen
	aReads, aWrites []seen
}

// A page is the cells of pageWords consecutive words.
const (
	pageWords = 64
	pageShift = 9 // bytes of a page, as a power of two
)

type page [pageWords]cell

// shadow is the memory of cells, paged by address.
type shadow struct {
	index       table
	pages       []*page
	parts       []*[partChunk]cell
	nparts      int32
	crowds      []crowd
	spareParts  []int32
	spareCrowds []int32
	last        uint64
	lastPage    *page
}

const partChunk = 256

func (s *shadow) page(no uint64) *page {
	if s.lastPage != nil && s.last == no {
		return s.lastPage
	}
	i, fresh := s.index.at(no)
	if fresh {
		s.pages = append(s.pages, new(page))
	}
	s.last, s.lastPage = no, s.pages[i]
	return s.lastPage
}

// word returns the first cell of the word that addr lies in.
func (s *shadow) word(addr uint64) *cell {
	return &s.page(addr >> pageShift)[addr>>3%pageWords]
}

// maskOf gives the bytes of a word that an access covers. Size 0 is the whole word.
func maskOf(addr uint64, size uint16) uint8 {
	off := addr & 7
	if size == 0 || size >= 8 {
		return 0xff << off
	}
	return uint8((1<<size - 1) << off)
}

// each calls f on cells that together cover exactly mask, splitting those that cover more.
func (s *shadow) each(c *cell, mask uint8, f func(*cell)) {
	for {
		if both := c.mask & mask; both != 0 {
			if both != c.mask {
				s.split(c, both)
			}
			f(c)
			mask &^= both
		}
		if mask == 0 {
			return
		}
		if c.next == 0 {
			break
		}
		c = s.part(c.next)
	}
	if c.mask == 0 {
		c.mask = mask
		f(c)
		return
	}
	n := s.newPart()
	c.next = n
	c = s.part(n)
	c.mask = mask
	f(c)
}

// split leaves the bytes of mask in c and gives the rest, with the same history, to a new part.
func (s *shadow) split(c *cell, mask uint8) {
	n := s.newPart()
	p := s.part(n)
	*p = *c
	p.mask = c.mask &^ mask
	if c.more != 0 {
		p.more = s.newCrowd()
		from, to := &s.crowds[c.more-1], &s.crowds[p.more-1]
		to.reads = append(to.reads, from.reads...)
		to.aReads = append(to.aReads, from.aReads...)
		to.aWrites = append(to.aWrites, from.aWrites...)
	}
	c.mask, c.next = mask, n
}

// part gives part n, counted from 1. Parts never move.
func (s *shadow) part(n int32) *cell { return &s.parts[(n-1)/partChunk][(n-1)%partChunk] }

func (s *shadow) newPart() int32 {
	if k := len(s.spareParts); k > 0 {
		n := s.spareParts[k-1]
		s.spareParts = s.spareParts[:k-1]
		return n
	}
	if s.nparts%partChunk == 0 {
		s.parts = append(s.parts, new([partChunk]cell))
	}
	s.nparts++
	return s.nparts
}

// crowd returns c's crowd, making one.
func (s *shadow) crowd(c *cell) *crowd {
	if c.more == 0 {
		c.more = s.newCrowd()
	}
	return &s.crowds[c.more-1]
}

func (s *shadow) newCrowd() int32 {
	if n := len(s.spareCrowds); n > 0 {
		k := s.spareCrowds[n-1]
		s.spareCrowds = s.spareCrowds[:n-1]
		return k
	}
	s.crowds = append(s.crowds, crowd{})
	return int32(len(s.crowds))
}

func (s *shadow) dropCrowd(c *cell) {
	if c.more == 0 {
		return
	}
	w := &s.crowds[c.more-1]
	w.reads, w.aReads, w.aWrites = w.reads[:0], w.aReads[:0], w.aWrites[:0]
	s.spareCrowds = append(s.spareCrowds, c.more)
	c.more = 0
}

// reset forgets the words that begin in [addr, addr+size), and the word of addr.
func (s *shadow) reset(addr, size uint64) {
	if size == 0 {
		return
	}
	first, last := addr>>3, (addr+size-1)>>3
	if last < first {
		return
	}
	if (last-first)/pageWords > uint64(len(s.pages)) {
		s.resetSparse(first, last)
		return
	}
	for no := first / pageWords; no <= last/pageWords; no++ {
		if i := s.index.find(no); i >= 0 {
			s.resetPage(s.pages[i], max(first, no*pageWords), min(last, no*pageWords+pageWords-1))
		}
	}
}

// resetSparse is reset of a range with more pages than there are.
func (s *shadow) resetSparse(first, last uint64) {
	for h, v := range s.index.vals {
		if v == 0 {
			continue
		}
		lo, hi := max(first, s.index.keys[h]*pageWords), min(last, s.index.keys[h]*pageWords+pageWords-1)
		if lo <= hi {
			s.resetPage(s.pages[v-1], lo, hi)
		}
	}
}

func (s *shadow) resetPage(p *page, first, last uint64) {
	for w := first; w <= last; w++ {
		c := &p[w%pageWords]
		if c.mask == 0 {
			continue
		}
		s.dropCrowd(c)
		for n := c.next; n != 0; {
			q := s.part(n)
			s.dropCrowd(q)
			s.spareParts = append(s.spareParts, n)
			n = q.next
			*q = cell{}
		}
		*c = cell{}
	}
}
