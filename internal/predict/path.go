package predict

import (
	"github.com/presage-race/presage/internal/predict/built"
	"github.com/presage-race/presage/internal/predict/engine"
	"github.com/presage-race/presage/internal/predict/flow"
	"github.com/presage-race/presage/internal/predict/model"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// Path is how an execution leaves the recorded path.
type Path struct {
	G    trace.GoID
	Fork trace.Site // the branch; with Base the use of a pointer or index that differs
	Base bool
	// Other says that an operation of synchronisation has another outcome: Where.Expr
	Other bool
	// Ended says that there is no choice: the goroutine goes on where the recorded run ended
	Ended bool
	// the timer that starts the goroutine, which the recorded run does not have; nil: none
	Timer *flow.Timer
	// the first event of the trace that the goroutine does not execute any more
	Before int64
	Where  flow.Where
	// the words of the condition, pointer or index: in the recorded run,
	Was   []uint64
	Is    []uint64   // and in the race
	Steps []PathStep // the events of the goroutine after the fork
}

// PathStep is an event that was not recorded. In a race's Order and accesses its number is
// AlternativeBase plus its index among the steps.
type PathStep struct {
	G     trace.GoID
	Site  trace.Site
	Kind  format.Kind
	Flags format.Flags
	Obj   trace.Addr
	Size  uint16

	Left  int // as in flow.Step
	Case  int // likewise
	Calls []flow.Call
}

// AlternativeBase is the number of the first step of a path.
const AlternativeBase = flow.AlternativeBase

// paths searches the alternatives of a window. For each of them it tries the pairs that have an
// access of it. If other goroutines can notice the alternative, it then tries the candidates of the
// window for which no lower rung has a witness. All alternatives of a window together may cost as
// much as the lower rungs did, and a part of the pool. What they cost beyond that, because an
// alternative is not left half searched, is taken from the pool, too; there are none while it is
// overdrawn.
func (r *run) paths(b *built.Window, ladder []rung, list []*candidate, lower int64) error {
	if len(b.Alternatives) == 0 {
		return nil
	}
	share := lower + r.pool.share()
	if r.pool < 0 { // windows before this one have taken more than their shares
		r.counts.WaysLeft += int64(len(b.Alternatives))
		return nil
	}
	at := accesses(b.Window)
	began := r.spent.visits
	defer func() { r.pool.take(r.spent.visits - began - lower) }()
	limit := began + share
	for k := range b.Alternatives {
		if err := r.ctx.Err(); err != nil {
			return err
		}
		if r.spent.visits > limit {
			r.counts.WaysLeft += int64(len(b.Alternatives) - k)
			break
		}
		if r.exhausted() {
			r.stop(b.Done)
			return nil
		}
		r.path(b, k, &ladder[len(ladder)-1], at, list)
	}
	return r.together(b, at, r.spent.visits+share/2)
}

// variantVisits is the cost of an event of a variant: to make it, and its solver.
const variantVisits = 4

// A pool is effort, in visits, that the alternatives of all windows have besides what the lower
// rungs cost. Each window adds to it, and may take a quarter of it. So those of a short trace, and
// the first ones of a long one, have more than others.
type pool int64

const (
	poolSize   = 64_000_000 // at the start: about eight seconds
	poolGrowth = 200_000    // with each window
	poolMost   = 8_000_000  // for one window
)

// share returns what the next window may take.
func (p *pool) share() int64 {
	*p += poolGrowth
	return min(max(0, int64(*p)/4), poolMost)
}

// take takes what a window has used.
func (p *pool) take(visits int64) { *p -= pool(max(0, visits)) }

// byLocation is the accesses of a window by location: all, and those that are not atomic.
type byLocation struct{ all, plain [][]int32 }

// accesses lists the accesses of a window.
func accesses(w *model.Window) *byLocation {
	at := &byLocation{make([][]int32, len(w.Init)), make([][]int32, len(w.Init))}
	for i := range w.Events {
		if !candidateAccess(w, i) {
			continue
		}
		o := w.Events[i].Obj
		at.all[o] = append(at.all[o], int32(i))
		if !w.Events[i].Kind.IsAtomic() {
			at.plain[o] = append(at.plain[o], int32(i))
		}
	}
	return at
}

// against returns the accesses of the location of e that an access of its kind may conflict with.
func (at *byLocation) against(e *model.Event) []int32 {
	if e.Kind.IsAtomic() {
		return at.plain[e.Obj]
	}
	return at.all[e.Obj]
}

// path searches alternative k of a window.
func (r *run) path(b *built.Window, k int, base *rung, at *byLocation, list []*candidate) {
	way := &b.Alternatives[k]
	order := &wayOrder{s: r.solvers.engine(base), n: int32(len(b.Events)), way: way, keeps: keepsOrder(way)}
	cs := r.lister().onWay(b, way, at, order)
	if acts(way) {
		cs = append(cs, list...)
	}
	g := rung{off: true}
	var locks *locksets
	in := place{Window: b, ways: []*built.Way{way}}
	for _, c := range cs {
		s := r.pairs.of(c.sites)
		if s.race != 0 && !r.opt.EveryPair {
			continue
		}
		r.spent.look(len(c.pairs))
		if c = c.unordered(order); !r.worth(c, s) {
			continue
		}
		if g.w == nil {
			g.w = b.Variant(way)
			locks = computeLocksets(g.w)
			r.counts.Ways++
			r.spent.add(int64(variantVisits * len(g.w.Events)))
		}
		if c = c.possible(g.w, locks); r.worth(c, s) {
			if _, x := r.try(in, &g, pathRung, c, s); x != nil {
				r.keep(in, x, pathRung, s)
			}
		}
	}
}

// worth reports whether a candidate has pairs that may still be tried. It counts a candidate that
// is not tried (PR2).
func (r *run) worth(c *candidate, s *pairState) bool {
	if len(c.pairs) > 0 && !r.enough(pathRung, s) {
		return true
	}
	if len(c.pairs) > 0 || c.more {
		r.counts.Untried[pathRung]++
	}
	return false
}

// wayOrder decides pairs by the order of events on the recorded path, without the variant.
type wayOrder struct {
	s     *engine.Solver // of the recorded path
	n     int32          // its events
	way   *built.Way
	keeps bool
}

// keepsOrder reports whether the fixed order of the recorded path also holds with the alternative:
// it has no communication that could take the place of another one.
func keepsOrder(way *built.Way) bool {
	for i := range way.Events {
		switch k := way.Events[i].Kind; {
		case k.IsAccess(), k == model.Pin, k == format.Lock, k == format.Unlock, k == format.Go:
		default:
			return false
		}
	}
	return true
}

// decides reports whether the order excludes that the pair races.
func (o *wayOrder) decides(p model.Pair) bool {
	if !o.keeps {
		return false
	}
	before, after := o.way.Before, o.way.Leaves
	for _, x := range [2]int32{p.A, p.B} {
		if x < o.n && after < o.n && o.s.Must(after, x) {
			// depends on an event that does not happen any more
			return true
		}
	}
	if p.A > p.B {
		p.A, p.B = p.B, p.A
	}
	if p.B < o.n {
		return o.s.Must(p.A, p.B) || o.s.Must(p.B, p.A)
	}
	return p.A < o.n && before >= 0 && (p.A == before || o.s.Must(p.A, before))
}

// unordered returns a candidate without the pairs whose order is fixed.
func (c *candidate) unordered(o *wayOrder) *candidate {
	out := &candidate{sites: c.sites, more: c.more}
	for _, p := range c.pairs {
		if !o.decides(p) {
			out.pairs = append(out.pairs, p)
		}
	}
	return out
}

// acts reports whether another goroutine can notice an alternative.
func acts(way *built.Way) bool {
	for i := range way.Events {
		if k := way.Events[i].Kind; k != model.Pin && k != format.Read && k != format.AtomicRead {
			return true
		}
	}
	return false
}

func pathOf(way *built.Way) *Path {
	p := &Path{G: way.G, Fork: way.Fork, Base: way.Base, Other: way.Other, Ended: way.Ended, Before: way.At, Where: way.Where()}
	if t, ok := way.Origin.Timer(); ok {
		p.Timer = &t
	}
	for _, g := range way.Chosen {
		was, _ := g.Term.Recorded()
		p.Was, p.Is = append(p.Was, was), append(p.Is, g.Want)
	}
	for i := range way.Steps {
		s := &way.Steps[i]
		e := &s.Event
		p.Steps = append(p.Steps, PathStep{G: e.G, Site: e.Site, Kind: e.Kind, Flags: e.Flags, Obj: e.Obj, Size: e.Size, Left: s.Left, Case: s.Case, Calls: s.Calls})
	}
	return p
}

// onWay lists the candidates with an access of an alternative.
func (l *lister) onWay(b *built.Window, way *built.Way, at *byLocation, order *wayOrder) []*candidate {
	var found candidateList
	n := int32(len(b.Events))
	try := func(i, j int32, x, y *model.Event) {
		if x.Thread == y.Thread || !conflict(x.Kind, y.Kind) || way.At < b.Done && y.Index < b.Done {
			return
		}
		sites := pairOf(x.Site, y.Site)
		if s := l.pairs.of(sites); s.race != 0 && !l.opt.EveryPair {
			return
		}
		l.counts.Candidates++
		found.get(sites).add(model.Pair{A: i, B: j}, order.decides)
	}
	for i := range way.Events {
		e := &way.Events[i]
		if !e.Kind.IsAccess() || e.Flags&format.FlagStack != 0 {
			continue
		}
		others := at.against(e)
		for _, j := range others {
			try(j, n+int32(i), e, &b.Events[j])
		}
		for j := range way.Events[:i] {
			if f := &way.Events[j]; f.Kind.IsAccess() && f.Obj == e.Obj {
				try(n+int32(j), n+int32(i), e, f)
			}
		}
		l.spent.look(len(others))
	}
	for _, c := range found.list {
		c.spread(l.opt.Tries)
	}
	return found.list
}

// spread moves some pairs to the front that differ as much as possible. The first one has the
// earliest access of the alternative, which depends on the fewest events.
func (c *candidate) spread(tries int) {
	n := len(c.pairs)
	if n <= tries {
		return
	}
	for k := range tries {
		if far := k * (n - 1) / max(1, tries-1); far > k {
			c.pairs[k], c.pairs[far] = c.pairs[far], c.pairs[k]
		}
	}
}

// possible returns a candidate without the pairs that cannot race in a variant: accesses that are
// no longer executed, and accesses under a common lock (PR4).
func (c *candidate) possible(w *model.Window, locks *locksets) *candidate {
	out := &candidate{sites: c.sites, more: c.more}
	for _, p := range c.pairs {
		if !w.Events[p.A].Never && !w.Events[p.B].Never && !locks.common(locks.at[p.A], locks.at[p.B]) {
			out.pairs = append(out.pairs, p)
		}
	}
	return out
}
