package link

import (
	"cmp"
	"slices"
	"strings"

	"github.com/presage-race/presage/internal/static/order"
	"github.com/presage-race/presage/internal/static/path"
	"github.com/presage-race/presage/internal/static/summary"
)

// maker is a function that has made an object and not published it, and what it does with it (R32).
type maker struct {
	fn     string
	callee string // that it gives the object to; "" where it accesses the object itself
	before string // the go statements that it may have executed before, in lines
	starts string // that has given it to a goroutine and waits for that; "" if none has
}

func (m maker) compare(o maker) int {
	return cmp.Or(strings.Compare(m.fn, o.fn), strings.Compare(m.callee, o.callee), strings.Compare(m.starts, o.starts), strings.Compare(m.before, o.before))
}

// publication is what is known of who may have which objects (R32).
type publication struct {
	confined map[int]*confined          // of a goroutine
	texts    map[string]map[string]bool // what functions call and mention
	extents  map[maker]map[int]bool     // the roots that may have the object
}

func newPublication() *publication {
	return &publication{map[int]*confined{}, map[string]map[string]bool{}, map[maker]map[int]bool{}}
}

// maxMakers bounds the makers of a context: of an object with more it is not known that it is kept.
const maxMakers = 16

func union(a, b []maker) []maker {
	all := slices.Concat(a, b)
	slices.SortFunc(all, maker.compare)
	return slices.Compact(all)
}

// meetKept leaves what is kept in both contexts; it reports whether anything has changed.
func (c *context) meetKept(d *context) bool {
	kept := summary.Owned{Args: c.kept.Args & d.kept.Args, Free: c.kept.Free & d.kept.Free, Held: c.kept.Held & d.kept.Held}
	makers := union(c.makers, d.makers)
	if len(makers) > maxMakers {
		kept = summary.Owned{}
	}
	if kept == (summary.Owned{}) {
		makers = nil
	}
	changed := kept != c.kept || !slices.Equal(makers, c.makers)
	c.kept, c.makers = kept, makers
	return changed
}

// maker is the caller as the maker of what it gives the callee.
func (e *call) maker(caller string) maker {
	m := maker{fn: caller, callee: e.Callee, before: strings.Join(tokens(e.Started), "\n")}
	if e.Thread != 0 {
		m.starts = caller
	}
	return m
}

// kept is what of the formals of a callee is not published, and by whom: what its caller has made,
// and what leads from what its caller was given.
func (l *linker) kept(caller string, c *context, e *call) (kept summary.Owned, makers []maker) {
	kept = e.Kept
	if kept != (summary.Owned{}) {
		makers = []maker{e.maker(caller)}
	}
	if c.kept != (summary.Owned{}) {
		own := kept
		e.keep(&kept, func(actual string) bool { _, ok := leads(c.kept, actual); return ok })
		if kept != own {
			given := slices.Clone(c.makers)
			for i := range given {
				if e.Thread != 0 && given[i].starts == "" {
					given[i].starts = caller
				}
			}
			makers = union(makers, given)
		}
	}
	for _, i := range l.sums[e.Callee].Publishes {
		kept.Args &^= 1 << min(i, 31)
	}
	if kept == (summary.Owned{}) {
		makers = nil
	}
	return kept, makers
}

// keep marks the formals whose actuals have a property, or are stored in what has.
func (e *call) keep(kept *summary.Owned, has func(actual string) bool) {
	e.mark(kept, has)
	for _, st := range e.Stored {
		if has(st.Formal.Key()) {
			kept.Args |= 1 << st.Arg
		}
	}
}

// awaited reports whether a function waits for the goroutines of a go statement, on one way at
// least.
func awaited(f *summary.Function, s *summary.Spawn) bool {
	over := func(y order.Sync) bool {
		for o := range y.Acquired {
			if order.IsOver(o) && o.Base.Name == s.Token.Name {
				return true
			}
		}
		return false
	}
	return slices.ContainsFunc(f.Exits, func(e summary.Exit) bool { return over(e.Sync) }) ||
		slices.ContainsFunc(f.Accesses, func(a *summary.Access) bool { return a.Thread == 0 && over(a.Sync) }) ||
		slices.ContainsFunc(f.Edges, func(e summary.Edge) bool { return e.Thread == 0 && over(e.Sync) })
}

// lendTo is what a goroutine is given that may not be published: at first all that its starter has
// made or was given itself; keepOn takes out what is.
func lendTo(f *summary.Function, e *call) (kept summary.Owned, makers []maker) {
	if e == nil || e.Thread <= 0 || !awaited(f, f.Spawns[e.Thread-1]) {
		return kept, nil
	}
	kept = e.Kept
	if kept != (summary.Owned{}) {
		makers = []maker{e.maker(f.Key)}
	}
	e.keep(&kept, func(actual string) bool { return actual[0] == '$' || actual[0] == '^' })
	return kept, makers
}

// keepOn takes out what a goroutine is given that one of the ways into its starter has published.
func (l *linker) keepOn(starter string, e *call) {
	f := l.sums[starter]
	if e.Thread <= 0 || !awaited(f, f.Spawns[e.Thread-1]) {
		return
	}
	changed := false
	for _, c := range l.contexts[e.Callee] {
		if !slices.ContainsFunc(c.roots, func(i int) bool { return l.roots[i].spawn == f.Spawns[e.Thread-1] }) {
			continue
		}
		for _, d := range l.contexts[starter] {
			if l.fromOutside(d) {
				continue
			}
			given := &context{}
			given.kept, given.makers = l.kept(starter, d, e)
			changed = c.meetKept(given) || changed
		}
	}
	if changed {
		l.push(e.Callee)
	}
}

