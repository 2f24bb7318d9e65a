package static

import (
	"maps"
	"slices"
	"strings"

	"github.com/presage-race/presage/internal/static/guard"
	"github.com/presage-race/presage/internal/static/lockset"
	"github.com/presage-race/presage/internal/static/summary"
)

// caller is a call as its callee sees it.
type caller struct {
	fn    string
	pos   summary.Pos
	locks []string // classes of those that are held at the call
}

// maxCallers bounds the functions in which a chain is looked for: those that no known call leads to
// would have all looked at.
const maxCallers = 5000

// rooted is a chain, and the root that it begins with.
type rooted struct {
	calls []caller
	root  string
}

// chain returns the calls that lead to a function from a root, innermost first: from the root of
// that name, or, if root is "", from the nearest one; and the root's name. Without a chain of known
// calls, or beyond maxCallers, it is empty, and the root as given.
//
// At none of the calls a lock is held whose class is not in held, if there is such a chain; nil
// asks for nothing. Breadth first against the calls: the chain has the fewest calls, and among
// these is the first by name and place.
func (r *Result) chain(fn, root string, held []string) ([]caller, string) {
	if r.callers == nil {
		r.callers, r.starts = callers(r.sums, r.calls)
		r.chains = map[[2]string]rooted{}
	}
	k := [2]string{fn, root + " " + strings.Join(held, " ")}
	w, known := r.chains[k]
	if !known {
		w = r.search(fn, root, held)
		if len(w.calls) == 0 && held != nil {
			w = r.search(fn, root, nil)
		}
		r.chains[k] = w
	}
	return w.calls, w.root
}

// class is the last field of a lock's key, with its type, or the whole key.
func class(lock string) string { return strings.TrimPrefix(guard.LastStep(lock), "!") }

func (r *Result) search(fn, root string, held []string) rooted {
	ends := func(k string) bool { return k == root || root == "" && r.roots[k] != "" }
	type step struct {
		fn   string
		call *caller
		from *step
	}
	seen := map[string]bool{fn: true}
	for queue := []*step{{fn: fn}}; len(queue) > 0 && len(seen) < maxCallers; queue = queue[1:] {
		s := queue[0]
		if ends(s.fn) {
			var out []caller
			for ; s.call != nil; s = s.from {
				out = append(out, *s.call)
			}
			slices.Reverse(out)
			return rooted{out, queue[0].fn}
		}
		for _, c := range r.callers[s.fn] {
			other := func(lock string) bool { return !slices.Contains(held, lock) }
			if !seen[c.fn] && (held == nil || !slices.ContainsFunc(c.locks, other)) {
				seen[c.fn] = true
				queue = append(queue, &step{c.fn, &c, s})
			}
		}
	}
	return rooted{nil, root}
}

// callers turns the calls around, those that link has found among them. Calls that goroutines make
// are left out: their callees are roots. starts are, of a function that goroutines
// begin with, one of the places where one is started: one that starts several, if there is one.
func callers(sums map[string]*summary.Function, found map[string][]summary.Edge) (out map[string][]caller, starts map[string]*summary.Spawn) {
	out, starts = map[string][]caller{}, map[string]*summary.Spawn{}
	for _, k := range slices.Sorted(maps.Keys(sums)) {
		for _, edges := range [][]summary.Edge{sums[k].Edges, found[k]} {
			for _, e := range edges {
				// of a go statement whose function only link knows
				s := &summary.Spawn{Pos: e.Pos, Func: e.Callee}
				switch {
				case e.Thread == 0:
					out[e.Callee] = append(out[e.Callee], caller{k, e.Pos, classes(e.Locks.Plus)})
					continue
				case e.Thread > 0:
					s = sums[k].Spawns[e.Thread-1]
				}
				if old := starts[e.Callee]; old == nil || s.Many && !old.Many {
					starts[e.Callee] = s
				}
			}
		}
	}
	return out, starts
}

// classes lists the classes of locks, sorted.
func classes(locks lockset.Set) []string {
	out := []string{}
	for l := range locks {
		out = append(out, class(l.Key()))
	}
	slices.Sort(out)
	return slices.Compact(out)
}
