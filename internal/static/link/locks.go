package link

import (
	"strings"

	"github.com/presage-race/presage/internal/static/guard"
	"github.com/presage-race/presage/internal/static/lockset"
)

type guardKind int

// shared finds a lock that keeps the two sites apart (LI4).
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

const (
	none  guardKind = iota
	field           // only the classes agree
	exact
)
