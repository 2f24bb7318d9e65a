package link

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/presage-race/presage/internal/static/evidence/promise"
	"github.com/presage-race/presage/internal/static/guard"
	"github.com/presage-race/presage/internal/static/lockset"
	"github.com/presage-race/presage/internal/static/pairs"
	"github.com/presage-race/presage/internal/static/path"
	"github.com/presage-race/presage/internal/static/summary"
	"github.com/presage-race/presage/internal/static/tier"
)

// site is an access in the contexts in which it happens alike.
type site struct {
	access *summary.Access
	fn     *summary.Function
	locks  locks
	path   string
	// the steps from an object of the root, its home without a label, with a leading point; "" if
	// it is not below that (R7)
	self   string
	led    bool // a pointer in the object of the root led a caller here (R7)
	roots  []int
	forked bool
	part   bool // the access is to a part of the memory at path (R4)
	merged bool // the context is one of several (C2)
	fresh  bool // the object that leads here is owned (R10)
	loc    *path.Node
	ctx    *context
	flags  *[2][]seen // zero and set (R24), once they are known
	lent   locks      // held by who waits for the goroutine (R23)
	after  waits      // what was waited for before (R22)
	until  waits      // what the goroutine has still to release (R22)
	in     processes  // that reach the function (R21)
	// how locks that it holds, and that keep nobody apart, lie to the memory (R33)
	broken []string
	makers []maker // who have not published the object (R32)
}

// weak are the reasons in the contexts themselves that speak against a race.
func (s *site) weak(o *site) []string {
	var codes []string
	if s.merged && len(s.locks) == 0 || o.merged && len(o.locks) == 0 {
		codes = append(codes, "merged-contexts")
	}
	if s.fresh || o.fresh {
		codes = append(codes, "owned-holder")
	}
	if s.makes() || o.makes() {
		codes = append(codes, "constructor")
	}
	if s.access.Taken || o.access.Taken {
		codes = append(codes, "taken-out")
	}
	if pairs.NoRoom(s.access, o.access) {
		codes = append(codes, "append-append")
	}
	return codes
}

// makes reports whether the access is to an object of the function's own text, before a goroutine
// is started there (R14).
func (s *site) makes() bool {
	for o := range s.access.Sync.Released {
		if o.Kind == path.Token && o.Base == nil {
			return false
		}
	}
	r := s.access.Loc.Root()
	return r.Kind == path.Alloc && !strings.Contains(r.Name, "@") && s.access.Loc.Loads() == 0
}

// setOnce reports whether the sites are of memory that is written inside of Do of Onces only that
// are package-level variables or, of a field, lie elsewhere (R16), by what the program itself calls
// (R17).
func (l *linker) setOnce(sites []*site) bool {
	variable, once := sites[0].access.Loc.Object().Kind == path.Global, false
	for _, s := range sites {
		if !s.access.Kind.Writes() {
			continue
		}
		switch {
		case s.doing(variable):
			once = true
		case !s.makes() && slices.ContainsFunc(s.roots, func(i int) bool { return !l.outside(l.roots[i]) }):
			return false
		}
	}
	return once
}

// doing reports whether the site is inside of Do of a Once that is a package-level variable or, of
// a field, lies elsewhere.
func (s *site) doing(variable bool) bool {
	for lock := range s.locks {
		if strings.HasSuffix(lock, doing) && (lock[0] == '@' || !variable && elsewhere(lock, s.path)) {
			return true
		}
	}
	return false
}

// elsewhere reports whether a Once is not in the object that has the last field of the path (R16).
func elsewhere(once, p string) bool {
	_, down, ok := guard.Relation(once, p)
	return !ok || strings.Contains(down[:max(0, strings.LastIndexByte(down, '!'))], "*")
}

