package link

import (
	"slices"
	"strings"

	"github.com/presage-race/presage/internal/static/guard"
	"github.com/presage-race/presage/internal/static/lockset"
	"github.com/presage-race/presage/internal/static/summary"
)

// flagOrder decides which accesses a flag orders.
type flagOrder struct {
	prog     *program
	contexts *contextTable
	sites    *siteTable
	known    map[string]facts           // of a function: what was seen on every path that enters it
	guarding map[string]map[string]bool // of a flag's class, the locks that guard it
}

// seen is a flag that a goroutine has seen before it makes an access (LI7).
type seen struct {
	class string // of the flag
	lies  string // how the flag lies to the memory
	lock  string // how the lock lies to the flag
}

// fact is a flag that has been seen whenever a function is entered.
type fact struct {
	class string
	flag  string // its path, in the function's terms
	held  string // of one that is zero: the lock, in the function's terms
	lock  string // how the lock lies to the flag
	set   bool
}

type facts = map[fact]bool

func newFlagOrder(prog *program, ct *contextTable, sites *siteTable) *flagOrder {
	fo := &flagOrder{prog: prog, contexts: ct, sites: sites, guarding: map[string]map[string]bool{}}
	fo.findKnown()
	return fo
}

// flagged reports whether a comes before b because of a flag that a has seen zero, under a lock
// that it still holds, and b has seen set (LI7).
func (fo *flagOrder) flagged(a, b *site) bool {
	if !fo.mayKnow(a) || !fo.mayKnow(b) {
		return false
	}
	zero, set := fo.seen(a)[0], fo.seen(b)[1]
	return slices.ContainsFunc(zero, func(s seen) bool { return slices.Contains(set, s) && fo.flagLocks(s.class)[s.lock] })
}

// mayKnow reports whether anything may be known of flags where the site is.
func (fo *flagOrder) mayKnow(s *site) bool {
	return len(s.access.Flags) > 0 || len(fo.known[s.fn.Key]) > 0
}

// seen lists the flags that a site has seen zero, and those that it has seen set.
func (fo *flagOrder) seen(s *site) [2][]seen {
	if s.flags != nil {
		return *s.flags
	}
	var out [2][]seen
	add := func(set bool, class, lies, lock string) {
		i := 0
		if set {
			i = 1
		}
		if lies != "" && lock != "" {
			out[i] = append(out[i], seen{class, lies, lock})
		}
	}
	for _, g := range s.access.Flags {
		key, lies := g.Addr.Key(), "|"
		if g.Addr != s.loc {
			lies = between(g.Addr.Key(), s.path)
		}
		minus := g.Locks.Minus
		if !g.Set {
			minus = s.access.Locks.Minus
		}
		for n := range g.Locks.Plus {
			add(g.Set, g.Addr.Class(), lies, between(n.Key(), key))
		}
		for name := range s.ctx.locks {
			if !released(name, minus) && !released(name, s.access.Locks.Plus) && !released(name, g.Locks.Plus) {
				add(g.Set, g.Addr.Class(), lies, between(name, key))
			}
		}
	}
	for f := range fo.known[s.fn.Key] {
		if f.set || s.ctx.locks[f.held] > 0 && !released(f.held, s.access.Locks.Minus) && !released(f.held, s.access.Locks.Plus) {
			add(f.set, f.class, between(f.flag, s.path), f.lock)
		}
	}
	s.flags = &out
	return out
}

// between is how a path lies to another one: the steps from the deepest object that both have, or
// the path itself if it is a package-level variable. "" if that is not known: which element of a
// slice or map it is would not be.
func between(p, q string) string {
	if p[0] == '@' {
		return p
	}
	up, down, ok := guard.Relation(p, q)
	if !ok || strings.Contains(p, "[]") {
		return ""
	}
	return up + "|" + down
}

// flagLocks are the locks that guard the flags of a class, by how they lie to it (LI7).
func (fo *flagOrder) flagLocks(class string) map[string]bool {
	if out, ok := fo.guarding[class]; ok {
		return out
	}
	fo.guarding[class] = nil // a flag that guards itself
	var out map[string]bool
	for _, s := range fo.sites.classes[class] {
		if !s.access.Kind.Writes() {
			continue
		}
		now := map[string]bool{}
		for name, m := range s.locks {
			if lies := between(name, s.path); lies != "" && m == lockset.Write && (s.access.Sets || fo.whileZero(s, lies)) && (out == nil || out[lies]) {
				now[lies] = true
			}
		}
		out = now
	}
	fo.guarding[class] = out
	return out
}

// whileZero reports whether the site writes what it has seen zero under the lock.
func (fo *flagOrder) whileZero(s *site, lock string) bool {
	return slices.ContainsFunc(fo.seen(s)[0], func(z seen) bool {
		return z.lies == "|" && z.lock == lock && z.class == s.loc.Class()
	})
}

// findKnown computes for each function what was seen of flags on every path that enters it.
func (fo *flagOrder) findKnown() {
	fo.known = map[string]facts{}
	var work []string
	for _, r := range fo.contexts.roots {
		if (r.kind != spawned || r.spawn == nil) && !strings.HasSuffix(r.fn, boundSuffix) {
			// a method value is called where it is known to come to
			fo.known[r.fn] = facts{}
			work = append(work, r.fn)
		}
	}
	for len(work) > 0 {
		key := work[len(work)-1]
		work = work[:len(work)-1]
		for _, e := range fo.prog.calls(key) {
			if fo.prog.sums[e.Callee] == nil {
				continue
			}
			there, entered := fo.known[e.Callee]
			now := facts{}
			if !entered || len(there) > 0 {
				now = handed(fo.known[key], &e)
			}
			n := len(now)
			if entered {
				n = len(there)
				for f := range now {
					if !there[f] {
						delete(now, f)
					}
				}
			}
			if !entered || len(now) < n {
				fo.known[e.Callee] = now
				work = append(work, e.Callee)
			}
		}
	}
}

// handed is what the callee of a call knows of flags, in its own terms.
func handed(of facts, e *summary.Edge) facts {
	out := facts{}
	if len(of) == 0 && len(e.Flags) == 0 {
		return out
	}
	c := named(e)
	add := func(f fact) {
		f.flag = rename(f.flag, c)
		if _, above := guard.ParseAbove(f.flag); f.flag[0] == '?' && !above || f.lock == "" || !f.set && e.Thread != 0 {
			return
		}
		if !f.set {
			f.held = rename(f.held, c)
		}
		out[f] = true
	}
	for f := range of {
		if f.set || !released(f.held, e.Locks.Minus) && !released(f.held, e.Locks.Plus) {
			add(f)
		}
	}
	for _, g := range e.Flags {
		for n := range g.Locks.Plus {
			f := fact{class: g.Addr.Class(), flag: g.Addr.Key(), lock: between(n.Key(), g.Addr.Key()), set: g.Set}
			if !g.Set {
				f.held = n.Key()
			}
			add(f)
		}
	}
	return out
}
