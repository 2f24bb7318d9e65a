package link

import (
	"maps"
	"slices"
	"strings"

	"github.com/presage-race/presage/internal/static/guard"
	"github.com/presage-race/presage/internal/static/lockset"
	"github.com/presage-race/presage/internal/static/pairs"
	"github.com/presage-race/presage/internal/static/path"
	"github.com/presage-race/presage/internal/static/summary"
)

// siteTable gathers the accesses of all functions in all their contexts, by class.
type siteTable struct {
	prog     *program
	reach    *reach
	contexts *contextTable
	waiting  *waiting
	guards   *guard.Table
	order    []string // the classes in the order in which they were found
	classes  map[string][]*site
	broken   map[string]bool // classes of locks, with the ends of their names
	wholes   *wholes
	roomy    map[string]bool // classes of memory in which slices may have room
}

func newSiteTable(prog *program, re *reach, ct *contextTable, wt *waiting) *siteTable {
	return &siteTable{prog: prog, reach: re, contexts: ct, waiting: wt, guards: &guard.Table{}, classes: map[string][]*site{}, broken: map[string]bool{}}
}

// Suffixes of the names of locks that are no mutexes: an atomic flag (SY4), and a Once while its
// function runs.
const (
	turn  = "#turn"
	doing = "#doing"
)

// findBroken finds the classes of locks that exclude nothing (LI4), and removes them from the locks
// of the sites.
func (si *siteTable) findBroken() {
	for _, sites := range si.classes {
		for _, s := range sites {
			switch k := s.access.Kind; {
			case s.part, si.initialises(s):
			case k == summary.Write:
				for _, end := range []string{"", turn, doing} {
					si.broken[class(s.path)+end] = true
				}
			case k == summary.AtomicWrite && !s.access.Sets:
				if _, held := s.locks[s.path+turn]; !held {
					si.broken[class(s.path)+turn] = true
				}
			}
		}
	}
	broken := func(lock string, _ lockset.Mode) bool { return si.isBroken(lock) }
	for _, sites := range si.classes {
		for _, s := range sites {
			for lock := range s.locks {
				if lies := relation(lock, s.path); lies != "" && si.isBroken(lock) {
					s.broken = append(s.broken, lies)
				}
			}
			maps.DeleteFunc(s.locks, broken)
			if len(s.lent) > 0 {
				s.lent = maps.Clone(s.lent)
				maps.DeleteFunc(s.lent, broken)
			}
		}
	}
}

// isBroken reports whether a lock excludes nothing.
func (si *siteTable) isBroken(lock string) bool {
	return si.broken[class(strings.TrimPrefix(lock, "?"))]
}

// tried reports whether both sites hold a lock that is meant for the memory and excludes nothing.
func tried(a, b *site) bool {
	return slices.ContainsFunc(a.broken, func(lies string) bool { return slices.Contains(b.broken, lies) })
}

// initialises reports whether only package initialisation makes an access.
func (si *siteTable) initialises(s *site) bool {
	return !slices.ContainsFunc(s.roots, func(i int) bool { return si.contexts.roots[i].kind != initial })
}

// located is an access with the path that other functions have for its memory. An object that the
// function has made and stored is named from there (SY3); a variable that a handler has captured is
// named by its function (LI3).
func (si *siteTable) located(f *summary.Function, a *summary.Access) *summary.Access {
	if a.Stored != nil {
		from := *a
		from.Loc, from.Kept = a.Stored, false
		return &from
	}
	if a.Loc.Root().Kind != path.Free || comparable(a.Loc) || !si.handler(f.Key) {
		return a
	}
	table, outer := path.NewTable(), f.Key[:strings.IndexByte(f.Key, '$')]
	variable := func(n *path.Node) *path.Node {
		if n.Kind != path.Free || int(n.Index) >= len(f.Names.Free) {
			return nil
		}
		return table.Root(path.Global, 0, outer+"."+f.Names.Free[n.Index], n.Type)
	}
	node := func(n *path.Node) *path.Node {
		return table.Subst(n, variable, func(addr *path.Node, typ string) *path.Node { return table.Load(addr, typ) })
	}
	named := *a
	named.Loc, named.Locks = node(a.Loc), lockset.Relative{Plus: a.Locks.Plus.Map(node), Minus: a.Locks.Minus.Map(node)}
	return &named
}

// handler reports whether a function is a literal that a library calls for requests and events, or
// that only unknown calls reach.
func (si *siteTable) handler(key string) bool {
	return strings.Contains(key, "$") && slices.ContainsFunc(si.contexts.of[key], func(c *context) bool {
		return slices.ContainsFunc(c.roots, func(i int) bool {
			r := si.contexts.roots[i]
			return r.fn == key && (r.kind == spawned && r.spawn == nil && r.by == key || r.kind == unknown)
		})
	})
}

// isCut reports whether the location is an element of a slice of a field or variable that is cut
// somewhere: an append writes where something else was.
func (si *siteTable) isCut(loc *path.Node) bool {
	return loc.Kind == path.Elem && loc.Base.Kind == path.Load && slices.ContainsFunc(si.classes[loc.Base.Base.Class()], func(s *site) bool { return s.access.Cuts })
}

// hasRoom reports whether the location is an element of a slice of a field or variable that may
// have room behind its length: an append has made it somewhere.
func (si *siteTable) hasRoom(loc *path.Node) bool {
	return loc.Kind == path.Elem && loc.Base.Kind == path.Load && si.roomy[loc.Base.Base.Class()]
}

// comparable reports whether the class of a location means something outside its frame.
func comparable(n *path.Node) bool {
	c := n.Class()
	return !strings.HasPrefix(c, "(") && !strings.HasPrefix(c, "*(") && !strings.HasPrefix(c, "alloc ") && !strings.Contains(c, "alloc ") &&
		!strings.HasPrefix(c, "struct.") && !strings.Contains(c, "chan.state") && !strings.Contains(c, "(")
}

