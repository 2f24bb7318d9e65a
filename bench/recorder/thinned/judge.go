package thinned

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/presage-race/presage/internal/detect/clock"
	"github.com/presage-race/presage/internal/detect/hb"
	"github.com/presage-race/presage/internal/detect/shadow"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// A location is a byte of memory between two allocations: the event of the trace that allocates
// it is the alloc-th Alloc, counted from 1; 0 is memory without one.
type location struct {
	addr  trace.Addr
	alloc int
}

// A lines is an unordered pair of source lines.
type lines struct{ a, b string }

// verdict is what happens-before says of a trace.
type verdict struct {
	races      map[location]lines      // with the first pair
	seeds      map[location]int        // of the goroutine of the later access
	pairs      map[lines]bool          // of source lines
	operations map[string]int          // that take part in races, by function
	accesses   int64                   // of outside code
	history    func(location) []string // the accesses of a byte
	reads      reads
	line       func(trace.Site, format.Kind) string
}

// access is an earlier access of a word.
type access struct {
	epoch clock.Epoch
	g     trace.GoID
	site  trace.Site
	kind  format.Kind
	mask  uint8
}

// cell is what is known of a word.
type cell struct {
	list  []access
	raced uint8
}

// judge finds all racing locations of a trace. It keeps, for each word, the last access of each
// goroutine, site, kind and set of bytes: if an earlier one is unordered with an access, so is
// the last one.
type judge struct {
	verdict
	src    *trace.Reader
	order  *clock.Order
	cells  map[trace.Addr]*cell
	allocs int
	pages  map[trace.Addr][]alloc // by page
	wide   []alloc
	seed   int
	seedOf map[trace.GoID]int
}

type alloc struct {
	x, n   trace.Addr
	number int
}

func judged(src *trace.Reader) (*verdict, error) {
	j := &judge{src: src, order: clock.New(clock.Options{}), cells: map[trace.Addr]*cell{}, pages: map[trace.Addr][]alloc{}, seedOf: map[trace.GoID]int{}}
	j.verdict = verdict{races: map[location]lines{}, seeds: map[location]int{}, pairs: map[lines]bool{}, operations: map[string]int{}}
	events, err := eventsOf(src)
	if err != nil {
		return nil, err
	}
	j.reads = readsOf(src, events)
	j.line = func(s trace.Site, k format.Kind) string { return j.name(&access{site: s, kind: k}) }
	d := hb.New()
	found := map[int64]bool{}
	d.Each(func(_, b int64) { found[b] = true })
	for i := range events {
		before := len(j.races)
		j.step(&events[i])
		d.Step(int64(i), &events[i])
		if len(j.races) > before != found[int64(i)] && !found[int64(i)] {
			return nil, fmt.Errorf("event %d, %v: package hb does not find the first race of a location", i, events[i])
		}
	}
	j.history = func(l location) (list []string) {
		allocs := 0
		for i := range events {
			e := &events[i]
			if e.Kind == format.Alloc && e.Val > 0 {
				allocs++
			}
			covers := e.Obj <= l.addr && l.addr < e.Obj+trace.Addr(max(e.Size, 1)) && e.Kind.IsAccess()
			if covers && allocs >= l.alloc {
				list = append(list, fmt.Sprintf("%8d goroutine %d flags %#x: %s", i, e.G, e.Flags, j.name(&access{site: e.Site, kind: e.Kind})))
			}
		}
		return list
	}
	return &j.verdict, nil
}

func (j *judge) step(e *trace.Event) {
	switch {
	case e.IsText():
	case e.Kind.IsAccess():
		if e.Flags&format.FlagStack == 0 && e.Obj != 0 {
			j.access(e)
		}
	case e.Kind == format.Alloc:
		j.alloc(e)
		j.order.Step(e)
	default:
		if e.Kind == format.Go {
			seed, ok := j.seedOf[e.G]
			if !ok || e.G == 1 {
				seed = j.seed
			}
			j.seedOf[trace.GoID(e.Obj)] = seed
		}
		j.order.Step(e)
	}
}

