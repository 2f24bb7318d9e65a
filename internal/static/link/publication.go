package link

import (
	"cmp"
	"slices"
	"strings"

	"github.com/presage-race/presage/internal/static/path"
	"github.com/presage-race/presage/internal/static/summary"
)

// maker is a function that has made an object and not published it, and what it does with it (LI9).
type maker struct {
	fn     string
	callee string // that it gives the object to; "" where it accesses the object itself
	before string // the go statements that it may have executed before, in lines
	starts string // that has given it to a goroutine and waits for that; "" if none has
}

func (m maker) compare(o maker) int {
	return cmp.Or(strings.Compare(m.fn, o.fn), strings.Compare(m.callee, o.callee), strings.Compare(m.starts, o.starts), strings.Compare(m.before, o.before))
}

// publication says which goroutines may have which objects (LI9).
type publication struct {
	prog     *program
	contexts *contextTable
	confined map[int]*confined          // of a goroutine
	texts    map[string]map[string]bool // what functions call and mention
	extents  map[maker]map[int]bool     // the roots that may have the object
}

func newPublication(prog *program, ct *contextTable) *publication {
	return &publication{prog, ct, map[int]*confined{}, map[string]map[string]bool{}, map[maker]map[int]bool{}}
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

// confined is what is known of what a goroutine is given that is over before its starter returns.
type confined struct {
	makers []maker  // that have not published it, but for what leads to
	loose  []string // structs of these types
	open   bool     // something leads to what may be anything
}

// confinedBy lists the makers that have not published the arguments of a goroutine that can lead to
// a location; none if an argument may be published (LI9).
func (pu *publication) confinedBy(i int, loc *path.Node) []maker {
	c, known := pu.confined[i]
	if !known {
		c = pu.confine(i)
		pu.confined[i] = c
	}
	if c.open || len(c.loose) > 0 && (loc.Kind != path.Field || slices.Contains(c.loose, typeOf(loc.Name))) {
		return nil
	}
	return c.makers
}

func (pu *publication) confine(i int) *confined {
	r, out := pu.contexts.roots[i], &confined{}
	for _, edge := range pu.prog.calls(r.by) {
		if r.spawn == nil || edge.Thread <= 0 || edge.Callee != r.fn || pu.prog.sums[r.by].Spawns[edge.Thread-1] != r.spawn || !awaited(pu.prog.sums[r.by], r.spawn) {
			continue
		}
		for _, c := range pu.contexts.of[r.fn] {
			if slices.Contains(c.roots, i) {
				out.makers = union(out.makers, c.makers)
				out.open = out.open || len(c.makers) == 0
				out.miss(named(&edge), c.kept, pu.prog.sums[r.fn])
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
// a root accesses (LI9).
func (pu *publication) unpublished(s *site, own int, o *site, root int) bool {
	makers := s.makers
	if len(makers) == 0 && s.path[0] != '@' {
		makers = pu.confinedBy(own, s.loc)
	}
	return len(makers) > 0 && !slices.ContainsFunc(makers, func(m maker) bool { return pu.mayHave(m, o, root) })
}

// mayHave reports whether the root of a site may have been given an object by its maker, or runs
// the maker while a goroutine has it.
func (pu *publication) mayHave(m maker, s *site, root int) bool {
	if m.starts != "" && pu.text(m.starts)[s.fn.Key] &&
		slices.ContainsFunc(pu.contexts.of[m.fn], func(c *context) bool { return slices.Contains(c.roots, root) }) {
		return true
	}
	return pu.extent(m)[root]
}

// text is what a function calls or mentions, and so on, but for what is only started.
func (pu *publication) text(fn string) map[string]bool {
	if known, ok := pu.texts[fn]; ok {
		return known
	}
	text, started := map[string]bool{fn: true}, map[string]bool{}
	work := []string{fn}
	called := func(key string) []summary.Edge {
		return slices.DeleteFunc(slices.Clone(pu.prog.sums[key].Edges), func(e summary.Edge) bool {
			started[e.Callee] = started[e.Callee] || e.Thread != 0
			return e.Thread != 0
		})
	}
	for len(work) > 0 {
		key := work[len(work)-1]
		work = work[:len(work)-1]
		pu.prog.leadsTo(key, called, func(summary.Flow) bool { return true }, func(keys ...string) {
			for _, k := range keys {
				if pu.prog.sums[k] != nil && !text[k] && !started[k] {
					text[k] = true
					work = append(work, k)
				}
			}
		})
	}
	pu.texts[fn] = text
	return text
}

// extent are the roots that a maker may have given its object to: the goroutines that it has
// started before, and all that the callee may start; and what else is mentioned by the maker and
// what it calls: it may be registered somewhere. Functions that the maker is given are none: a call
// that is not known publishes nothing (SY3).
func (pu *publication) extent(m maker) map[int]bool {
	if known, ok := pu.extents[m]; ok {
		return known
	}
	text, from, before := pu.text(m.fn), map[string]processes{}, strings.Split(m.before, "\n")
	if m.callee != "" {
		from[m.callee] = 1
	}
	for i := range pu.contexts.roots {
		if r := &pu.contexts.roots[i]; r.spawn != nil && (text[r.by] && slices.Contains(before, statement(r.spawn.Token)) || r.by == m.starts) {
			from[r.fn] = 1
		}
	}
	calls := func(key string) []summary.Edge { return pu.prog.sums[key].Edges }
	starts := pu.prog.closure(from, calls, func(summary.Flow) bool { return true })
	out := map[int]bool{}
	for i := range pu.contexts.roots {
		if r := &pu.contexts.roots[i]; r.spawn == nil && text[r.fn] || r.spawn != nil && (starts[r.by] != 0 || from[r.fn] != 0) {
			out[i] = true
		}
	}
	pu.extents[m] = out
	return out
}
