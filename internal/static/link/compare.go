package link

import (
	"cmp"
	"slices"
	"strings"

	"github.com/presage-race/presage/internal/static/evidence/promise"
	"github.com/presage-race/presage/internal/static/pairs"
	"github.com/presage-race/presage/internal/static/path"
	"github.com/presage-race/presage/internal/static/summary"
	"github.com/presage-race/presage/internal/static/tier"
)

// comparison compares the accesses of each class, two by two.
type comparison struct {
	reach    *reach
	contexts *contextTable
	sites    *siteTable
	flags    *flagOrder
	started  *started
	public   *publication
	tests    *testOrder
	counts   *Counts
}

// setOnce reports whether the memory of the sites is written only inside of Do of Onces that are
// package-level variables or, for a field, lie elsewhere (LI7). Writes that only callers outside
// the program cause do not count (LI6).
func (co *comparison) setOnce(sites []*site) bool {
	variable, once := sites[0].access.Loc.Object().Kind == path.Global, false
	for _, s := range sites {
		if !s.access.Kind.Writes() {
			continue
		}
		switch {
		case s.doing(variable):
			once = true
		case !s.makes() && slices.ContainsFunc(s.roots, func(i int) bool { return !co.reach.outside(co.contexts.roots[i]) }):
			return false
		}
	}
	return once
}

// pairs compares the sites of each class.
func (co *comparison) pairs(judged map[[2]summary.Pos]bool) []*pairs.Warning {
	var out []*pairs.Warning
	for _, c := range co.sites.order {
		sites := co.sites.classes[c]
		if !slices.ContainsFunc(sites, func(s *site) bool { return s.access.Kind.Writes() }) {
			continue
		}
		co.counts.Classes++
		out = append(out, co.compare(sites, judged, co.counts)...)
	}
	return out
}

const maxSites = 150

func (co *comparison) compare(sites []*site, judged map[[2]summary.Pos]bool, n *Counts) []*pairs.Warning {
	if len(sites) > maxSites {
		slices.SortStableFunc(sites, func(a, b *site) int { return cmp.Compare(len(a.locks), len(b.locks)) })
		n.Left += len(sites) - maxSites
		sites = sites[:maxSites]
	}
	guard, registered, cut := majority(sites), co.setOnce(sites), co.sites.isCut(sites[0].loc)
	room := co.sites.hasRoom(sites[0].loc)
	var out []*pairs.Warning
	for i, a := range sites {
		for _, b := range sites[i:] {
			if !a.access.Kind.Writes() && !b.access.Kind.Writes() || a.access.Kind.Atomic() && b.access.Kind.Atomic() ||
				!cut && (a.access.Kind == summary.Append) != (b.access.Kind == summary.Append) || a.part && b.part || apartWholes(a, b) || hides(a, b) || hides(b, a) {
				continue
			}
			meeting := co.parallel(a, b, guard)
			if meeting == nil {
				continue
			}
			codes := append(slices.Clip(meeting.codes), a.weak(b, room)...)
			if joined(a, b) || joined(b, a) {
				codes = append(codes, "joined")
			}
			if registered {
				codes = append(codes, "set-once")
			}
			n.Pairs++
			if co.once(a, b) || co.once(b, a) || co.flags.flagged(a, b) || co.flags.flagged(b, a) {
				n.Ordered++
				continue
			}
			switch max(shared(a, b), co.excluded(a, b), co.excluded(b, a)) {
			case exact:
				n.Locks++
				continue
			case field:
				codes = append(codes, "same-lock-field")
			}
			if judged[pairs.Positions(a.access, b.access)] {
				codes = append(codes, "ordered-in-frame")
			}
			out = append(out, &pairs.Warning{Frame: a.fn, A: a.access, B: b.access, Codes: codes, Other: b.fn, RootA: co.contexts.roots[meeting.a].fn, RootB: co.contexts.roots[meeting.b].fn,
				HeldA: a.held(), HeldB: b.held()})
		}
	}
	return out
}

// meeting is how two sites may run at once: their roots, and the evidence against it.
type meeting struct {
	a, b  int
	codes []string
}

// parallel finds two roots that may run at once and reach one object (LI1, LI2, LI3): the two with
// the least evidence against it; nil if there are none.
func (co *comparison) parallel(a, b *site, guard string) *meeting {
	var best *meeting
	separate := false
	global := a.access.Loc.Object().Kind == path.Global
	sure := global || guard != "" && (a.holds(guard) || b.holds(guard)) || reading(a, b) || tried(a, b)
	for _, i := range a.roots {
		for _, j := range b.roots {
			if co.separate(i, j, a, b) {
				separate = true
				continue
			}
			codes, can := co.atOnce(i, j, a, b, guard)
			one := sure
			if co.contexts.roots[i].kind == apart && co.contexts.roots[j].kind == apart { // (LI8)
				one = global || a.path == b.path && a.path[0] == '@'
			}
			if can && !one && !co.oneObject(i, j, a, b) {
				codes = append(codes, "other-instance")
			}
			if can && !global && tier.Of(codes) == tier.Likely && (co.public.unpublished(a, i, b, j) || co.public.unpublished(b, j, a, i)) {
				codes = append(codes, "unpublished")
			}
			if can && (best == nil || less(codes, best.codes)) {
				best = &meeting{i, j, codes}
			}
			if best != nil && len(best.codes) == 0 {
				return best
			}
		}
	}
	if best == nil && separate {
		co.counts.Processes++
	}
	return best
}

// less reports whether the codes a are weaker evidence against a race than b.
func less(a, b []string) bool {
	if t, u := tier.Of(a), tier.Of(b); t != u {
		return tier.Shows(u, t)
	}
	return len(a) < len(b)
}

