package predict

import (
	"fmt"
	"slices"

	"github.com/presage-race/presage/internal/predict/built"
	"github.com/presage-race/presage/internal/predict/engine"
	"github.com/presage-race/presage/internal/predict/model"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// Bounds of the search for races with several alternatives.
const (
	maxChoices  = 16 // windows with a choice of alternatives that are kept
	maxEnablers = 16 // alternatives that may be taken besides those of the two accesses
	maxOfFork   = 6  // of these: of one goroutine at one fork
	maxAlikeOff = 4  // accesses of one goroutine at one source line, on alternatives of one fork
)

// togetherShare is the effort, in visits, that a pair of sites may take in a window, in addition to
// Options.Tries searches: about a tenth of a second.
const togetherShare = 500_000

// together searches for races in which several goroutines leave their recorded paths. Such a race
// has its two accesses on alternatives of two goroutines, or one on an alternative that another one
// makes possible. The solver is given a window in which all alternatives that matter for the pair
// may be taken or not ([built.Choice]).
//
// An alternative matters if it may change what another one that matters reads: if it writes a
// location, or acts on an object of synchronisation, which the other one reads or acts on.
func (r *run) together(b *built.Window, at *byLocation, limit int64) error {
	if len(b.Alternatives) < 2 {
		return nil
	}
	x := newTogether(r, b)
	list := x.candidates(at)
	for n, c := range list {
		if err := r.ctx.Err(); err != nil {
			return err
		}
		if r.spent.visits > limit || r.exhausted() {
			r.counts.TogetherLeft += int64(len(list) - n)
			return nil
		}
		x.try(c)
	}
	return nil
}

// togetherSearch searches one window.
type togetherSearch struct {
	r *run
	b *built.Window

	acts    map[model.Obj][]int // alternatives that may change what others see of an object
	sees    [][]model.Obj       // by alternative: the objects that it depends on
	choices map[string]*choice

	fit     map[[2]int]bool // results of fits
	enabled map[int]bool    // by alternative: it has enablers
}

// choice is a window with alternatives that may be taken, and its solver.
type choice struct {
	*built.Choice
	rung  rung
	locks *locksets
	set   []int
}

func newTogether(r *run, b *built.Window) *togetherSearch {
	x := &togetherSearch{r: r, b: b, acts: map[model.Obj][]int{}, sees: make([][]model.Obj, len(b.Alternatives)), choices: map[string]*choice{}, fit: map[[2]int]bool{}, enabled: map[int]bool{}}
	for k := range b.Alternatives {
		way := &b.Alternatives[k]
		for i := range way.Events {
			x.note(k, &way.Events[i])
		}
		for _, g := range way.Holds {
			for _, read := range g.Term.Reads() {
				if int(read) < len(b.Events) {
					x.see(k, b.Events[read].Obj)
				}
			}
		}
	}
	return x
}

// note notes what an event of an alternative changes and depends on.
func (x *togetherSearch) note(k int, e *model.Event) {
	if e.Obj < 0 || e.Kind == format.Go {
		return
	}
	switch e.Kind {
	case format.Lock, format.Unlock:
		return
	case format.Read, format.AtomicRead:
		x.see(k, e.Obj)
		return
	case format.Write, format.AtomicWrite:
	default:
		x.see(k, e.Obj)
	}
	if list := x.acts[e.Obj]; len(list) == 0 || list[len(list)-1] != k {
		x.acts[e.Obj] = append(list, k)
	}
}

func (x *togetherSearch) see(k int, o model.Obj) {
	if !slices.Contains(x.sees[k], o) {
		x.sees[k] = append(x.sees[k], o)
	}
}

// fits reports whether two alternatives can be taken together: they are of different goroutines,
// and neither writes what the other takes to be its own.
func (x *togetherSearch) fits(j, k int) bool {
	pair := [2]int{min(j, k), max(j, k)}
	ok, known := x.fit[pair]
	if !known {
		ok = x.fitting(&x.b.Alternatives[j], &x.b.Alternatives[k])
		x.fit[pair] = ok
	}
	return ok
}

func (x *togetherSearch) fitting(p, q *built.Way) bool {
	x.r.spent.look(len(p.Steps) + len(q.Steps))
	return p.Thread != q.Thread && !p.CutsOff(q.Thread) && !q.CutsOff(p.Thread) && !p.Halts(q) && !q.Halts(p) && !(p.Unseen && q.Unseen) && !touches(p, q.Alone) && !touches(q, p.Alone)
}

// touches reports whether an alternative writes one of some words.
func touches(way *built.Way, words map[uint64]bool) bool {
	if len(words) == 0 {
		return false
	}
	for i := range way.Steps {
		if e := &way.Steps[i].Event; e.Kind.IsWrite() && words[uint64(e.Obj)>>3] {
			return true
		}
	}
	return false
}

// enablers adds to a set of alternatives those that matter for it. Threads are those of the two
// accesses, which take no other alternative.
func (x *togetherSearch) enablers(set []int, threads ...model.Thread) []int {
	type place struct {
		thread model.Thread
		site   trace.Site
	}
	least := len(set)
	alike := map[place]int{}
	for n := 0; n < len(set); n++ {
		for _, o := range x.sees[set[n]] {
			for _, k := range x.acts[o] {
				way := &x.b.Alternatives[k]
				p := place{way.Thread, way.Fork}
				switch {
				case len(set) >= least+maxEnablers:
					return set
				case slices.Contains(set, k), slices.Contains(threads, way.Thread), alike[p] >= maxOfFork:
				case slices.ContainsFunc(set, func(j int) bool { return x.b.Alternatives[j].Thread != way.Thread && !x.fits(j, k) }):
				default:
					alike[p]++
					set = append(set, k)
				}
			}
		}
	}
	return set
}

// hasEnablers reports whether other alternatives matter for one.
func (x *togetherSearch) hasEnablers(k int) bool {
	has, known := x.enabled[k]
	if !known {
		has = len(x.enablers([]int{k}, x.b.Alternatives[k].Thread)) > 1
		x.enabled[k] = has
	}
	return has
}

// offAccess is an access of an alternative; of the recorded path if way is -1.
type offAccess struct {
	way int
	at  int32 // its number in the alternative, or in the window
}

// offCandidate is a pair of sites with pairs of accesses to try.
type offCandidate struct {
	sites sitePair
	pairs [][2]offAccess
}

// candidates lists the pairs to try. at are the accesses of the recorded path, by location.
func (x *togetherSearch) candidates(at *byLocation) (list []*offCandidate) {
	of := map[sitePair]*offCandidate{}
	add := func(e, f *model.Event, p, q offAccess) {
		x.r.spent.look(1)
		if !conflict(e.Kind, f.Kind) {
			return
		}
		sites := pairOf(e.Site, f.Site)
		if x.r.pairs.of(sites).race != 0 {
			return
		}
		c := of[sites]
		if c == nil {
			c = &offCandidate{sites: sites}
			of[sites] = c
			list = append(list, c)
		}
		if len(c.pairs) < maxKept {
			c.pairs = append(c.pairs, [2]offAccess{p, q})
		}
	}
	off := x.accesses(len(at.all))
	for _, here := range off {
		for i, p := range here {
			e := x.event(p)
			x.r.spent.look(i)
			for _, q := range here[:i] {
				if x.fits(p.way, q.way) {
					add(x.event(q), e, q, p)
				}
			}
			others := at.against(e)
			if len(others) == 0 || !x.hasEnablers(p.way) {
				continue
			}
			for _, j := range x.spread(others, x.b.Alternatives[p.way].Thread) {
				add(&x.b.Events[j], e, offAccess{-1, j}, p)
			}
		}
	}
	return list
}

// accesses lists the accesses of alternatives by location, few of those that are alike.
func (x *togetherSearch) accesses(locations int) [][]offAccess {
	type alike struct {
		thread     model.Thread
		fork, site trace.Site
		kind       format.Kind
		obj        model.Obj
	}
	seen := map[alike]int{}
	off := make([][]offAccess, locations)
	for k := range x.b.Alternatives {
		way := &x.b.Alternatives[k]
		for i := range way.Events {
			e := &way.Events[i]
			if !e.Kind.IsAccess() || e.Flags&format.FlagStack != 0 || e.IsText() {
				continue
			}
			a := alike{way.Thread, way.Fork, e.Site, e.Kind, e.Obj}
			if seen[a]++; seen[a] <= maxAlikeOff {
				off[e.Obj] = append(off[e.Obj], offAccess{k, int32(i)})
			}
		}
	}
	return off
}

// spread returns of some recorded accesses the first and the last of each other thread at each
// source line.
func (x *togetherSearch) spread(accesses []int32, thread model.Thread) (list []int32) {
	type line struct {
		thread model.Thread
		site   trace.Site
	}
	last := map[line]int{}
	for _, i := range accesses {
		e := &x.b.Events[i]
		l := line{e.Thread, e.Site}
		n, ok := last[l]
		switch {
		case e.Thread == thread:
		case !ok:
			list = append(list, i)
			last[l] = -1
		case n < 0:
			last[l] = len(list)
			list = append(list, i)
		default:
			list[n] = i
		}
	}
	return list
}

func (x *togetherSearch) event(a offAccess) *model.Event {
	if a.way < 0 {
		return &x.b.Events[a.at]
	}
	return &x.b.Alternatives[a.way].Events[a.at]
}

// try tries the pairs of a candidate until one races, within the limits (PR2). In a small window
// there are more tries than in a large one: a race may need one of many alternatives, which look
// alike.
func (x *togetherSearch) try(c *offCandidate) {
	s := x.r.pairs.of(c.sites)
	tries, left := 0, false
	limit := x.r.spent.visits + togetherShare
	for _, p := range c.pairs {
		if s.race != 0 {
			return
		}
		if left = tries >= x.r.opt.Tries && x.r.spent.visits > limit || x.r.enough(pathRung, s); left {
			break
		}
		if x.pair(p, s) {
			tries++
		}
	}
	if left {
		x.r.counts.Untried[pathRung]++
	}
}

// pair tries one pair. It reports whether that took a search.
func (x *togetherSearch) pair(p [2]offAccess, s *pairState) (searched bool) {
	var set []int
	var threads []model.Thread
	for _, a := range p {
		if a.way >= 0 {
			set = append(set, a.way)
			threads = append(threads, x.b.Alternatives[a.way].Thread)
		} else {
			threads = append(threads, x.b.Events[a.at].Thread)
		}
	}
	ch := x.choice(x.enablers(set, threads...))
	if ch == nil {
		return false
	}
	q := model.Pair{A: ch.number(p[0]), B: ch.number(p[1])}
	if ch.Events[q.A].Never || ch.Events[q.B].Never || ch.locks.common(ch.locks.at[q.A], ch.locks.at[q.B]) {
		return false
	}
	res := x.r.solvers.of(&ch.rung).Solve(q)
	if res.Layer != engine.LayerStatic {
		searched = true
		s.tried[pathRung]++
		n := res.Visits(ch.Window)
		s.visits[pathRung] += n - int64(len(ch.Events))
		x.r.spent.add(n)
	}
	x.r.spent.add(staticVisits)
	x.r.counts.Tried++
	x.r.counts.Conflicts += int64(res.Conflicts)
	x.r.counts.Layers["together "+res.Layer.String()+" "+res.Verdict.String()]++
	switch res.Verdict {
	case engine.Unknown:
		x.r.counts.Unknown++
	case engine.NoRace:
		x.r.counts.Refuted++
	case engine.Race:
		x.judge(ch, q, res.Order, s)
	}
	return searched
}

// judge has the checkers judge a witness, in the variant with the alternatives that it takes.
func (x *togetherSearch) judge(ch *choice, p model.Pair, order []int32, s *pairState) {
	ways, p, order := ch.Taken(p, order)
	if len(ways) == 0 {
		return
	}
	w := x.b.Variant(ways...)
	in := place{Window: x.b, ways: ways}
	if err := check(in, w, p, order); err != nil {
		x.r.refused(fmt.Errorf("several goroutines off their paths: %w", err))
		return
	}
	if !x.r.unsure(in, p) {
		x.r.keep(in, &found{w: w, pair: p, order: order}, pathRung, s)
	}
}

// choice returns the window in which some alternatives may be taken, nil if there is none.
func (x *togetherSearch) choice(set []int) *choice {
	slices.Sort(set)
	key := fmt.Sprint(set)
	ch, ok := x.choices[key]
	if ok {
		return ch
	}
	var ways []*built.Way
	for _, k := range set {
		ways = append(ways, &x.b.Alternatives[k])
	}
	if c, ok := x.b.Choice(ways); ok {
		ch = &choice{Choice: c, rung: rung{w: c.Window, off: true}, locks: computeLocksets(c.Window), set: set}
		x.r.counts.Ways++
		x.r.spent.add(int64(variantVisits * len(c.Events)))
	}
	if len(x.choices) >= maxChoices {
		clear(x.choices)
	}
	x.choices[key] = ch
	return ch
}

// number returns the number of an access in the window.
func (ch *choice) number(a offAccess) int32 {
	if a.way < 0 {
		return a.at
	}
	return ch.Number(slices.Index(ch.set, a.way), a.at)
}
