package link

import (
	"slices"
	"strings"

	"github.com/presage-race/presage/internal/static/order"
	"github.com/presage-race/presage/internal/static/summary"
)

// carrier carries contexts from the roots along the calls.
type carrier struct {
	prog     *program
	contexts *contextTable
	waiting  *waiting
	work     worklist
}

func newCarrier(prog *program, ct *contextTable, wt *waiting, keys []string) *carrier {
	ca := &carrier{prog: prog, contexts: ct, waiting: wt, work: worklist{rank: map[string]int{}, queued: map[string]bool{}}}
	ca.order(keys)
	return ca
}

// propagate carries contexts from the roots along the calls.
func (ca *carrier) propagate() {
	for ca.work.Len() > 0 {
		key := ca.work.pop()
		for _, edge := range ca.prog.calls(key) {
			if ca.prog.sums[edge.Callee] == nil {
				continue
			}
			e := named(&edge)
			if edge.Thread != 0 { // goroutines are roots of their own
				ca.keepOn(key, e)
				continue
			}
			for _, c := range slices.Clone(ca.contexts.of[key]) {
				d := &context{locks: carry(c, e), self: receivers(c.self, e), forked: c.forked || e.Forked, merged: c.merged, roots: c.roots}
				if edge.Apart {
					d.roots = ca.contexts.apart(c.roots)
				}
				d.after, d.until = ca.waiting.onward(c, e)
				d.lent = onLoan(c.lent, e.Locks.Minus, e.Sync.Released, e)
				d.owned = passed(c, e)
				d.kept, d.makers = ca.kept(key, c, e)
				if ca.contexts.enter(e.Callee, d) {
					ca.work.push(e.Callee)
				}
			}
		}
	}
}

// keepOn removes the arguments of a goroutine that are published in a context of its starter.
func (ca *carrier) keepOn(starter string, e *call) {
	f := ca.prog.sums[starter]
	if e.Thread <= 0 || !awaited(f, f.Spawns[e.Thread-1]) {
		return
	}
	changed := false
	for _, c := range ca.contexts.of[e.Callee] {
		if !slices.ContainsFunc(c.roots, func(i int) bool { return ca.contexts.roots[i].spawn == f.Spawns[e.Thread-1] }) {
			continue
		}
		for _, d := range ca.contexts.of[starter] {
			if ca.contexts.fromOutside(d) {
				continue
			}
			given := &context{}
			given.kept, given.makers = ca.kept(starter, d, e)
			changed = c.meetKept(given) || changed
		}
	}
	if changed {
		ca.work.push(e.Callee)
	}
}

// kept is what of the formals of a callee is not published, and by whom: what its caller has made,
// and what leads from what its caller was given.
func (ca *carrier) kept(caller string, c *context, e *call) (kept summary.Owned, makers []maker) {
	kept = e.Kept
	if kept != (summary.Owned{}) {
		makers = []maker{e.maker(caller)}
	}
	if c.kept != (summary.Owned{}) {
		own := kept
		e.keep(&kept, func(actual string) bool { _, ok := leads(c.kept, actual); return ok })
		if kept != own {
			given := slices.Clone(c.makers)
			for i := range given {
				if e.Thread != 0 && given[i].starts == "" {
					given[i].starts = caller
				}
			}
			makers = union(makers, given)
		}
	}
	for _, i := range ca.prog.sums[e.Callee].Publishes {
		kept.Args &^= 1 << min(i, 31)
	}
	if kept == (summary.Owned{}) {
		makers = nil
	}
	return kept, makers
}

// order ranks the functions by a depth-first search along the calls. It is iterative: chains of
// calls are long.
func (ca *carrier) order(keys []string) {
	type frame struct {
		key   string
		calls []string
	}
	callees := func(key string) []string {
		var out []string
		for _, e := range ca.prog.calls(key) {
			if e.Thread == 0 && ca.prog.sums[e.Callee] != nil {
				out = append(out, e.Callee)
			}
		}
		return out
	}
	seen := map[string]bool{}
	next := len(keys)
	for _, k := range slices.Backward(keys) {
		if seen[k] {
			continue
		}
		seen[k] = true
		stack := []frame{{k, callees(k)}}
		for len(stack) > 0 {
			top := &stack[len(stack)-1]
			if len(top.calls) == 0 {
				ca.work.rank[top.key] = next // reverse postorder
				next--
				stack = stack[:len(stack)-1]
				continue
			}
			c := top.calls[0]
			top.calls = top.calls[1:]
			if !seen[c] {
				seen[c] = true
				stack = append(stack, frame{c, callees(c)})
			}
		}
	}
}

// maker is the caller as the maker of what it gives the callee.
func (e *call) maker(caller string) maker {
	m := maker{fn: caller, callee: e.Callee, before: strings.Join(tokens(e.Started), "\n")}
	if e.Thread != 0 {
		m.starts = caller
	}
	return m
}

// keep marks the formals whose actuals have a property, or are stored in what has.
func (e *call) keep(kept *summary.Owned, has func(actual string) bool) {
	e.mark(kept, has)
	for _, st := range e.Stored {
		if has(st.Formal.Key()) {
			kept.Args |= 1 << st.Arg
		}
	}
}

// awaited reports whether a function waits for the goroutines of a go statement, on one path at
// least.
func awaited(f *summary.Function, s *summary.Spawn) bool {
	over := func(y order.Sync) bool {
		for o := range y.Acquired {
			if order.IsOver(o) && o.Base.Name == s.Token.Name {
				return true
			}
		}
		return false
	}
	return slices.ContainsFunc(f.Exits, func(e summary.Exit) bool { return over(e.Sync) }) ||
		slices.ContainsFunc(f.Accesses, func(a *summary.Access) bool { return a.Thread == 0 && over(a.Sync) }) ||
		slices.ContainsFunc(f.Edges, func(e summary.Edge) bool { return e.Thread == 0 && over(e.Sync) })
}

// lendTo is what a goroutine is given that may not be published: at first all that its starter has
// made or was given itself; keepOn takes out what is.
func lendTo(f *summary.Function, e *call) (kept summary.Owned, makers []maker) {
	if e == nil || e.Thread <= 0 || !awaited(f, f.Spawns[e.Thread-1]) {
		return kept, nil
	}
	kept = e.Kept
	if kept != (summary.Owned{}) {
		makers = []maker{e.maker(f.Key)}
	}
	e.keep(&kept, func(actual string) bool { return actual[0] == '$' || actual[0] == '^' })
	return kept, makers
}
