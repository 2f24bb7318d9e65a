package link

import (
	"fmt"
	"slices"

	"github.com/presage-race/presage/internal/static/summary"
)

// findTests makes two roots of each test that another one runs, if it may call Parallel: before
// that call and after it (LI8).
func (fi *rootFinder) findTests(keys []string) {
	for _, k := range keys {
		for _, f := range fi.prog.sums[k].Flows {
			fi.same[f.From] |= f.Same
		}
	}
	for _, k := range keys {
		f := fi.prog.sums[k]
		for _, e := range fi.prog.calls(k) {
			if !e.Test {
				continue
			}
			for i, n := range e.Free {
				if i < 32 && n != nil && !n.Root().Loop {
					fi.same[e.Callee] |= 1 << i
				}
			}
			r := root{kind: test, fn: e.Callee, home: k, by: k}
			fi.root(r, locks{}, fi.captured(e.Callee))
			r.kind, r.many = apart, e.Loop
			if e.Thread > 0 {
				r.spawn = f.Spawns[e.Thread-1]
				r.many = r.spawn.Many
			}
			n := fi.setApart(r)
			if r.spawn != nil {
				fi.tests[statement(r.spawn.Token)] = n
			}
		}
	}
}

// captured lists what a literal has captured that is one for all its calls, with a label each
// (LI8).
func (fi *rootFinder) captured(key string) []string {
	var out []string
	for i := range 32 {
		if fi.same[key]&(1<<i) != 0 {
			out = append(out, fmt.Sprintf("^%d* %s^%d", i, key, i))
		}
	}
	slices.Sort(out)
	return out
}

// setApart adds the root of what the last root, a test, does after Parallel.
func (fi *rootFinder) setApart(r root) int {
	n := len(fi.contexts.roots)
	r.test = n - 1
	fi.contexts.roots[n-1].rest = n
	fi.contexts.roots = append(fi.contexts.roots, r)
	return n
}

// inTest enters what a test calls, after Parallel, through a value that a caller knows.
func (fi *rootFinder) inTest(k string, f *summary.Function, e *summary.Edge) {
	n, ok := fi.tests[statement(f.Spawns[e.Thread-1].Token)]
	if !ok {
		return
	}
	if fi.contexts.enter(e.Callee, &context{locks: carry(&context{}, named(e)), forked: true, roots: []int{n}}) {
		fi.carrier.work.push(e.Callee)
	}
}
