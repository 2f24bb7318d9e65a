package predict

import (
	"github.com/presage-race/presage/internal/predict/built"
	"github.com/presage-race/presage/internal/predict/engine"
	"github.com/presage-race/presage/internal/predict/flow"
	"github.com/presage-race/presage/internal/predict/model"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// Path is how an execution leaves the recorded one.
type Path struct {
	G    trace.GoID
	Fork trace.Site // the branch, or with Base where a pointer or index is another
	Base bool
	// the event of the trace that does not happen any more, with what follows in the goroutine
	Before int64
	Where  flow.Where
	// what is chosen, in words: a condition, a pointer, an index; in the recorded run,
	Was   []uint64
	Is    []uint64   // and in the race
	Steps []PathStep // what the goroutine does instead
}

// PathStep is an event that was not recorded. In a race's Order and accesses its number is
// window.AlternativeBase plus its place among the steps.
type PathStep struct {
	G     trace.GoID
	Site  trace.Site
	Kind  format.Kind
	Flags format.Flags
	Obj   trace.Addr
	Size  uint16

	Left  int // as in window.Step
	Calls []flow.Call
}

// AlternativeBase is the number of the first step of a path.
const AlternativeBase = flow.AlternativeBase

// paths climbs the last rung. For each way off the recorded path, it tries the pairs that the way
// has a part in; then, if the way does something that others notice, the candidates of the window
// for which no lower rung has a witness. All ways of a window together may cost as much as the
// lower rungs did, and leastEffort.
func (r *run) paths(b *built.Window, ladder []rung, list []*candidate, lower int64) error {
	var at [][]int32
	limit := r.spent.visits + lower + leastEffort
	for k := range b.Alternatives {
		if err := r.ctx.Err(); err != nil {
			return err
		}
		if r.spent.visits > limit {
			r.counts.WaysLeft += int64(len(b.Alternatives) - k)
			return nil
		}
		if r.exhausted() {
			r.stop(b.Done)
			return nil
		}
		if at == nil {
			at = accesses(b.Window)
		}
		r.path(b, k, &ladder[len(ladder)-1], at, list)
	}
	return nil
}

// leastEffort is the part of the effort that the ways of a window have in any case, in visits:
// about a second.
const leastEffort = 8_000_000

// accesses lists the accesses of a window by location.
func accesses(w *model.Window) [][]int32 {
	at := make([][]int32, len(w.Init))
	for i := range w.Events {
		if candidateAccess(w, i) {
			o := w.Events[i].Obj
			at[o] = append(at[o], int32(i))
		}
	}
	return at
}

// path tries one way.
func (r *run) path(b *built.Window, k int, base *rung, at [][]int32, list []*candidate) {
	way := &b.Alternatives[k]
	order := &wayOrder{s: r.solvers.engine(base), n: int32(len(b.Events)), way: way, keeps: keepsOrder(way)}
	cs := r.lister().onWay(b, way, at, order)
	if acts(way) {
		cs = append(cs, list...)
	}
	g := rung{off: true}
	var locks *locksets
	in := place{Window: b, way: way}
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
			g.w, _ = b.Variant(k)
			locks = computeLocksets(g.w)
			r.counts.Ways++
			r.spent.add(int64(2 * len(g.w.Events)))
		}
		if c = c.possible(g.w, locks); r.worth(c, s) {
			if _, x := r.try(in, &g, pathRung, c, s); x != nil {
				r.keep(in, x, pathRung, s)
			}
		}
	}
}

// worth reports whether there is something to try, and that it may be. What is decided without the
// engine is no try; what is not tried is counted (A2).
func (r *run) worth(c *candidate, s *pairState) bool {
	if len(c.pairs) > 0 && !r.enough(pathRung, s) {
		return true
	}
	if len(c.pairs) > 0 || c.more {
		r.counts.Untried[pathRung]++
	}
	return false
}

// wayOrder tells which pairs the order of the recorded path decides, without a look at the variant.
type wayOrder struct {
	s     *engine.Solver // of the recorded path
	n     int32          // its events
	way   *built.Way
	keeps bool
}

// keepsOrder reports whether what must come before what on the recorded path must do so with the
// way as well: it has no communication that could stand for another one.
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

// decides reports that the pair does not race.
func (o *wayOrder) decides(p model.Pair) bool {
	if !o.keeps {
		return false
	}
	before, after := o.way.Before, o.way.Leaves
	for _, x := range [2]int32{p.A, p.B} {
		if x < o.n && after < o.n && o.s.Must(after, x) { // rests on what does not happen any more
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

// unordered is a candidate without the pairs whose order is decided.
func (c *candidate) unordered(o *wayOrder) *candidate {
	out := &candidate{sites: c.sites, more: c.more}
	for _, p := range c.pairs {
		if !o.decides(p) {
			out.pairs = append(out.pairs, p)
		}
	}
	return out
}

// acts reports whether a way does something that another goroutine may notice.
func acts(way *built.Way) bool {
	for i := range way.Events {
		if k := way.Events[i].Kind; k != model.Pin && k != format.Read && k != format.AtomicRead {
			return true
		}
	}
	return false
}

func pathOf(way *built.Way) *Path {
	p := &Path{G: way.G, Fork: way.Fork, Base: way.Base, Before: way.At, Where: way.Where()}
	for _, g := range way.Chosen {
		was, _ := g.Term.Recorded()
		p.Was, p.Is = append(p.Was, was), append(p.Is, g.Want)
	}
	for i := range way.Steps {
		s := &way.Steps[i]
		e := &s.Event
		p.Steps = append(p.Steps, PathStep{G: e.G, Site: e.Site, Kind: e.Kind, Flags: e.Flags, Obj: e.Obj, Size: e.Size, Left: s.Left, Calls: s.Calls})
	}
	return p
}

// onWay lists the candidates with an access of the way.
func (l *lister) onWay(b *built.Window, way *built.Way, at [][]int32, order *wayOrder) []*candidate {
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
		for _, j := range at[e.Obj] {
			try(j, n+int32(i), e, &b.Events[j])
		}
		for j := range way.Events[:i] {
			if f := &way.Events[j]; f.Kind.IsAccess() && f.Obj == e.Obj {
				try(n+int32(j), n+int32(i), e, f)
			}
		}
		l.spent.look(len(at[e.Obj]))
	}
	for _, c := range found.list {
		c.spread(l.opt.Tries)
	}
	return found.list
}

// spread puts some pairs in front that are as different as possible, but first the one that comes
// first in the way: it rests on least.
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

// possible is a candidate without the pairs that cannot race in a variant: what is no longer
// executed, and accesses under one lock (A3).
func (c *candidate) possible(w *model.Window, locks *locksets) *candidate {
	out := &candidate{sites: c.sites, more: c.more}
	for _, p := range c.pairs {
		if !w.Events[p.A].Never && !w.Events[p.B].Never && !locks.common(locks.at[p.A], locks.at[p.B]) {
			out.pairs = append(out.pairs, p)
		}
	}
	return out
}
