package link

import (
	"fmt"
	"slices"
	"strings"

	"github.com/presage-race/presage/internal/static/order"
	"github.com/presage-race/presage/internal/static/path"
	"github.com/presage-race/presage/internal/static/summary"
)

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

// after reports whether an access stands behind a call of Parallel in its function.
func after(a *summary.Access) bool { return setApart(a.Sync.Released) }

// findTests makes two roots of each test that another one runs, if it may call Parallel: before
// that call and after it (R26).
func (l *linker) findTests(keys []string) {
	l.tests, l.same, l.pairsOfTests = map[string]int{}, map[string]uint32{}, map[[2]int]bool{}
	for _, k := range keys {
		for _, f := range l.sums[k].Flows {
			l.same[f.From] |= f.Same
		}
	}
	for _, k := range keys {
		f := l.sums[k]
		for _, e := range l.calls(k) {
			if !e.Test {
				continue
			}
			for i, n := range e.Free {
				if i < 32 && n != nil && !n.Root().Loop {
					l.same[e.Callee] |= 1 << i
				}
			}
			r := root{kind: test, fn: e.Callee, home: k, by: k}
			l.root(r, locks{}, l.captured(e.Callee))
			r.kind, r.many = apart, e.Loop
			if e.Thread > 0 {
				r.spawn = f.Spawns[e.Thread-1]
				r.many = r.spawn.Many
			}
			n := l.setApart(r)
			if r.spawn != nil {
				l.tests[statement(r.spawn.Token)] = n
			}
		}
	}
}

// captured lists what a literal has captured that is one for all its calls, with a label each
// (R27).
func (l *linker) captured(key string) []string {
	var out []string
	for i := range 32 {
		if l.same[key]&(1<<i) != 0 {
			out = append(out, fmt.Sprintf("^%d* %s^%d", i, key, i))
		}
	}
	slices.Sort(out)
	return out
}

// setApart adds the root of what the last root, a test, does after Parallel.
func (l *linker) setApart(r root) int {
	n := len(l.roots)
	r.test = n - 1
	l.roots[n-1].rest = n
	l.roots = append(l.roots, r)
	return n
}

// inTest enters what a test calls, after Parallel, through a value that a caller knows.
func (l *linker) inTest(k string, f *summary.Function, e *summary.Edge) {
	n, ok := l.tests[statement(f.Spawns[e.Thread-1].Token)]
	if !ok {
		return
	}
	if l.enter(e.Callee, &context{locks: carry(&context{}, named(e)), forked: true, roots: []int{n}}) {
		l.push(e.Callee)
	}
}

// apart are the roots after Parallel, of those that have one.
func (l *linker) apart(roots []int) []int {
	out := slices.Clone(roots)
	for i, n := range out {
		if rest := l.roots[n].rest; rest > 0 {
			out[i] = rest
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// binary is the package whose tests are one program.
func binary(pkg string) string { return strings.TrimSuffix(pkg, "_test") }

// runners are the tests that run a test, by their roots; other roots that call Run stand for
// themselves. Of a function of a package they are the package.
func (l *linker) runners(i int) []string {
	r := l.roots[i]
	if r.by == "" {
		return []string{"package " + r.home}
	}
	var out []string
	for _, c := range l.contexts[r.by] {
		for _, j := range c.roots {
			q := l.roots[j]
			if q.kind == apart {
				q = l.roots[q.test]
			}
			out = append(out, q.fn)
		}
	}
	return out
}

// branches are the test, and those on the way from it up to the package that may be set apart.
func (l *linker) branches(i int) []int {
	out := []int{i}
	for n := 0; n < len(out); n++ {
		r := l.roots[out[n]]
		if r.by == "" {
			continue
		}
		for _, c := range l.contexts[r.by] {
			for _, j := range c.roots {
				switch q := l.roots[j]; {
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
// test, and both are set apart (R26).
func (l *linker) together(i, j int) bool {
	k := [2]int{min(i, j), max(i, j)}
	if _, known := l.pairsOfTests[k]; !known {
		l.pairsOfTests[k] = l.runTogether(i, j)
	}
	return l.pairsOfTests[k]
}

func (l *linker) runTogether(i, j int) bool {
	for _, x := range l.branches(i) {
		for _, y := range l.branches(j) {
			if x == y && !l.roots[x].many {
				continue
			}
			if x == y || slices.ContainsFunc(l.runners(x), func(r string) bool { return slices.Contains(l.runners(y), r) }) {
				return true
			}
		}
	}
	return false
}
