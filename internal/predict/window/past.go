package window

import (
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// past has accesses that no later window will hold, by word, goroutine and site: a few for each
// word, and for a bounded number of pages.
type past struct {
	pages paged[pastPage]
	apart map[[2]trace.Site]bool
	last  [2]trace.Site // of apart

	births  []birth // by GoID
	crowded int64   // BuildCounts.Crowded
}

type pastPage [wordsOf]pastWord

// pastWord has accesses to one word that left the buffer. An entry has the trace index of the last
// access of one goroutine at one site. There are millions of pastWords, so it has no padding.
type pastWord struct {
	last  [maxPast]int64
	g     [maxPast]trace.GoID
	site  [maxPast]trace.Site
	write [maxPast]bool
	n     uint8
	next  uint8 // the entry to be replaced next
	full  bool  // some accesses have no entry
}

type pastAccess struct {
	last  int64
	g     trace.GoID
	site  trace.Site
	write bool
}

func (p *pastWord) at(i uint8) pastAccess {
	return pastAccess{p.last[i], p.g[i], p.site[i], p.write[i]}
}

func (p *pastWord) set(i uint8, a pastAccess) {
	p.last[i], p.g[i], p.site[i], p.write[i] = a.last, a.g, a.site, a.write
}

// maxPast bounds the kinds of access kept of one word, maxPastPages the pages,
// maxApart the pairs of sites.
const (
	maxPast      = 3
	maxPastPages = 1 << 15
	maxApart     = 1 << 16
)

// pass takes an access that leaves the buffer.
func (p *past) pass(index int64, e *trace.Event) {
	if e.Flags&format.FlagStack != 0 {
		return
	}
	no := uint64(e.Obj) >> pageShift
	page := p.pages.get(no)
	if page == nil {
		if len(p.pages.pages) >= maxPastPages {
			p.crowded++
			return
		}
		page = p.pages.at(no)
	}
	w := &page[uint64(e.Obj)>>3%wordsOf]
	a := pastAccess{last: index, g: e.G, site: e.Site, write: e.Kind.IsWrite()}
	for i := range w.n {
		if w.g[i] == a.g && w.site[i] == a.site && w.write[i] == a.write {
			w.last[i] = index
			return
		}
	}
	if w.n < maxPast {
		w.set(w.n, a)
		w.n++
		return
	}
	if !w.full {
		w.full = true
		p.crowded++
	}
	w.set(w.next, a)
	w.next = (w.next + 1) % maxPast
}

// missed notes the pairs of sites that an access makes with accesses that left the
// buffer: no window will hold these two.
func (p *past) missed(e *trace.Event) {
	page := p.pages.get(uint64(e.Obj) >> pageShift)
	if page == nil || e.Flags&format.FlagStack != 0 {
		return
	}
	w := &page[uint64(e.Obj)>>3%wordsOf]
	write := e.Kind.IsWrite()
	for i := range w.n {
		q := w.at(i)
		if q.g == e.G || !q.write && !write {
			continue
		}
		pair := [2]trace.Site{min(q.site, e.Site), max(q.site, e.Site)}
		if pair == p.last || p.apart[pair] || len(p.apart) >= maxApart || p.forkOrders(&q, e.G) {
			continue
		}
		p.last = pair
		p.apart[pair] = true
	}
}

// renew forgets the accesses of what an Alloc made new.
func (p *past) renew(addr, size uint64) {
	p.pages.within(addr, size, func(page *pastPage, first, last int) {
		clear(page[first : last+1])
	})
}

// birth is the go statement that started a goroutine.
type birth struct {
	parent trace.GoID
	index  int64
	site   trace.Site
}

func (p *past) born(g trace.GoID, x birth) {
	for int(g) >= len(p.births) {
		p.births = append(p.births, birth{})
	}
	p.births[g] = x
}

// forkOrders reports whether an access came before its goroutine started g or an ancestor of g.
func (p *past) forkOrders(q *pastAccess, g trace.GoID) bool {
	for range 64 {
		if int(g) >= len(p.births) || p.births[g].parent == 0 {
			return false
		}
		x := p.births[g]
		if x.parent == q.g && q.last < x.index {
			return true
		}
		g = x.parent
	}
	return false
}

// Apart returns the pairs of sites with two conflicting accesses that were too far apart to be in
// one window. Other accesses of the same sites may have been in one. There may be more such pairs:
// see BuildCounts.Crowded.
func (b *Builder) Apart() map[[2]trace.Site]bool { return b.past.apart }