// pairs compares the sites of each class.
func (l *linker) pairs(keys []string, judged map[[2]summary.Pos]bool, n *Counts) []*pairs.Warning {
	classes := map[string][]*site{}
	l.classes, l.guarding = classes, map[string]map[string]bool{}
	var order []string
	for _, k := range keys {
		f := l.sums[k]
		if !f.Target {
			continue
		}
		for _, a := range f.Accesses {
			if a.Via != nil || a.Thread > 0 {
				continue
			}
			a = l.located(f, a)
			for _, ctx := range l.contexts[k] {
				for loc := a.Loc; ; loc = loc.Base {
					if s := l.site(f, a, loc, ctx); s != nil && comparable(loc) {
						c := loc.Class()
						if classes[c] == nil {
							order = append(order, c)
						}
						classes[c] = append(classes[c], s)
						if !s.part && !a.Taken {
							l.guards.Use(c, s.path, a, s.locks)
						}
						n.Sites++
					}
					if loc.Kind != path.Field && loc.Kind != path.Elem || loc.Base.Kind != path.Field && loc.Base.Kind != path.Elem && loc.Base.Kind != path.Global {
						break
					}
				}
			}
		}
	}
	l.findBroken()
	var out []*pairs.Warning
	for _, c := range order {
		sites := classes[c]
		if !slices.ContainsFunc(sites, func(s *site) bool { return s.access.Kind.Writes() }) {
			continue
		}
		n.Classes++
		out = append(out, l.compare(sites, judged, n)...)
	}
	return out
}

// comparable reports whether the class of a location means something outside its frame.
func comparable(n *path.Node) bool {
	c := n.Class()
	return !strings.HasPrefix(c, "(") && !strings.HasPrefix(c, "*(") && !strings.HasPrefix(c, "alloc ") && !strings.Contains(c, "alloc ") &&
		!strings.HasPrefix(c, "struct.") && !strings.Contains(c, "chan.state") && !strings.Contains(c, "(")
}

// site puts an access into a context, as one to loc, which holds the memory; nil if the object is
// owned there (R6).
func (l *linker) site(f *summary.Function, a *summary.Access, loc *path.Node, c *context) *site {
	p := loc.Key()
	if passes(c, p) {
		return nil
	}
	s := &site{access: a, fn: f, path: p, locks: locks{}, forked: c.forked, part: loc != a.Loc, merged: c.merged, roots: c.roots, loc: loc, ctx: c, in: l.reach.by[f.Key]}
	_, s.fresh = leads(c.owned, p)
	s.makers = keepers(a, loc, c)
	if after(a) {
		s.roots = l.apart(c.roots)
	}
	for _, f := range c.self {
		if o := parseOwn(f); within(p, o.formal) {
			s.self, s.led = o.label+"."+o.steps+p[len(o.formal):], strings.Contains(o.steps, "*")
		}
	}
	s.after, s.until = l.waitsAt(c, a)
	if !gone(a.Sync.Released) {
		s.lent = c.lent
	}
	for name, m := range c.locks {
		if !released(name, a.Locks.Minus) {
			s.locks[name] = m
		}
	}
	for n, m := range a.Locks.Plus {
		s.locks.add(n.Key(), m)
	}
	for o := range a.Sync.Released {
		s.forked = s.forked || o.Kind == path.Token && o.Base == nil
	}
	return s
}

const maxSites = 150

func (l *linker) compare(sites []*site, judged map[[2]summary.Pos]bool, n *Counts) []*pairs.Warning {
	if len(sites) > maxSites {
		slices.SortStableFunc(sites, func(a, b *site) int { return cmp.Compare(len(a.locks), len(b.locks)) })
		n.Left += len(sites) - maxSites
		sites = sites[:maxSites]
	}
	guard, registered, cut := majority(sites), l.setOnce(sites), l.isCut(sites[0].loc)
	var out []*pairs.Warning
	for i, a := range sites {
		for _, b := range sites[i:] {
			if !a.access.Kind.Writes() && !b.access.Kind.Writes() || a.access.Kind.Atomic() && b.access.Kind.Atomic() ||
				!cut && (a.access.Kind == summary.Append) != (b.access.Kind == summary.Append) || a.part && b.part {
				continue
			}
			way := l.parallel(a, b, guard)
			if way == nil {
				continue
			}
			codes := append(slices.Clip(way.codes), a.weak(b)...)
			if joined(a, b) || joined(b, a) {
				codes = append(codes, "joined")
			}
			if registered {
				codes = append(codes, "set-once")
			}
			n.Pairs++
			if l.once(a, b) || l.once(b, a) || l.flagged(a, b) || l.flagged(b, a) {
				n.Ordered++
				continue
			}
			switch max(shared(a, b), l.excluded(a, b), l.excluded(b, a)) {
			case exact:
				n.Locks++
				continue
			case field:
				codes = append(codes, "same-lock-field")
			}
			if judged[pairs.Positions(a.access, b.access)] {
				codes = append(codes, "ordered-in-frame")
			}
			out = append(out, &pairs.Warning{Frame: a.fn, A: a.access, B: b.access, Codes: codes, Other: b.fn, RootA: l.roots[way.a].fn, RootB: l.roots[way.b].fn,
				HeldA: a.held(), HeldB: b.held()})
		}
	}
	return out
}

