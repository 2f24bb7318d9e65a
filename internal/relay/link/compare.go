package link

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"presage/internal/relay/guard"
	"presage/internal/relay/lockset"
	"presage/internal/relay/pairs"
	"presage/internal/relay/path"
	"presage/internal/relay/summary"
)

// site is an access in the contexts in which it happens alike.
type site struct {
	access *summary.Access
	fn     *summary.Function
	locks  locks
	path   string
	roots  []int
	forked bool
}

// pairs compares the sites of each class.
func (l *linker) pairs(keys []string, judged map[[2]summary.Pos]bool, n *Counts) []*pairs.Warning {
	classes := map[string][]*site{}
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
			c := a.Loc.Class()
			if !comparable(a.Loc) {
				continue
			}
			for _, ctx := range l.contexts[k] {
				if s := l.site(f, a, ctx); s != nil {
					if classes[c] == nil {
						order = append(order, c)
					}
					classes[c] = append(classes[c], s)
					l.guards.Use(c, s.path, a, s.locks)
					n.Sites++
				}
			}
		}
	}
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

// site puts an access into a context; nil if the object is owned there (R6).
func (l *linker) site(f *summary.Function, a *summary.Access, c *context) *site {
	p := a.Loc.Key()
	if passes(c, p) {
		return nil
	}
	s := &site{access: a, fn: f, path: p, locks: locks{}, forked: c.forked}
	for name, m := range c.locks {
		if !released(name, a.Locks.Minus) {
			s.locks[name] = m
		}
	}
	for n, m := range a.Locks.Plus {
		s.locks[n.Key()] = m
	}
	for o := range a.Sync.Released {
		s.forked = s.forked || o.Kind == path.Token && o.Base == nil
	}
	for r := range c.roots {
		s.roots = append(s.roots, r)
	}
	slices.Sort(s.roots)
	return s
}

const maxSites = 150

func (l *linker) compare(sites []*site, judged map[[2]summary.Pos]bool, n *Counts) []*pairs.Warning {
	if len(sites) > maxSites {
		slices.SortStableFunc(sites, func(a, b *site) int { return cmp.Compare(len(a.locks), len(b.locks)) })
		n.Left += len(sites) - maxSites
		sites = sites[:maxSites]
	}
	guard := majority(sites)
	var out []*pairs.Warning
	for i, a := range sites {
		for _, b := range sites[i:] {
			if !a.access.Kind.Writes() && !b.access.Kind.Writes() || a.access.Kind.Atomic() && b.access.Kind.Atomic() ||
				(a.access.Kind == summary.Append) != (b.access.Kind == summary.Append) {
				continue
			}
			codes, ok := l.parallel(a, b)
			if !ok {
				continue
			}
			n.Pairs++
			switch shared(a, b) {
			case exact:
				n.Locks++
				continue
			case field:
				codes = append(codes, "same-lock-field")
			}
			if judged[pairs.Positions(a.access, b.access)] {
				codes = append(codes, "ordered-in-frame")
			}
			if a.access.Loc.Object().Kind != path.Global && !l.oneObject(a, b, guard) {
				codes = append(codes, "other-instance")
			}
			out = append(out, &pairs.Warning{Frame: a.fn, A: a.access, B: b.access, Codes: codes, Other: b.fn, RootA: l.name(a), RootB: l.name(b),
				HeldA: a.held(), HeldB: b.held()})
		}
	}
	return out
}

// held lists the locks of the context, as far as they have a name.
func (s *site) held() []string {
	var out []string
	for l := range s.locks {
		if !slices.ContainsFunc(slices.Collect(maps.Keys(s.access.Locks.Plus)), func(n *path.Node) bool { return n.Key() == l }) {
			out = append(out, l)
		}
	}
	slices.Sort(out)
	return out
}

// name says from which root a site is reached.
func (l *linker) name(s *site) string {
	r := l.roots[s.roots[0]]
	for _, i := range s.roots {
		if l.roots[i].kind == spawned {
			r = l.roots[i]
			break
		}
	}
	return r.fn
}

// parallel finds two roots that may run at once (R2, R3), with the reasons that speak against it.
func (l *linker) parallel(a, b *site) (codes []string, ok bool) {
	best := -1
	for _, i := range a.roots {
		for _, j := range b.roots {
			c, can := l.atOnce(i, j, a, b)
			if can && (best < 0 || len(c) < best) {
				codes, best, ok = c, len(c), true
			}
			if best == 0 {
				return codes, ok
			}
		}
	}
	return codes, ok
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
	for _, s := range []struct {
		root root
		site *site
	}{{r, a}, {q, b}} {
		if s.root.kind == first && !s.site.forked {
			return nil, false // (R3)
		}
	}
	switch {
	case r.kind == spawned || q.kind == spawned:
		if i == j && !r.many {
			return []string{"one-root"}, true
		}
		return nil, true
	case r.kind == exported && q.kind == exported:
		if !l.active[r.home] || r.home == "" || r.home != q.home {
			return []string{"open-world"}, true
		}
		return nil, true
	}
	return nil, false
}

type guardKind int

const (
	none  guardKind = iota
	field           // only the classes agree
	exact
)

// shared finds a lock that keeps the two sites apart (R5).
func shared(a, b *site) guardKind {
	found := none
	for l, m := range a.locks {
		for k, o := range b.locks {
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

// relation is how a lock lies to a path: the steps from the deepest object that both have. "" if there is none.
func relation(lock, p string) string {
	toLock, toMemory, ok := guard.Relation(lock, p)
	if !ok {
		return ""
	}
	return toLock + "|" + toMemory
}

// majority is the class of the lock that most sites hold, "" if none is held at half of them.
func majority(sites []*site) string {
	count := map[string]int{}
	best := ""
	for _, s := range sites {
		for l := range s.locks {
			c := strings.TrimLeft(class(l), "?")
			count[c]++
			if count[c] > count[best] || count[c] == count[best] && c < best {
				best = c
			}
		}
	}
	if best == "" || count[best]*2 < len(sites) {
		return ""
	}
	return best
}

// oneObject says whether there is evidence that the two objects are one (R4).
func (l *linker) oneObject(a, b *site, guard string) bool {
	if guard != "" && (holds(a, guard) || holds(b, guard)) {
		return true
	}
	for _, s := range []*site{a, b} {
		t := typeOf(s.access.Loc.Class())
		for _, i := range s.roots {
			if r := l.roots[i]; r.kind == spawned && r.home != "" && r.home == t {
				return true
			}
		}
	}
	return false
}

func holds(s *site, guard string) bool {
	for l := range s.locks {
		if strings.TrimLeft(class(l), "?") == guard {
			return true
		}
	}
	return false
}
