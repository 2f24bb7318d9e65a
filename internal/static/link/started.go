package link

import (
	"maps"
	"slices"
	"strings"

	"github.com/presage-race/presage/internal/static/order"
	"github.com/presage-race/presage/internal/static/path"
)

// started knows which goroutines may have been started where a root is (LI2, LI1).
type started struct {
	prog     *program
	contexts *contextTable
	roots    map[string][]int // goroutines by go statement
	children map[int][]int    // goroutines that a goroutine starts
	always   []int            // goroutines whose go statement is not known

	// by root and function: go statements that the root may have executed before it enters the
	// function
	before map[string]map[string]map[string]bool
	// by root, function and what it has started itself, what may run
	known map[string]map[int]bool
}

// main is where go statements of main are found: one for all commands.
const main = ""

// statement is the go statement of a Token, without the calls that lead to it; "" of other objects.
func statement(o *path.Node) string {
	if o.Kind != path.Token || o.Base != nil {
		return ""
	}
	s, _, _ := strings.Cut(o.Name, "@")
	return s
}

// newStarted finds which goroutines each goroutine starts.
func newStarted(prog *program, ct *contextTable) *started {
	s := &started{prog: prog, contexts: ct, roots: map[string][]int{}, children: map[int][]int{}, before: map[string]map[string]map[string]bool{}, known: map[string]map[int]bool{}}
	for i, r := range s.contexts.roots {
		switch {
		case r.kind != spawned:
		case r.spawn == nil:
			s.always = append(s.always, i)
		default:
			at := statement(r.spawn.Token)
			s.roots[at] = append(s.roots[at], i)
			for _, c := range s.contexts.of[r.by] {
				for _, p := range c.roots {
					if s.contexts.roots[p].kind == spawned {
						s.children[p] = append(s.children[p], i)
					}
				}
			}
		}
	}
	return s
}

// carryStarted carries from a root along its calls which go statements it may have executed.
func (st *started) carryStarted(root string) map[string]map[string]bool {
	if t, ok := st.before[root]; ok {
		return t
	}
	before := map[string]map[string]bool{}
	st.before[root] = before
	work := []string{root}
	if root == main {
		work = nil
		for _, r := range st.contexts.roots {
			if r.kind == first {
				work = append(work, r.fn)
			}
		}
	}
	for _, fn := range work {
		before[fn] = map[string]bool{}
	}
	for len(work) > 0 {
		key := work[len(work)-1]
		work = work[:len(work)-1]
		for _, e := range st.prog.calls(key) {
			if e.Thread != 0 || st.prog.sums[e.Callee] == nil {
				continue
			}
			there, seen := before[e.Callee]
			n := len(there)
			if !seen {
				there = map[string]bool{}
				before[e.Callee] = there
			}
			maps.Copy(there, before[key])
			for _, t := range tokens(e.Started) {
				there[t] = true
			}
			if !seen || len(there) > n {
				work = append(work, e.Callee)
			}
		}
	}
	return before
}

// mayRun reports whether the goroutine may have been started when the root makes the access of the
// site.
func (st *started) mayRun(goroutine int, root string, at *site) bool {
	own := tokens(at.access.Sync.Released)
	key := root + "\n" + at.fn.Key + "\n" + strings.Join(own, "\n")
	run, ok := st.known[key]
	if !ok {
		run = map[int]bool{}
		queue := slices.Clone(st.always)
		for t := range st.carryStarted(root)[at.fn.Key] {
			queue = append(queue, st.roots[t]...)
		}
		for _, t := range own {
			queue = append(queue, st.roots[t]...)
		}
		for ; len(queue) > 0; queue = queue[1:] {
			if i := queue[0]; !run[i] {
				run[i] = true
				queue = append(queue, st.children[i]...)
			}
		}
		st.known[key] = run
	}
	return run[goroutine]
}

// again reports whether only a second call of an exported function, from outside, can run the site
// beside a goroutine that the function starts itself (LI2).
func (st *started) again(root, goroutine int, at *site) bool {
	r, q := st.contexts.roots[root], st.contexts.roots[goroutine]
	if r.kind != exported || q.kind != spawned || q.spawn == nil {
		return false
	}
	for _, c := range st.contexts.of[q.by] {
		for _, i := range c.roots {
			if i != root && st.contexts.roots[i].kind != first {
				return false
			}
		}
	}
	return len(st.contexts.of[q.by]) > 0 && !st.mayRun(goroutine, r.fn, at)
}

// tokens lists the go statements among released objects.
func tokens(c order.Counts) []string {
	var out []string
	for o := range c {
		if t := statement(o); t != "" {
			out = append(out, t)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}
