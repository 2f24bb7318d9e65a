package symbolic

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/static/lockset"
	"github.com/presage-race/presage/internal/static/order"
	"github.com/presage-race/presage/internal/static/path"
	"github.com/presage-race/presage/internal/static/summary"
)

// instantiate applies the effect of a callee to the state, and while recording takes over its
// guarded accesses. It reports whether the call comes back, and the results.
func (f *function) instantiate(s *state, in ssa.Instruction, t target, args []aliases, result *ssa.Call) (bool, []aliases) {
	sum := f.Lookup(t.key)
	if f.recording {
		f.link(s, t, args, actuals(in, t, len(args)), summary.Edge{Locks: s.locks, Forked: s.forked, Apart: setApart(s.sync.Released), Started: goTokens(s.sync.Released),
			Flags: s.known(nil), Sync: joining(s.sync), Pos: f.place(in)})
	}
	if sum == nil {
		for _, a := range args {
			f.reveal(s, a)
		}
		if result == nil {
			return true, nil
		}
		if r, ok := f.results[result]; ok {
			return true, r
		}
		return true, []aliases{f.env[result]}
	}
	b := &binding{f: f, s: s, args: args, vals: actuals(in, t, len(args)), free: t.free, pos: f.place(in), loop: f.loop[f.block.Index] > 0}
	s.again("@" + f.mark(b.pos))
	if f.recording {
		f.take(b, in, sum, scope{locks: s.locks, sync: s.sync, round: s.round}, 0)
	}
	if len(sum.Exits) == 0 {
		return false, nil
	}
	before := s.fork()
	hidden := f.handles(s, b, sum)
	f.effect(s, b, sum, result)
	var vals []aliases
	for i, r := range sum.Results {
		var v aliases
		if hidden[i] {
			v = aliases{f.Table.Nil()}
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
			if f.recording {
				f.sum.Cuts[summary.BoundAliases]++
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
func (f *function) link(s *state, t target, args []aliases, vals []ssa.Value, e summary.Edge) {
	if f.Std {
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
			n = f.choice(s, vals[i])
		}
		e.Args = append(e.Args, n)
	}
	f.sum.Edges = append(f.sum.Edges, e)
}

func mark(bits *uint32, i int, set bool) {
	if set {
		*bits |= 1 << i
	}
}

// effect applies what a callee does to locks, synchronisation and memory.
func (f *function) effect(s *state, b *binding, sum *summary.Function, result *ssa.Call) {
	exits := make([]summary.Exit, len(sum.Exits))
	for i, e := range sum.Exits {
		exits[i] = summary.Exit{Results: e.Results, Locks: b.leaves(e.Locks), Sync: b.sync(e.Sync)}
	}
	locks, sync := exits[0].Locks, exits[0].Sync
	for _, e := range exits[1:] {
		locks, sync = locks.Join(e.Locks), sync.Join(e.Sync)
	}
	type put struct {
		addr *path.Node
		vals aliases
	}
	var puts []put
	for _, st := range sum.Stores {
		a, v := b.node(st.Addr), b.node(st.Value)
		if n := len(puts); n > 0 && puts[n-1].addr == a {
			puts[n-1].vals, _ = merge(puts[n-1].vals, aliases{v})
		} else {
			puts = append(puts, put{a, aliases{v}})
		}
	}
	var escaped, open aliases
	for _, n := range sum.Escaped {
		escaped = append(escaped, b.node(n))
	}
	for _, n := range sum.Published {
		open = append(open, b.node(n))
	}
	// Arguments that the callee has let escape are among the accesses of goroutines, and among the
	// stores.
	for _, p := range puts {
		f.publish(s, p.addr, p.vals)
		if len(p.vals) <= MaxAliases {
			f.put(s, p.addr, p.vals, true)
		}
	}
	for _, i := range sum.Leaks {
		if int(i) < len(b.args) {
			escaped = append(escaped, b.args[i]...)
		}
	}
	for _, i := range sum.Publishes {
		if int(i) < len(b.args) {
			open = append(open, b.args[i]...)
		}
	}
	for _, i := range sum.Reveals {
		if i < len(b.args) {
			f.reveal(s, b.args[i])
		}
	}
	f.give(s, escaped)
	f.escape(s, open)
	for _, l := range sum.Gives {
		if n := b.lock(l); n != nil {
			f.giveUp(s, n)
		}
	}
	for l := range locks.Minus {
		f.unlend(s, l)
		s.dropGuesses(l)
		f.unchoose(s, l)
	}
	for _, e := range exits { // what is held again at the end was released meanwhile
		for _, set := range []lockset.Set{e.Locks.Plus, e.Locks.Minus} {
			for l := range set {
				s.lower(l)
			}
		}
	}
	s.locks = s.locks.Then(locks)
	f.joined(s, b, sum, sync)
	if l := f.loop[f.block.Index]; l > 0 {
		for o := range sync.Acquired {
			if order.IsOver(o) {
				continue
			}
			if f.acquired[l] == nil {
				f.acquired[l] = map[*path.Node]*ssa.BasicBlock{}
			}
			f.acquired[l][o] = f.block
		}
	}
	f.total = order.Most(f.total, s.sync.Released.Plus(sum.Total.Map(b.node)))
	s.sync = s.sync.Then(sync)
	s.round = s.round.Plus(goTokens(sync.Released))
	f.total = order.Most(f.total, s.sync.Released)
	if result != nil {
		f.expect(s, result, exits)
	}
	s.forked = s.forked || len(sum.Spawns) > 0
}
