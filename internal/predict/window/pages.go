package window

// paged has a T for each page of 64 words of the program's memory. It is a map with a cache of the
// pages used last, because every access makes a lookup.
type paged[T any] struct {
	pages map[uint64]*T
	near  [64]struct {
		no   uint64
		page *T
	}
}

// pageShift is the bytes of a page, as a power of two; wordsOf its words.
const (
	pageShift = 9
	wordsOf   = 64
)

// get returns the page of a number, or nil.
func (p *paged[T]) get(no uint64) *T {
	n := &p.near[no%64]
	if n.page != nil && n.no == no {
		return n.page
	}
	x := p.pages[no]
	if x != nil {
		n.no, n.page = no, x
	}
	return x
}

// at returns the page of a number, making it.
func (p *paged[T]) at(no uint64) *T {
	x := p.get(no)
	if x == nil {
		x = new(T)
		if p.pages == nil {
			p.pages = make(map[uint64]*T)
		}
		p.pages[no] = x
		n := &p.near[no%64]
		n.no, n.page = no, x
	}
	return x
}

// drop removes all pages.
func (p *paged[T]) drop() { *p = paged[T]{} }

// within calls f for every page that has words of [addr, addr+size), with the first and
// the last of these words.
func (p *paged[T]) within(addr, size uint64, f func(page *T, first, last int)) {
	if size == 0 || len(p.pages) == 0 {
		return
	}
	lo, hi := addr>>3, (addr+size-1)>>3
	if hi < lo {
		return
	}
	one := func(no uint64, page *T) {
		f(page, int(max(lo, no*wordsOf)%wordsOf), int(min(hi, no*wordsOf+wordsOf-1)%wordsOf))
	}
	if hi/wordsOf-lo/wordsOf > uint64(len(p.pages)) {
		for no, page := range p.pages { // f's calls commute
			if lo/wordsOf <= no && no <= hi/wordsOf {
				one(no, page)
			}
		}
		return
	}
	for no := lo / wordsOf; no <= hi/wordsOf; no++ {
		if page := p.get(no); page != nil {
			one(no, page)
		}
	}
}