// atOnce reports whether two roots may run at once, and what speaks against it. guard is the class
// of the lock that most accesses to the memory hold.
func (co *comparison) atOnce(i, j int, a, b *site, guard string) (codes []string, ok bool) {
	r, q := co.contexts.roots[i], co.contexts.roots[j]
	if r.kind == initial || q.kind == initial {
		// (LI2) A goroutine that initialisation starts may run beside it; all others come after.
		if !a.forked || !b.forked || r.kind != spawned && q.kind != spawned {
			return nil, false
		}
		return []string{"before-start"}, true
	}
	if r.kind == first && !a.forked || q.kind == first && !b.forked {
		return nil, false // (LI2)
	}
	if r.kind == apart && q.kind == apart {
		return nil, co.tests.together(i, j) // (LI8)
	}
	if r.kind == test || q.kind == test || r.kind == apart || q.kind == apart || r.kind == first || q.kind == first {
		if r.kind == first && !co.started.mayRun(j, main, a) || q.kind == first && !co.started.mayRun(i, main, b) {
			codes = []string{"not-started"} // (LI2)
		}
		return codes, r.kind == spawned || q.kind == spawned
	}
	if co.hidden(r) || co.hidden(q) {
		codes = append(codes, "unknown-call")
	}
	if co.started.again(i, j, a) || co.started.again(j, i, b) {
		codes = append(codes, "second-call")
	}
	if (co.reach.outside(r) || co.reach.outside(q)) && !co.guarded(r, q, a, b) {
		codes = append(codes, "closed-world")
	}
	if i == j && r.main() {
		codes = append(codes, "run-once")
	}
	switch {
	case r.kind == spawned || q.kind == spawned:
		switch {
		case i != j, r.many:
		case a.access.Loc.Object().Kind == path.Global && co.each(i), a.self != "" && b.self != "" && co.several(i):
		default:
			codes = append(codes, "one-root")
		}
	case r.home != "" && r.home == q.home && co.contexts.expects(promise.Many, r, q): // (LI1)
	case !co.contexts.expects(promise.One, r, q) && (co.lock(r, q) || missing(guard, a, b)):
	case !co.contexts.active[r.home] || r.home == "" || r.home != q.home, len(a.locks) == 0 && len(b.locks) == 0 && !tried(a, b) && !meanwhile(r, q, a) && !meanwhile(q, r, b), co.contexts.expects(promise.One, r, q):
		codes = append(codes, "open-world")
	}
	return codes, true
}

// lock reports whether both roots are methods of one type that take a lock of their receiver, and
// none is a main loop (LI1).
func (co *comparison) lock(r, q root) bool {
	return r.home != "" && r.home == q.home && co.contexts.locking[r.fn] && co.contexts.locking[q.fn] && !r.main() && !q.main()
}

// ownGuard reports whether the lock that most accesses to the memory hold is of the same struct,
// or if the memory is a package-level variable, a package-level variable too: the lock is there
// for this memory, whoever accesses it (LI1).
func ownGuard(guard string, s *site) bool {
	if s.access.Loc.Object().Kind == path.Global {
		return strings.HasPrefix(guard, "@")
	}
	own, ok := strings.CutPrefix(guard, "!")
	return ok && typeOf(own) == typeOf(s.access.Loc.Class())
}

// missing reports whether one of two sites misses the lock that is there for the memory.
func missing(guard string, a, b *site) bool {
	return ownGuard(guard, a) && a.holds(guard) != b.holds(guard)
}

// meanwhile reports whether the site is a write of a main loop that does not return: other methods
// are called while it runs (LI1).
func meanwhile(loop, other root, at *site) bool {
	name := loop.fn[strings.LastIndexByte(loop.fn, '.')+1:]
	return loop.main() && !strings.HasPrefix(name, "Start") && !other.main() && at.access.Kind.Writes()
}

// once reports whether b comes after the function of a Once in which a is (LI7).
func (co *comparison) once(a, b *site) bool {
	for lock := range a.locks {
		o, ok := strings.CutSuffix(lock, doing)
		if !ok {
			continue
		}
		for n := range b.access.Sync.Acquired {
			p, ok := strings.CutSuffix(n.Key(), "#once")
			if ok && (o == p && o[0] == '@' || relation(o, a.path) != "" && relation(o, a.path) == relation(p, b.path)) {
				return true
			}
		}
	}
	return false
}

// oneObject says whether the roots show that the two objects are one (LI3).
func (co *comparison) oneObject(i, j int, a, b *site) bool {
	r, q := co.contexts.roots[i], co.contexts.roots[j]
	if r.made && q.made && r.by != q.by {
		return false
	}
	if r.home == "" || r.home != q.home {
		t := typeOf(a.access.Loc.Class())
		return r.kind == spawned && r.home != "" && r.home == t || q.kind == spawned && q.home != "" && q.home == typeOf(b.access.Loc.Class())
	}
	if r.kind == spawned && r.home == typeOf(a.access.Loc.Class()) || q.kind == spawned && q.home == typeOf(b.access.Loc.Class()) {
		return true
	}
	return a.self != "" && a.self == b.self && !co.setter(r, a) && !co.setter(q, b) && (!a.led && !b.led || co.meant(a) || co.contexts.expects(promise.Many, r, q))
}

// setter reports whether an exported method that takes no lock writes what it is given: it may be
// meant for the time before others have the object, if nothing shows that several goroutines
// call it (LI1).
func (co *comparison) setter(r root, s *site) bool {
	return r.kind >= exported && co.contexts.expected[r.fn] != promise.Many && s.fn.Key == r.fn && s.access.Kind.Writes() && len(s.locks) == 0 && !co.contexts.locking[r.fn]
}