// isCut reports whether the location is an element of a slice of a field or variable that is cut
// somewhere: an append writes where something else was.
func (l *linker) isCut(loc *path.Node) bool {
	return loc.Kind == path.Elem && loc.Base.Kind == path.Load && slices.ContainsFunc(l.classes[loc.Base.Base.Class()], func(s *site) bool { return s.access.Cuts })
}

// held lists the locks of the context, as far as they have a name.
func (s *site) held() []lockset.Held {
	var out []lockset.Held
	for l, m := range s.locks {
		if !slices.ContainsFunc(slices.Collect(maps.Keys(s.access.Locks.Plus)), func(n *path.Node) bool { return n.Key() == l }) {
			out = append(out, lockset.Held{Key: l, Mode: m})
		}
	}
	slices.SortFunc(out, func(a, b lockset.Held) int { return strings.Compare(a.Key, b.Key) })
	return out
}

// way is how two sites may run at once: their roots, and what speaks against it.
type way struct {
	a, b  int
	codes []string
}

// parallel finds two roots that may run at once and meet in one object (R2, R3, R4), those with the
// least that speaks against it; nil if there are none.
func (l *linker) parallel(a, b *site, guard string) *way {
	var best *way
	separate := false
	global := a.access.Loc.Object().Kind == path.Global
	sure := global || guard != "" && (a.holds(guard) || b.holds(guard)) || reading(a, b) || tried(a, b)
	for _, i := range a.roots {
		for _, j := range b.roots {
			if l.separate(i, j, a, b) {
				separate = true
				continue
			}
			codes, can := l.atOnce(i, j, a, b)
			one := sure
			if l.roots[i].kind == apart && l.roots[j].kind == apart { // (R27)
				one = global || a.path == b.path && a.path[0] == '@'
			}
			if can && !one && !l.oneObject(i, j, a, b) {
				codes = append(codes, "other-instance")
			}
			if can && !global && tier.Of(codes) == tier.Likely && (l.unpublished(a, i, b, j) || l.unpublished(b, j, a, i)) {
				codes = append(codes, "unpublished")
			}
			if can && (best == nil || less(codes, best.codes)) {
				best = &way{i, j, codes}
			}
			if best != nil && len(best.codes) == 0 {
				return best
			}
		}
	}
	if best == nil && separate {
		l.counts.Processes++
	}
	return best
}

// less reports whether less speaks against a warning with the codes a.
func less(a, b []string) bool {
	if t, u := tier.Of(a), tier.Of(b); t != u {
		return tier.Shows(u, t)
	}
	return len(a) < len(b)
}

func (l *linker) atOnce(i, j int, a, b *site) (codes []string, ok bool) {
	r, q := l.roots[i], l.roots[j]
	if r.kind == initial || q.kind == initial {
		// (R3) A goroutine that initialisation starts may run beside it; all others come after.
		if !a.forked || !b.forked || r.kind != spawned && q.kind != spawned {
			return nil, false
		}
		return []string{"before-start"}, true
	}
	if r.kind == first && !a.forked || q.kind == first && !b.forked {
		return nil, false // (R3)
	}
	if r.kind == apart && q.kind == apart {
		return nil, l.together(i, j) // (R26)
	}
	if r.kind == test || q.kind == test || r.kind == apart || q.kind == apart || r.kind == first || q.kind == first {
		if r.kind == first && !l.mayRun(j, main, a) || q.kind == first && !l.mayRun(i, main, b) {
			codes = []string{"not-started"} // (R13)
		}
		return codes, r.kind == spawned || q.kind == spawned
	}
	if l.hidden(r) || l.hidden(q) {
		codes = append(codes, "unknown-call")
	}
	if l.again(i, j, a) || l.again(j, i, b) {
		codes = append(codes, "second-call")
	}
	if (l.outside(r) || l.outside(q)) && !l.guarded(r, q, a, b) {
		codes = append(codes, "closed-world")
	}
	if i == j && r.main() {
		codes = append(codes, "run-once")
	}
	switch {
	case r.kind == spawned || q.kind == spawned:
		switch {
		case i != j, r.many:
		case a.access.Loc.Object().Kind == path.Global && l.each(i), a.self != "" && b.self != "" && l.several(i):
		default:
			codes = append(codes, "one-root")
		}
	case r.home != "" && r.home == q.home && l.expects(promise.Many, r, q): // (R28, R29)
	case !l.active[r.home] || r.home == "" || r.home != q.home, len(a.locks) == 0 && len(b.locks) == 0 && !tried(a, b) && !meanwhile(r, q, a) && !meanwhile(q, r, b), l.expects(promise.One, r, q):
		codes = append(codes, "open-world")
	}
	return codes, true
}

