package symbolic

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/static/order"
	"github.com/presage-race/presage/internal/static/path"
	"github.com/presage-race/presage/internal/static/summary"
)

// instantiate applies the effect of a callee to the state, and while recording takes over its
// guarded accesses. It reports whether the call comes back, and the results.
func (cl *caller) instantiate(s *state, in ssa.Instruction, t target, args []aliases, result *ssa.Call) (bool, []aliases) {
	sum := cl.lookup(t.key)
	if cl.draft.recording {
		cl.link(s, t, args, actuals(in, t, len(args)), summary.Edge{Locks: s.locks, Forked: s.forked, Apart: setApart(s.sync.Released), Started: goTokens(s.sync.Released),
			Flags: s.known(nil), Sync: joining(s.sync), Pos: cl.places.place(in)})
	}
	cl.draft.sum.Partial = cl.draft.sum.Partial || sum == nil || sum.Partial
	if sum == nil {
		for _, a := range args {
			cl.sharing.reveal(s, a)
		}
		if result == nil {
			return true, nil
		}
		if r, ok := cl.values.results[result]; ok {
			return true, r
		}
		return true, []aliases{cl.values.env[result]}
	}
	b := &binding{f: cl, s: s, args: args, vals: actuals(in, t, len(args)), free: t.free, pos: cl.places.place(in), loop: cl.graph.looping()}
	s.again("@" + cl.places.mark(b.pos))
	if cl.draft.recording {
		b.take(in, sum, scope{locks: s.locks, sync: s.sync, round: s.round}, 0)
	}
	if len(sum.Exits) == 0 {
		return false, nil
	}
	before := s.fork()
	hidden := cl.joins.handles(s, b, sum)
	b.effect(s, sum, result)
	var vals []aliases
	for i, r := range sum.Results {
		var v aliases
		if hidden[i] {
			v = aliases{cl.table.Nil()}
		}
		given := slices.ContainsFunc(r, isChannel)
		for _, n := range r {
			if given && n.IsNil() {
				continue // then there is no channel of this call, and no goroutine that closes it
			}
			b.s = before
			v, _ = merge(v, aliases{b.node(n)})
		}
		if len(v) > MaxAliases {
			v = v[:MaxAliases]
			if cl.draft.recording {
				cl.draft.sum.Cuts[summary.BoundAliases]++
			}
		}
		vals = append(vals, v)
	}
	return true, vals
}

// goTokens are the Tokens of go statements among released objects.
func goTokens(c order.Counts) order.Counts {
	return c.Map(func(o *path.Node) *path.Node {
		if o.Kind == path.Token && o.Base == nil {
			return o
		}
		return nil
	})
}

// link notes a call for the link phase.
func (cl *caller) link(s *state, t target, args []aliases, vals []ssa.Value, e summary.Edge) {
	if cl.std {
		return
	}
	e.Callee, e.Free = t.key, t.free
	owned := func(n *path.Node) bool {
		r := n.Strip().Root()
		return e.Thread == 0 && r.Kind == path.Alloc && n.Loads() == 0 && !s.escaped[r]
	}
	all := func(vals aliases, of func(*path.Node) bool) bool {
		return !slices.ContainsFunc(vals, func(n *path.Node) bool { return !of(n) })
	}
	for i, n := range t.free {
		var held *path.Node
		if v, ok := s.mem.get(n); ok && len(v) == 1 {
			held = v[0].Strip()
		}
		e.Held = append(e.Held, held)
		if i < 32 && n != nil {
			mark(&e.Owned.Free, i, owned(n))
			mark(&e.Kept.Free, i, s.kept(n))
		}
		if i < 32 && held != nil {
			mark(&e.Owned.Held, i, owned(held))
			mark(&e.Kept.Held, i, s.kept(held))
		}
	}
	for i, a := range args {
		if i < 32 {
			mark(&e.Owned.Args, i, e.Thread == 0 && all(a, owned))
			mark(&e.Kept.Args, i, all(a, s.kept)) // nil, too
			if len(a) == 1 && s.holder[a[0].Strip()] != nil && !s.open[a[0].Strip()] {
				e.Stored = append(e.Stored, summary.Stored{Arg: i, Formal: s.holder[a[0].Strip()]})
			}
		}
		var n *path.Node
		if len(a) == 1 {
			n = a[0].Strip()
		} else if i < len(vals) && e.Thread == 0 && len(s.locks.Plus) > 0 {
			n = cl.choices.choice(s, vals[i])
		}
		e.Args = append(e.Args, n)
	}
	cl.draft.sum.Edges = append(cl.draft.sum.Edges, e)
}

func mark(bits *uint32, i int, set bool) {
	if set {
		*bits |= 1 << i
	}
}
