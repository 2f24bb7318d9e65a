package predict

import (
	"cmp"
	"slices"

	"github.com/presage-race/presage/internal/predict/built"
	"github.com/presage-race/presage/internal/predict/model"
	"github.com/presage-race/presage/internal/trace/format"
)

// candidate is a pair of sites in one window with the pairs of accesses to try.
type candidate struct {
	sites sitePair
	pairs []model.Pair
	more  bool // some pairs will not be tried
	open  int  // the first so many of pairs are known to have no fixed order

	// the nearest of the dropped pairs that have a fixed order: for suppressed and relax
	ordered []model.Pair
}

// A lister lists the candidates of a window.
type lister struct {
	opt     *Options
	pairs   pairTable
	hbPairs *hbPairs
	solvers solvers
	spent   *effort
	counts  *Counts
}

func (r *run) lister() *lister {
	return &lister{&r.opt, r.pairs, &r.hbPairs, r.solvers, &r.spent, &r.counts}
}

// candidateList has one candidate for each pair of sites.
type candidateList struct {
	of   map[sitePair]*candidate
	list []*candidate // in the order in which they were added
}

// get returns the candidate of a pair of sites, which it adds if there is none.
func (l *candidateList) get(sites sitePair) *candidate {
	c := l.of[sites]
	if c == nil {
		if l.of == nil {
			l.of = make(map[sitePair]*candidate)
		}
		c = &candidate{sites: sites}
		l.of[sites] = c
		l.list = append(l.list, c)
	}
	return c
}

// candidates lists the candidates of a window by their first access. Top is its highest rung.
func (l *lister) candidates(b *built.Window, top *rung) []*candidate {
	if l.opt.EveryPair {
		return l.every(b)
	}
	locks := computeLocksets(b.Window)
	accesses := make([][]alike, len(b.Init))
	var found candidateList
	ordered := func(p model.Pair) bool {
		l.spent.look(looksPerVisit / 2)
		return !l.solvers.engine(top).Open(p)
	}
	for i := range b.Events {
		e := &b.Events[i]
		if !candidateAccess(b.Window, i) {
			continue
		}
		earlier, own := accesses[e.Obj], -1
		l.spent.look(len(earlier))
		for k := range earlier {
			x := &earlier[k]
			if x.site == e.Site && x.kind == e.Kind && x.locks == locks.at[i] {
				own = k
			}
			if e.Index < b.Done || !l.mayRace(x, e, locks, locks.at[i]) {
				continue
			}
			c := found.get(pairOf(x.site, e.Site))
			l.spent.look(len(x.groups))
			for _, g := range x.groups {
				if g.thread != e.Thread {
					c.add(model.Pair{A: g.last, B: int32(i)}, ordered)
				}
			}
		}
		if own < 0 {
			own = len(earlier)
			accesses[e.Obj] = append(earlier, alike{site: e.Site, kind: e.Kind, locks: locks.at[i]})
		}
		accesses[e.Obj][own].add(e.Thread, int32(i))
	}
	t := &thinner{w: b.Window, locks: locks}
	for _, c := range found.list {
		l.rank(b, t, c)
	}
	return found.list
}

// mayRace counts the pairs of an access e with earlier ones, and reports whether they are to be
// tried: they conflict, have no lock in common (held is the set of e), and no race of their sites
// is known on the lowest rung.
func (l *lister) mayRace(x *alike, e *model.Event, locks *locksets, held int32) bool {
	if !conflict(x.kind, e.Kind) {
		return false
	}
	n := x.others(e.Thread)
	if n == 0 {
		return false
	}
	l.counts.Candidates += int64(n)
	s := l.pairs.of(pairOf(x.site, e.Site))
	s.count += n
	if s.race != 0 && s.rung == 0 {
		return false
	}
	if locks.common(x.locks, held) {
		l.counts.Locked += int64(n)
		return false
	}
	return true
}

// maxKept bounds the pairs that are kept of one candidate, before ranking.
const maxKept = 256

// add adds a pair. When there are maxKept pairs, those with a fixed order are dropped. If none has
// a fixed order, the pair replaces another, chosen by its number.
func (c *candidate) add(p model.Pair, ordered func(model.Pair) bool) {
	if len(c.pairs) == maxKept && c.open < maxKept {
		c.drop(ordered)
	}
	switch {
	case len(c.pairs) < maxKept:
		c.pairs = append(c.pairs, p)
	case !ordered(p):
		c.more = true
		c.pairs[int(uint32(p.B)*2654435761>>24)%maxKept] = p
	}
}

