package link

import (
	"slices"

	"github.com/presage-race/presage/internal/static/evidence/promise"
)

// maxAlike is the number of roots of one kind and home that are kept: two are enough to run beside
// each other.
const maxAlike = 2

// like is what roots that are alike have in common.
type like struct {
	kind        kind
	many, given bool
	expected    promise.Verdict
	home        string
	in          processes
}

// alikeness numbers what roots have in common: contexts are met millions of times.
type alikeness struct {
	numbers map[like]int
	of      []int   // by root; -1 is not known yet
	seen    []uint8 // by number, while roots are counted
}

// number is that of what a root has in common with those that are alike.
func (ct *contextTable) number(i int) int {
	a := &ct.alike
	for len(a.of) <= i {
		a.of = append(a.of, -1)
	}
	if a.of[i] < 0 {
		r := ct.roots[i]
		k := like{r.kind, r.many, r.given, ct.expected[r.fn], r.home, r.in}
		if r.kind >= exported && ct.reach.inside(r.fn) {
			k.home = "" // all of them are weak (LI6)
		}
		n, ok := a.numbers[k]
		if !ok {
			n = len(a.numbers)
			a.numbers[k] = n
			a.seen = append(a.seen, 0)
		}
		a.of[i] = n
	}
	return a.of[i]
}

// addRoots adds roots to a context; it reports whether that changes anything. Of roots that are
// alike the first two stay.
func (ct *contextTable) addRoots(c *context, roots []int) bool {
	a := &ct.alike
	all := sortedUnion(c.roots, roots)
	out := all[:0]
	for _, i := range all {
		if n := ct.number(i); a.seen[n] < maxAlike {
			a.seen[n]++
			out = append(out, i)
		}
	}
	for _, i := range out {
		a.seen[a.of[i]] = 0
	}
	if slices.Equal(out, c.roots) {
		return false
	}
	c.roots = slices.Clip(out)
	return true
}

// sortedUnion is the union of two sorted lists.
func sortedUnion(a, b []int) []int {
	out := make([]int, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		switch {
		case a[0] < b[0]:
			out, a = append(out, a[0]), a[1:]
		case a[0] > b[0]:
			out, b = append(out, b[0]), b[1:]
		default:
			out, a, b = append(out, a[0]), a[1:], b[1:]
		}
	}
	return append(append(out, a...), b...)
}