// fromOutside reports whether only callers outside of the program enter a context.
func (l *linker) fromOutside(c *context) bool {
	return !slices.ContainsFunc(c.roots, func(i int) bool { return !l.outside(l.roots[i]) })
}

// keepers are who has not published the object of an access: its own function, or those of the
// context.
func keepers(a *summary.Access, loc *path.Node, c *context) []maker {
	if a.Kept && loc.Loads() == 0 {
		return []maker{{fn: a.Func, before: strings.Join(tokens(a.Sync.Released), "\n")}}
	}
	if _, ok := leads(c.kept, loc.Key()); ok {
		return c.makers
	}
	return nil
}

// confined is what is known of what a goroutine is given that is over before its starter returns.
type confined struct {
	makers []maker  // who have not published it, but for what leads to
	loose  []string // structs of these types
	open   bool     // something leads to what may be anything
}

// confined are who has not published what a goroutine is given that can lead to a location, if that
// is so of all of that (R32).
func (l *linker) confined(i int, loc *path.Node) []maker {
	c, known := l.public.confined[i]
	if !known {
		c = l.confine(i)
		l.public.confined[i] = c
	}
	if c.open || len(c.loose) > 0 && (loc.Kind != path.Field || slices.Contains(c.loose, typeOf(loc.Name))) {
		return nil
	}
	return c.makers
}

func (l *linker) confine(i int) *confined {
	r, out := l.roots[i], &confined{}
	for _, edge := range l.calls(r.by) {
		if r.spawn == nil || edge.Thread <= 0 || edge.Callee != r.fn || l.sums[r.by].Spawns[edge.Thread-1] != r.spawn || !awaited(l.sums[r.by], r.spawn) {
			continue
		}
		for _, c := range l.contexts[r.fn] {
			if slices.Contains(c.roots, i) {
				out.makers = union(out.makers, c.makers)
				out.open = out.open || len(c.makers) == 0
				out.miss(named(&edge), c.kept, l.sums[r.fn])
			}
		}
	}
	return out
}

// miss notes where what the callee is given leads that is not marked, as far as that is known.
func (c *confined) miss(e *call, marked summary.Owned, callee *summary.Function) {
	each := func(bits uint32, list []string, within []summary.Within) {
		for i, a := range list {
			if a == "" || i < 32 && bits&(1<<i) != 0 {
				continue
			}
			n := slices.IndexFunc(within, func(w summary.Within) bool { return w.Formal == i })
			if n < 0 {
				c.open = true
				return
			}
			c.loose = append(c.loose, within[n].Types...)
		}
	}
	each(marked.Args, e.args, callee.Within.Args)
	each(marked.Free, e.free, callee.Within.Free)
	each(marked.Held, e.held, callee.Within.Free)
}

// unpublished reports whether the root of another site can have none of the objects that a site of
// a root accesses (R32).
func (l *linker) unpublished(s *site, own int, o *site, root int) bool {
	makers := s.makers
	if len(makers) == 0 && s.path[0] != '@' {
		makers = l.confined(own, s.loc)
	}
	return len(makers) > 0 && !slices.ContainsFunc(makers, func(m maker) bool { return l.mayHave(m, o, root) })
}

// mayHave reports whether the root of a site may have been given an object by its maker, or runs
// the maker while a goroutine has it.
func (l *linker) mayHave(m maker, s *site, root int) bool {
	if m.starts != "" && l.text(m.starts)[s.fn.Key] &&
		slices.ContainsFunc(l.contexts[m.fn], func(c *context) bool { return slices.Contains(c.roots, root) }) {
		return true
	}
	return l.extent(m)[root]
}

// text is what a function calls or mentions, and so on, but for what is only started.
func (l *linker) text(fn string) map[string]bool {
	if known, ok := l.public.texts[fn]; ok {
		return known
	}
	text, started := map[string]bool{fn: true}, map[string]bool{}
	work := []string{fn}
	called := func(key string) []summary.Edge {
		return slices.DeleteFunc(slices.Clone(l.sums[key].Edges), func(e summary.Edge) bool {
			started[e.Callee] = started[e.Callee] || e.Thread != 0
			return e.Thread != 0
		})
	}
	for len(work) > 0 {
		key := work[len(work)-1]
		work = work[:len(work)-1]
		l.leadsTo(key, called, func(summary.Flow) bool { return true }, func(keys ...string) {
			for _, k := range keys {
				if l.sums[k] != nil && !text[k] && !started[k] {
					text[k] = true
					work = append(work, k)
				}
			}
		})
	}
	l.public.texts[fn] = text
	return text
}

// extent are the roots that a maker may have given its object to: the goroutines that it has
// started before, and all that the callee may start; and what else is mentioned by the maker and
// what it calls: it may be registered somewhere. Functions that the maker is given are none: a call
// that is not known publishes nothing (X32).
func (l *linker) extent(m maker) map[int]bool {
	if known, ok := l.public.extents[m]; ok {
		return known
	}
	text, from, before := l.text(m.fn), map[string]processes{}, strings.Split(m.before, "\n")
	if m.callee != "" {
		from[m.callee] = 1
	}
	for i := range l.roots {
		if r := &l.roots[i]; r.spawn != nil && (text[r.by] && slices.Contains(before, statement(r.spawn.Token)) || r.by == m.starts) {
			from[r.fn] = 1
		}
	}
	calls := func(key string) []summary.Edge { return l.sums[key].Edges }
	starts := l.closure(from, calls, func(summary.Flow) bool { return true })
	out := map[int]bool{}
	for i := range l.roots {
		if r := &l.roots[i]; r.spawn == nil && text[r.fn] || r.spawn != nil && (starts[r.by] != 0 || from[r.fn] != 0) {
			out[i] = true
		}
	}
	l.public.extents[m] = out
	return out
}
