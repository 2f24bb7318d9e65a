package report

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// Group returns the races in groups: two races are in one if they are on one variable, or have an
// access at one source line in common, or if a chain of such races leads from one to the other. The
// surest races come first, in a group and among groups, and of those that are as sure the ones with
// the worst effect. It takes O(n log n) for n races.
func Group(races []*Race) [][]*Race {
	parent := make([]int, len(races))
	var root func(i int) int
	root = func(i int) int {
		if parent[i] != i {
			parent[i] = root(parent[i])
		}
		return parent[i]
	}
	first := map[string]int{} // the first race with a variable or line
	for i, r := range races {
		parent[i] = i
		for _, k := range shares(r) {
			if j, ok := first[k]; ok {
				parent[root(i)] = root(j)
			} else {
				first[k] = i
			}
		}
	}
	by := map[int]int{}
	var groups [][]*Race
	for i, r := range races {
		k, ok := by[root(i)]
		if !ok {
			k = len(groups)
			by[root(i)] = k
			groups = append(groups, nil)
		}
		groups[k] = append(groups[k], r)
	}
	worse := func(a, b *Race) int {
		return cmp.Or(cmp.Compare(a.Tier.rank(), b.Tier.rank()), cmp.Compare(a.Holds.rank(), b.Holds.rank()))
	}
	for _, g := range groups {
		slices.SortStableFunc(g, worse)
	}
	slices.SortStableFunc(groups, func(a, b []*Race) int { return worse(a[0], b[0]) })
	return groups
}

// shares are what a race has in common with others of its group. Of an access inside code that was
// not recorded, that is the call: all lists of a program share the lines of container/list.
func shares(r *Race) (keys []string) {
	for _, a := range []*Access{&r.A, &r.B} {
		switch c := a.caller(); {
		case c != nil:
			keys = append(keys, "call "+c.Position.String())
		case a.Line > 0:
			keys = append(keys, fmt.Sprintf("line %s %d", a.File, a.Line))
		}
	}
	if r.Object != "" {
		keys = append(keys, "object "+r.Object+" "+r.scope())
	}
	return keys
}

// scope is where the name of the race's object is that of one variable, or of one field: the
// function of a variable that closures capture, the file of an element, the package of others.
func (r *Race) scope() string {
	switch {
	case strings.HasPrefix(r.Object, "captured "):
		outer, _, _ := strings.Cut(r.A.Func, ".func")
		return outer
	case strings.HasPrefix(r.Object, "element "):
		return r.A.File
	}
	return filepath.Dir(r.A.File)
}
