package link

import (
	"github.com/presage-race/presage/internal/static/lockset"
	"github.com/presage-race/presage/internal/static/pairs"
	"github.com/presage-race/presage/internal/static/summary"
)

// frames judges again what a frame has found (LI4): its callers may hold the lock that the one side
// lacks. It returns the warnings that stay.
func (co *comparison) frames(found []*pairs.Warning, n *Counts) []*pairs.Warning {
	var out []*pairs.Warning
	at := map[summary.Pos][]*site{}
	for _, sites := range co.sites.classes {
		for _, s := range sites {
			if !s.part && len(found) > 0 {
				at[s.access.Pos] = append(at[s.access.Pos], s)
			}
		}
	}
	for _, w := range found {
		if co.allFlagged(at[w.A.Pos], at[w.B.Pos]) {
			n.Ordered++
			continue
		}
		contexts := co.contexts.of[w.Frame.Key]
		guard := exact
		for _, c := range contexts {
			guard = min(guard, co.common(c, w.A, w.B))
		}
		switch {
		case len(contexts) > 0 && guard == exact:
			n.Locks++
			continue
		case len(contexts) > 0 && guard == field:
			w.Codes = append(w.Codes, "same-lock-field")
		}
		out = append(out, w)
	}
	return out
}

// allFlagged reports whether a flag orders two accesses however they are reached (LI7).
func (co *comparison) allFlagged(as, bs []*site) bool {
	for _, a := range as {
		for _, b := range bs {
			if !co.flags.flagged(a, b) && !co.flags.flagged(b, a) {
				return false
			}
		}
	}
	return len(as) > 0 && len(bs) > 0
}

// common finds a lock that one access of a frame holds, and the other because the frame is entered
// in the context: locks of the context belong to the goroutine that enters it.
func (co *comparison) common(c *context, a, b *summary.Access) guardKind {
	if a.Thread > 0 {
		a, b = b, a
	}
	if a.Thread > 0 || b.Thread == 0 {
		return none
	}
	found := none
	for name, m := range c.locks {
		if released(name, a.Locks.Minus) || co.sites.isBroken(name) {
			continue
		}
		for n, p := range b.Locks.Plus {
			switch k := n.Key(); {
			case m != lockset.Write && p != lockset.Write:
			case k == name && k[0] != '?':
				return exact
			case class(k) == class(name):
				found = field
			}
		}
	}
	return found
}