// drop drops the pairs that have a fixed order, and keeps a few of them apart.
func (c *candidate) drop(ordered func(model.Pair) bool) {
	open := c.pairs[:c.open]
	for _, p := range c.pairs[c.open:] {
		if ordered(p) {
			c.ordered = append(c.ordered, p)
		} else {
			open = append(open, p)
		}
	}
	c.pairs, c.open = open, len(open)
	slices.SortStableFunc(c.ordered, nearest)
	c.ordered = c.ordered[:min(len(c.ordered), maxSuppressed)]
}

// nearest compares pairs by the distance of their events.
func nearest(p, q model.Pair) int {
	return cmp.Or(cmp.Compare(p.B-p.A, q.B-q.A), cmp.Compare(p.B, q.B))
}

// rank puts the pairs most likely to race first (PR2): first those that hb found unordered. Half of
// the tries are for the nearest pairs, the others for pairs spread over the rest.
func (l *lister) rank(b *built.Window, t *thinner, c *candidate) {
	c.pairs = append(c.pairs, c.ordered...)
	slices.SortStableFunc(c.pairs, func(p, q model.Pair) int {
		return cmp.Or(cmp.Compare(bit(!l.hbPairs.unordered(b, p)), bit(!l.hbPairs.unordered(b, q))), nearest(p, q))
	})
	l.thin(b, t, c)
	near := (l.opt.Tries + 1) / 2
	if len(c.pairs) <= l.opt.Tries {
		return
	}
	step := max(1, (len(c.pairs)-near)/max(1, l.opt.Tries-near))
	for k := near; k < l.opt.Tries; k++ {
		if far := near + (k-near+1)*step - 1; far < len(c.pairs) {
			c.pairs[k], c.pairs[far] = c.pairs[far], c.pairs[k]
		}
	}
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// every makes each conflicting pair a candidate of its own.
func (l *lister) every(b *built.Window) []*candidate {
	at := make([][]int32, len(b.Init))
	var list []*candidate
	for i := range b.Events {
		e := &b.Events[i]
		if !candidateAccess(b.Window, i) {
			continue
		}
		for _, k := range at[e.Obj] {
			if f := &b.Events[k]; e.Index >= b.Done && f.Thread != e.Thread && conflict(f.Kind, e.Kind) {
				l.counts.Candidates++
				list = append(list, &candidate{sites: pairOf(f.Site, e.Site), pairs: []model.Pair{{A: k, B: int32(i)}}})
			}
		}
		at[e.Obj] = append(at[e.Obj], int32(i))
	}
	return list
}

func conflict(a, b format.Kind) bool {
	return (a.IsWrite() || b.IsWrite()) && !(a.IsAtomic() && b.IsAtomic())
}

// candidateAccess reports whether event i can be half of a race. Excluded are accesses to a
// goroutine's own stack, reads of the content of a string, and accesses by an unknown goroutine,
// which stands for a write without a record.
func candidateAccess(w *model.Window, i int) bool {
	e := &w.Events[i]
	return e.Kind.IsAccess() && !e.IsText() && e.Flags&format.FlagStack == 0 && w.Threads[e.Thread] >= 0
}

func accessAt(w *model.Window, i int32) Access {
	e := &w.Events[i]
	return Access{Index: e.Index, G: w.Threads[e.Thread], Site: e.Site}
}

// traceOrder returns a witness in event numbers of the trace. It leaves out what is no event of the
// trace, and has the parts of one access once.
func traceOrder(w *model.Window, p model.Pair, order []int32) []int64 {
	out := make([]int64, 0, len(order)+2)
	seen := make(map[int64]bool, len(order))
	for _, i := range order {
		e := &w.Events[i]
		if e.Kind == model.Pin || w.Threads[e.Thread] < 0 || seen[e.Index] {
			continue
		}
		seen[e.Index] = true
		out = append(out, e.Index)
	}
	a, b := w.Events[p.A].Index, w.Events[p.B].Index
	out = slices.DeleteFunc(out, func(x int64) bool { return x == a || x == b })
	return append(out, a, b)
}
