package symbolic

import (
	"slices"

	"github.com/presage-race/presage/internal/static/path"
	"github.com/presage-race/presage/internal/static/summary"
)

// Export removes from a summary what only the function's own frame needs: accesses of its callees
// to its own objects. Its own accesses to objects that have escaped stay, for package link.
func Export(sum *summary.Function) {
	sum.Accesses = slices.DeleteFunc(sum.Accesses, func(a *summary.Access) bool {
		return a.Thread == 0 && a.Via != nil && a.Loc.Root().Kind == path.Alloc
	})
	sum.Outside = nil
	if sum.Whole {
		collapse(sum)
	}
	prune(sum)
}

// collapse keeps, of the accesses of a function, one read and one write of each argument, apart by
// whether they are to fields that are not exported: its callers use no more (SY2). Pairs inside
// such functions are not reported. A function that takes a lock of an argument is safe to call at
// once on it, also where it holds no lock.
func collapse(sum *summary.Function) {
	type key struct {
		root         *path.Node
		kind         summary.Kind
		elem, hidden bool
	}
	seen, safe := map[key]bool{}, nodes{}
	type side struct {
		root   *path.Node
		writes bool
	}
	open := map[side]bool{} // an exported field, or one that is not known, is accessed
	for _, a := range sum.Accesses {
		if !hidden(a.Loc) {
			open[side{a.Loc.Root(), a.Kind.Writes()}] = true
		}
	}
	for _, a := range sum.Accesses {
		for l := range a.Locks.Plus {
			if r := l.Root(); l.Formal() && l.Loads() == 0 && a.Loc.Root() == r {
				safe[r] = true
			}
		}
	}
	sum.Accesses = slices.DeleteFunc(sum.Accesses, func(a *summary.Access) bool {
		if safe[a.Loc.Root()] {
			return true
		}
		if a.Thread > 0 || !a.Loc.Formal() || len(a.Locks.Plus) > 0 || a.Kind.Atomic() || a.Loc.Loads() > 1 {
			return true
		}
		a.Hidden = !sum.Partial && !open[side{a.Loc.Root(), a.Kind.Writes()}]
		k := key{a.Loc.Root(), a.Kind, a.Loc.Kind == path.Elem && a.Loc.Base.Base == nil, a.Hidden}
		if seen[k] {
			return true
		}
		seen[k] = true
		return false
	})
	sum.Holes = slices.DeleteFunc(sum.Holes, func(h summary.Hole) bool { return h.Method != "" && !h.Go || h.Thread > 0 })
	sum.Edges, sum.Releases = nil, slices.DeleteFunc(sum.Releases, func(r summary.Release) bool { return r.Thread > 0 })
	if len(sum.Spawns) > 0 {
		sum.Spawns = nil
	}
}

// hidden reports whether a location lies in a field of a formal's struct that only the struct's
// package can name.
func hidden(loc *path.Node) bool {
	for n := loc; n != nil; n = n.Base {
		if n.Kind == path.Field && n.Base.Base == nil {
			return !n.Exported()
		}
	}
	return false
}
