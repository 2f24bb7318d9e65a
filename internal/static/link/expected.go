package link

import (
	"slices"

	"github.com/presage-race/presage/internal/static/evidence/promise"
	"github.com/presage-race/presage/internal/static/path"
	"github.com/presage-race/presage/internal/static/summary"
)

// findExpected finds how many goroutines the makers of types expect in their methods (LI1),
// where the world is open.
func (ct *contextTable) findExpected(keys []string, promises []*promise.Package) {
	passed := map[string]bool{}
	for _, k := range keys {
		for i := range ct.prog.sums[k].Holes {
			if h := &ct.prog.sums[k].Holes[i]; h.Pos.Func == k && passesHolder(h) {
				passed[h.Iface] = true
			}
		}
	}
	ct.expected = promise.Expected(promises, func(iface string) bool { return passed[iface] })
	for k := range ct.reach.commanded {
		delete(ct.expected, k)
	}
	ct.alike.of = nil // what is expected is part of what roots have in common
}

// passesHolder reports whether a call of an interface's method passes the object from which the
// interface's value is read (LI1).
func passesHolder(h *summary.Hole) bool {
	if h.Method == "" || h.Value == nil || h.Value.Kind != path.Load || h.Value.Base.Kind != path.Field {
		return false
	}
	for n := h.Value.Base.Base; n != nil; n = n.Base {
		if slices.Contains(h.Args, n) {
			return true
		}
	}
	return false
}

// expects reports whether as many goroutines are expected in both roots.
func (ct *contextTable) expects(v promise.Verdict, r, q root) bool {
	return ct.expected[r.fn] == v && ct.expected[q.fn] == v
}