// site is an access in one context of its function.
type site struct {
	access *summary.Access
	fn     *summary.Function
	locks  locks
	path   string
	// the steps from an object of the root, its home without a label, with a leading point; "" if
	// it is not below that (LI3)
	self   string
	led    bool // a pointer in the object of the root led a caller here (LI3)
	roots  []int
	forked bool
	part   bool // the access is to a part of the memory at path (LI3)
	merged bool // the context is merged from several (LI5)
	fresh  bool // the object that leads here is owned (LI5)
	loc    *path.Node
	ctx    *context
	flags  *[2][]seen // zero and set (LI7), once they are known
	lent   locks      // lent by the function that waits for the goroutine (LI7)
	after  waits      // objects that were waited for before (LI7)
	until  waits      // objects that the goroutine has yet to release (LI7)
	in     processes  // the commands that reach the function (LI6)
	// relations to the memory of locks that it holds and that exclude nothing (LI4)
	broken []string
	makers []maker // that have not published the object (LI9)
}

// site puts an access into a context, as one to loc, which holds the memory; nil if the object is
// owned there (LI5).
func (si *siteTable) site(f *summary.Function, a *summary.Access, loc *path.Node, c *context) *site {
	p := loc.Key()
	if passes(c, p) {
		return nil
	}
	s := &site{access: a, fn: f, path: p, locks: locks{}, forked: c.forked, part: loc != a.Loc, merged: c.merged, roots: c.roots, loc: loc, ctx: c, in: si.reach.by[f.Key]}
	_, s.fresh = leads(c.owned, p)
	s.fresh = s.fresh || a.Inside
	s.makers = keepers(a, loc, c)
	if after(a) {
		s.roots = si.contexts.apart(c.roots)
	}
	for _, f := range c.self {
		if o := parseOwn(f); within(p, o.formal) {
			s.self, s.led = o.label+"."+o.steps+p[len(o.formal):], strings.Contains(o.steps, "*")
		}
	}
	s.after, s.until = si.waiting.waitsAt(c, a)
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

// weak lists codes that follow from the two accesses and their contexts alone.
func (s *site) weak(o *site, roomy bool) []string {
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
	if pairs.NoRoom(s.access, o.access) && (s.access.Back || o.access.Back || !roomy) {
		codes = append(codes, "append-append")
	}
	return codes
}

// makes reports whether the access is to an object that the function itself makes, before a
// goroutine is started there (LI5).
func (s *site) makes() bool {
	for o := range s.access.Sync.Released {
		if o.Kind == path.Token && o.Base == nil {
			return false
		}
	}
	r := s.access.Loc.Root()
	return r.Kind == path.Alloc && !strings.Contains(r.Name, "@") && s.access.Loc.Loads() == 0
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

// elsewhere reports whether a Once lies outside the object that has the last field of the path
// (LI7).
func elsewhere(once, p string) bool {
	_, down, ok := guard.Relation(once, p)
	return !ok || strings.Contains(down[:max(0, strings.LastIndexByte(down, '!'))], "*")
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

// majority is the class of the lock that most sites hold, "" if none is held at half of them. Only
// locks count that are package-level variables or lie with the memory (LI4): a lock of some
// caller's object guards that object.
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

// keepers are the makers that have not published the object of an access: its own function, or
// those of the context.
func keepers(a *summary.Access, loc *path.Node, c *context) []maker {
	if a.Kept && loc.Loads() == 0 {
		return []maker{{fn: a.Func, before: strings.Join(tokens(a.Sync.Released), "\n")}}
	}
	if _, ok := leads(c.kept, loc.Key()); ok {
		return c.makers
	}
	return nil
}

// gather makes the sites, and finds which locks exclude nothing.
func (si *siteTable) gather(keys []string, n *Counts) {
	si.wholes, si.roomy = findWholes(si.prog, keys), map[string]bool{}
	for _, k := range keys {
		for _, c := range si.prog.sums[k].Roomy {
			si.roomy[c] = true
		}
	}
	for _, k := range keys {
		f := si.prog.sums[k]
		for _, a := range ownText(f) {
			a = si.located(f, a)
			for _, ctx := range si.contexts.of[k] {
				n.Sites += si.add(f, a, ctx)
			}
		}
	}
	si.findBroken()
}

// ownText are the accesses of a function's own text, in its caller's goroutine, if they are
// reported.
func ownText(f *summary.Function) []*summary.Access {
	var out []*summary.Access
	for _, a := range f.Accesses {
		if f.Target && a.Via == nil && a.Thread <= 0 {
			out = append(out, a)
		}
	}
	return out
}

// add makes the sites of an access in a context: of its own location, and of the structs and arrays
// that contain it. It returns how many there are.
func (si *siteTable) add(f *summary.Function, a *summary.Access, ctx *context) (n int) {
	put := func(c string, loc *path.Node) {
		s := si.site(f, a, loc, ctx)
		if s == nil {
			return
		}
		if si.classes[c] == nil {
			si.order = append(si.order, c)
		}
		si.classes[c] = append(si.classes[c], s)
		if !s.part && !a.Taken {
			si.guards.Use(c, s.path, a, s.locks)
		}
		n++
	}
	for loc := a.Loc; ; loc = loc.Base {
		if comparable(loc) {
			put(loc.Class(), loc)
		}
		if loc.Kind != path.Field && loc.Kind != path.Elem || loc.Base.Kind != path.Field && loc.Base.Kind != path.Elem && loc.Base.Kind != path.Global {
			if c, object := si.wholes.of(a, loc); c != "" {
				put(c, object)
			}
			return n
		}
	}
}
