package symbolic

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/static/lockset"
	"github.com/presage-race/presage/internal/static/order"
	"github.com/presage-race/presage/internal/static/path"
	"github.com/presage-race/presage/internal/static/summary"
)

// effect applies what a callee does to memory, locks and synchronisation, in this order.
func (b *binding) effect(s *state, sum *summary.Function, result *ssa.Call) {
	exits := make([]summary.Exit, len(sum.Exits))
	for i, e := range sum.Exits {
		exits[i] = summary.Exit{Results: e.Results, Locks: b.leaves(e.Locks), Sync: b.sync(e.Sync)}
	}
	locks, sync := exits[0].Locks, exits[0].Sync
	for _, e := range exits[1:] {
		locks, sync = locks.Join(e.Locks), sync.Join(e.Sync)
	}
	b.leaveMemory(s, sum)
	b.leaveLocks(s, sum, exits, locks)
	b.leaveSync(s, sum, sync)
	if result != nil {
		b.f.expect(s, result, exits)
	}
	s.forked = s.forked || len(sum.Spawns) > 0 || slices.ContainsFunc(sum.Holes, func(h summary.Hole) bool { return h.Go })
}

// leaveMemory applies the stores of a callee, and the escapes that it causes.
func (b *binding) leaveMemory(s *state, sum *summary.Function) {
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
	for _, p := range puts {
		b.f.sharing.publish(s, p.addr, p.vals)
		if len(p.vals) <= MaxAliases {
			b.f.accesses.put(s, p.addr, p.vals, true)
		}
	}
	b.leaveEscapes(s, sum)
}

// leaveEscapes applies the escapes that a callee causes. Arguments that it has let escape are among
// the accesses of goroutines, and among the stores.
func (b *binding) leaveEscapes(s *state, sum *summary.Function) {
	var escaped, open aliases
	for _, n := range sum.Escaped {
		escaped = append(escaped, b.node(n))
	}
	for _, n := range sum.Published {
		open = append(open, b.node(n))
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
			b.f.sharing.reveal(s, b.args[i])
		}
	}
	for _, h := range sum.Holes {
		if h.Go || h.Thread > 0 {
			escaped = append(escaped, b.called(h))
		}
	}
	b.f.sharing.give(s, escaped)
	b.f.sharing.escape(s, open)
}

// leaveLocks applies the effect of a callee on the lockset, and forgets what rested on the locks
// that it has released.
func (b *binding) leaveLocks(s *state, sum *summary.Function, exits []summary.Exit, locks lockset.Relative) {
	for _, l := range sum.Gives {
		if n := b.lock(l); n != nil {
			b.f.locks.giveUp(s, n)
		}
	}
	for l := range locks.Minus {
		b.f.joins.unlend(s, l)
		s.dropGuesses(l)
		b.f.choices.unchoose(s, l)
	}
	for _, e := range exits { // what is held again at the end was released meanwhile
		for _, set := range []lockset.Set{e.Locks.Plus, e.Locks.Minus} {
			for l := range set {
				s.lower(l)
			}
		}
	}
	s.locks = s.locks.Then(locks)
}

// leaveSync applies what a callee has acquired and released.
func (b *binding) leaveSync(s *state, sum *summary.Function, sync order.Sync) {
	b.f.joins.joined(s, b, sum, sync)
	for o := range sync.Acquired {
		if !order.IsOver(o) {
			b.f.syncs.acquiredIn(o)
		}
	}
	b.f.syncs.mayRelease(s.sync.Released.Plus(sum.Total.Map(b.node)))
	s.sync = s.sync.Then(sync)
	s.round = s.round.Plus(goTokens(sync.Released))
	b.f.syncs.mayRelease(s.sync.Released)
}

// leaveTest applies what a test may have done when Run comes back: all of it, or what comes before
// Parallel.
func (b *binding) leaveTest(s *state, sum *summary.Function) {
	one := s.fork()
	weak := *sum
	weak.Exits = []summary.Exit{{}}
	for _, e := range sum.Exits {
		weak.Exits[0].Sync.Released = order.Most(weak.Exits[0].Sync.Released, e.Sync.Released)
	}
	b.effect(one, &weak, nil)
	*s = *s.join(one)
}