func (j *judge) alloc(e *trace.Event) {
	x, n := e.Obj, trace.Addr(e.Val)
	if n == 0 {
		return
	}
	j.allocs++
	a := alloc{x, n, j.allocs}
	if n > 1<<16 {
		j.wide = append(j.wide, a)
	} else {
		for p := x >> 12; p <= (x+n-1)>>12; p++ {
			j.pages[p] = append(j.pages[p], a)
		}
	}
	if n > 1<<20 {
		for w := range j.cells {
			j.forget(w, x, n)
		}
		return
	}
	for w := x &^ 7; w < x+n; w += 8 {
		j.forget(w, x, n)
	}
}

// forget forgets what was accessed of word w in the n bytes at x.
func (j *judge) forget(w, x, n trace.Addr) {
	c := j.cells[w]
	if c == nil || w >= x+n || w+8 <= x {
		return
	}
	mask := uint8(0)
	for b := range trace.Addr(8) {
		if w+b >= x && w+b < x+n {
			mask |= 1 << b
		}
	}
	k := c.list[:0]
	for _, a := range c.list {
		if a.mask &^= mask; a.mask != 0 {
			k = append(k, a)
		}
	}
	c.list = k
	c.raced &^= mask
}

// allocOf returns the number of the last Alloc of a byte.
func (j *judge) allocOf(x trace.Addr) (n int) {
	for _, list := range [][]alloc{j.pages[x>>12], j.wide} {
		for _, a := range slices.Backward(list) {
			if x >= a.x && x < a.x+a.n {
				n = max(n, a.number)
				break
			}
		}
	}
	return n
}

func (j *judge) access(e *trace.Event) {
	t := j.order.Goroutine(e.G)
	if e.Kind.IsAtomic() {
		j.order.AcquireAtomic(t, e)
		defer j.order.ReleaseAtomic(t, e)
	}
	if e.Outside() {
		j.accesses++
	}
	word := e.Obj &^ 7
	c := j.cells[word]
	if c == nil {
		c = &cell{}
		j.cells[word] = c
	}
	now := access{epoch: t.Epoch(), g: e.G, site: e.Site, kind: e.Kind, mask: shadow.Mask(e.Obj, e.Size)}
	if e.G == 1 && e.Kind == format.Write && j.src.Meta().SiteInfo(e.Site).Expr == "current" {
		j.seed = int(e.Val)
	}
	same := false
	for i := range c.list {
		a := &c.list[i]
		if a.g != e.G && a.mask&now.mask != 0 && (a.kind.IsWrite() || e.Kind.IsWrite()) && !(a.kind.IsAtomic() && e.Kind.IsAtomic()) && !t.Has(a.epoch) {
			j.race(c, word, a, &now)
		}
		if a.g == now.g && a.site == now.site && a.kind == now.kind && a.mask == now.mask {
			a.epoch = now.epoch
			same = true
		}
	}
	if !same {
		c.list = append(c.list, now)
	}
}

func (j *judge) race(c *cell, word trace.Addr, a, b *access) {
	p := lines{j.name(a), j.name(b)}
	if p.b < p.a {
		p = lines{p.b, p.a}
	}
	seed, ok := j.seedOf[b.g]
	if !ok {
		seed = j.seedOf[a.g]
	}
	j.pairs[p] = true
	mask := a.mask & b.mask &^ c.raced
	c.raced |= mask
	for ; mask != 0; mask &= mask - 1 {
		x := word + trace.Addr(bits.TrailingZeros8(mask))
		l := location{x, j.allocOf(x)}
		j.races[l], j.seeds[l] = p, seed
		for _, y := range []*access{a, b} {
			j.operations[j.kindOf(y)]++
		}
	}
}

// name is the source line of an access, and what it does.
func (j *judge) name(a *access) string {
	m := j.src.Meta()
	s := m.SiteInfo(a.site)
	file := "?"
	if s.File >= 0 && int(s.File) < len(m.Files) {
		file = m.Files[s.File].Name
	}
	if i := lastSlash(file); i >= 0 {
		file = file[i+1:]
	}
	return fmt.Sprintf("%s:%d:%d %v", file, s.Line, s.Col, a.kind)
}

func lastSlash(s string) int {
	for i := len(s) - 1; i >= 0; i-- {
		if s[i] == '/' {
			return i
		}
	}
	return -1
}

// kindOf is the function of an access.
func (j *judge) kindOf(a *access) string {
	m := j.src.Meta()
	f := m.SiteInfo(a.site).Func
	name := "?"
	if int(f) < len(m.Funcs) && a.site != 0 {
		name = m.Funcs[f].Name
	}
	return fmt.Sprint(name, " ", a.kind)
}