// meanwhile reports whether the site is what a main loop writes that does not return: other methods
// are there to be called meanwhile (R2).
func meanwhile(loop, other root, at *site) bool {
	name := loop.fn[strings.LastIndexByte(loop.fn, '.')+1:]
	return loop.main() && !strings.HasPrefix(name, "Start") && !other.main() && at.access.Kind.Writes()
}

type guardKind int

const (
	none  guardKind = iota
	field           // only the classes agree
	exact
)

// shared finds a lock that keeps the two sites apart (R5).
func shared(a, b *site) guardKind { return meet(a.locks, b.locks, a, b) }

// meet finds a lock among those of each site.
func meet(held, other locks, a, b *site) guardKind {
	found := none
	for l, m := range held {
		for k, o := range other {
			if m != lockset.Write && o != lockset.Write || class(l) != class(k) && l != k {
				continue
			}
			switch {
			case l == k && l[0] == '@', relation(l, a.path) != "" && relation(l, a.path) == relation(k, b.path):
				return exact
			case class(l) == class(k) || strings.TrimLeft(l, "?") == strings.TrimLeft(k, "?"):
				found = field
			}
		}
	}
	return found
}

// relation is how a lock lies to a path: the steps from the deepest object that both have. "" if
// there is none.
func relation(lock, p string) string {
	toLock, toMemory, ok := guard.Relation(lock, p)
	if !ok {
		return ""
	}
	return toLock + "|" + toMemory
}

// majority is the class of the lock that most sites hold, "" if none is held at half of them. Only
// locks count that are package-level variables or lie with the memory (R5): a lock of some caller's
// object guards that object.
func majority(sites []*site) string {
	count, uses := map[string]int{}, 0
	best := ""
	for _, s := range sites {
		if s.access.Taken {
			continue
		}
		uses++
		for l := range s.locks {
			if !s.beside(l) || l[0] == '?' {
				// an object of the type that lies elsewhere has another lock above it, or none
				continue
			}
			c := class(l)
			count[c]++
			if count[c] > count[best] || count[c] == count[best] && c < best {
				best = c
			}
		}
	}
	if best == "" || count[best]*2 < uses {
		return ""
	}
	return best
}

// beside reports whether it is known how a lock lies to the memory: it is of the same object, or a
// package-level variable.
func (s *site) beside(lock string) bool { return lock[0] == '@' || relation(lock, s.path) != "" }

// holds reports whether the site holds a lock of the class that lies beside its memory.
func (s *site) holds(guard string) bool {
	for l := range s.locks {
		if class(l) == guard && s.beside(l) && l[0] != '?' {
			return true
		}
	}
	return false
}

// reading reports whether both sites hold a lock of one class, for reading, that lies beside the
// memory: the lock is meant for it.
func reading(a, b *site) bool {
	for l := range a.locks {
		for k := range b.locks {
			if strings.TrimLeft(class(l), "?") == strings.TrimLeft(class(k), "?") && (a.beside(l) || b.beside(k)) {
				return true
			}
		}
	}
	return false
}

// once reports whether b comes after the function of a Once in which a is (R12).
func (l *linker) once(a, b *site) bool {
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

// oneObject says whether the roots show that the two objects are one (R4, R7).
func (l *linker) oneObject(i, j int, a, b *site) bool {
	r, q := l.roots[i], l.roots[j]
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
	return a.self != "" && a.self == b.self && !l.setter(r, a) && !l.setter(q, b) && (!a.led && !b.led || l.meant(a))
}

// setter reports whether an exported method writes what it is given, without a lock: it may be
// meant for the time before others have the object, if nobody expects several goroutines in it
// (R28).
func (l *linker) setter(r root, s *site) bool {
	return r.kind >= exported && l.expected[r.fn] != promise.Many && s.fn.Key == r.fn && s.access.Kind.Writes() && len(s.locks) == 0
}
