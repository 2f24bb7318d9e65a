package link

import (
	"slices"
	"strings"

	"github.com/presage-race/presage/internal/static/order"
	"github.com/presage-race/presage/internal/static/path"
	"github.com/presage-race/presage/internal/static/summary"
)

// testOrder decides which tests may run at once.
type testOrder struct {
	contexts *contextTable
	pairs    map[[2]int]bool // of roots, as far as they are known
}

// setApart reports whether Parallel may have been called of a t that the function is given.
func setApart(c order.Counts) bool {
	for o := range c {
		if o.Kind == path.Token && o.Name == "parallel" && o.Formal() {
			return true
		}
	}
	return false
}

// mayCallParallel reports whether the function of a test may call Parallel.
func mayCallParallel(f *summary.Function) bool { return setApart(f.Total) }

// after reports whether an access comes after a call of Parallel in its function.
func after(a *summary.Access) bool { return setApart(a.Sync.Released) }

// binary is the package whose tests are one program.
func binary(pkg string) string { return strings.TrimSuffix(pkg, "_test") }

// runners are the tests that run a test, by their roots; other roots that call Run stand for
// themselves. Of a function of a package they are the package.
func (to *testOrder) runners(i int) []string {
	r := to.contexts.roots[i]
	if r.by == "" {
		return []string{"package " + r.home}
	}
	var out []string
	for _, c := range to.contexts.of[r.by] {
		for _, j := range c.roots {
			q := to.contexts.roots[j]
			if q.kind == apart {
				q = to.contexts.roots[q.test]
			}
			out = append(out, q.fn)
		}
	}
	return out
}

// branches are the test, and those of its ancestors, up to the package, that may be set apart.
func (to *testOrder) branches(i int) []int {
	out := []int{i}
	for n := 0; n < len(out); n++ {
		r := to.contexts.roots[out[n]]
		if r.by == "" {
			continue
		}
		for _, c := range to.contexts.of[r.by] {
			for _, j := range c.roots {
				switch q := to.contexts.roots[j]; {
				case q.kind == test && q.rest > 0 && !slices.Contains(out, q.rest):
					out = append(out, q.rest)
				case q.kind == apart && !slices.Contains(out, j):
					out = append(out, j)
				}
			}
		}
	}
	return out
}

// together reports whether two tests may run at once: they, or tests that run them, are run by one
// test, and both are set apart (LI8).
func (to *testOrder) together(i, j int) bool {
	k := [2]int{min(i, j), max(i, j)}
	if _, known := to.pairs[k]; !known {
		to.pairs[k] = to.runTogether(i, j)
	}
	return to.pairs[k]
}

func (to *testOrder) runTogether(i, j int) bool {
	for _, x := range to.branches(i) {
		for _, y := range to.branches(j) {
			if x == y && !to.contexts.roots[x].many {
				continue
			}
			if x == y || slices.ContainsFunc(to.runners(x), func(r string) bool { return slices.Contains(to.runners(y), r) }) {
				return true
			}
		}
	}
	return false
}
