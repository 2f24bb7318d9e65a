package audit

import (
	"math/bits"

	"github.com/presage-race/presage/internal/detect/clock"
	"github.com/presage-race/presage/internal/trace"
)

// A source says where the value of some bytes is from.
type source uint8

const (
	unknown source = iota // new memory, or written without a value
	initial               // of the first read
	zeroed                // by the allocator
	written               // of a recorded write
	learned               // of a read that disagreed with what was known
)

// access is an earlier access.
type access struct {
	epoch clock.Epoch
	g     trace.GoID
	site  trace.Site
}

// part is what is known of some bytes of a word. All of them have the same history.
type part struct {
	mask   uint8
	from   source
	site   trace.Site // of the access that the value is from
	val    uint64     // the word; its other bytes mean nothing
	writes []access   // the last one, and those that do not happen before it
	// reads that disagreed: a write that the trace has later may be unordered with them
	missed []miss
}

// miss is a read that disagreed with its writer.
type miss struct {
	access
	kind *mismatch
}

// word is the parts of an aligned word; their masks are disjoint.
type word []part

const pageWords = 128

// memory is the words, paged by address.
type memory struct {
	pages  map[uint64]*[pageWords]word
	last   uint64
	cached *[pageWords]word
}

func newMemory() *memory { return &memory{pages: make(map[uint64]*[pageWords]word)} }

func (m *memory) at(x trace.Addr) *word {
	no := uint64(x) / 8 / pageWords
	if m.cached == nil || m.last != no {
		p := m.pages[no]
		if p == nil {
			p = new([pageWords]word)
			m.pages[no] = p
		}
		m.last, m.cached = no, p
	}
	return &m.cached[uint64(x)/8%pageWords]
}

// each calls f with parts that together have exactly the bytes of mask.
func (w *word) each(mask uint8, f func(*part)) {
	for i, n := 0, len(*w); i < n && mask != 0; i++ {
		both := (*w)[i].mask & mask
		if both == 0 {
			continue
		}
		if rest := (*w)[i].mask &^ both; rest != 0 {
			p := (*w)[i].clone()
			p.mask = rest
			*w = append(*w, p)
			(*w)[i].mask = both
		}
		f(&(*w)[i])
		mask &^= both
	}
	if mask != 0 {
		*w = append(*w, part{mask: mask})
		f(&(*w)[len(*w)-1])
	}
}

func (p *part) clone() part {
	q := *p
	q.writes = append([]access(nil), p.writes...)
	q.missed = append([]miss(nil), p.missed...)
	return q
}

// forget makes bytes of the word new memory.
func (w *word) forget(mask uint8) {
	k := 0
	for _, p := range *w {
		if p.mask &^= mask; p.mask != 0 {
			(*w)[k] = p
			k++
		}
	}
	clear((*w)[k:])
	*w = (*w)[:k]
}

// alloc makes n bytes at x new memory, zero if that is so.
func (m *memory) alloc(x trace.Addr, n uint64, zero bool, site trace.Site) {
	end := x + trace.Addr(n)
	if !zero || n > maxZeroed {
		m.within(x, end, func(w *word, mask uint8) { w.forget(mask) })
		return
	}
	for x < end {
		k := min(8-x&7, end-x)
		w := m.at(x)
		mask := uint8((1<<k - 1) << (x & 7))
		w.forget(mask)
		*w = append(*w, part{mask: mask, from: zeroed, site: site})
		x += k
	}
}

// maxZeroed bounds the allocations whose zeros are known: each word of them takes memory here.
const maxZeroed = 1 << 20

// within calls f with the words from x to end that are known, and which bytes of them are meant.
func (m *memory) within(x, end trace.Addr, f func(*word, uint8)) {
	const pageBytes = 8 * pageWords
	for x < end {
		next := min(x/pageBytes*pageBytes+pageBytes, end)
		if p := m.pages[uint64(x)/pageBytes]; p != nil {
			for x < next {
				k := min(8-x&7, next-x)
				f(&p[uint64(x)/8%pageWords], uint8((1<<k-1)<<(x&7)))
				x += k
			}
		}
		x = next
	}
}

// bytesOf is the word with zeros but for the bytes of mask.
func bytesOf(val uint64, mask uint8) uint64 {
	var keep uint64
	for ; mask != 0; mask &= mask - 1 {
		keep |= 0xff << (8 * bits.TrailingZeros8(mask))
	}
	return val & keep
}

// maskOf is the bytes of its word that an access covers.
func maskOf(e *trace.Event) uint8 {
	if e.Size == 0 || e.Size >= 8 {
		return 0xff << (e.Obj & 7)
	}
	return uint8((1<<e.Size - 1) << (e.Obj & 7))
}
