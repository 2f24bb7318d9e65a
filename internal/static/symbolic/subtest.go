package symbolic

import (
	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/static/order"
	"github.com/presage-race/presage/internal/static/path"
	"github.com/presage-race/presage/internal/static/summary"
)

// Names of the synchronisation objects of a test's t (X26, X27).
const (
	parallel = "parallel" // released by t.Parallel
	handed   = "handed"   // released where code that is not known gets t
	subtests = "wg"       // released at the end of each subtest that t.Parallel has set apart
)

// subtest executes testing.T.Run and what is like it: args[fn] is the function of a test (X26).
// many says that it is executed several times.
func (f *function) subtest(s *state, in ssa.Instruction, fn int, args []aliases, many bool) {
	if fn >= len(args) || len(args[0]) == 0 {
		return
	}
	many = many || f.loop[f.block.Index] > 0
	t := f.ownT(in)
	s.forget(t)
	parent := args[0][0].Strip()
	var joined *state
	for _, n := range args[fn] {
		one := s.fork()
		if target, ok := f.resolve(n.Strip(), ""); ok {
			f.runTest(one, in, target, parent, t, many)
		} else {
			f.escape(one, aliases{n})
			f.addHole(summary.Hole{Value: n.Strip(), Args: []*path.Node{t}, Locks: s.locks, Sync: s.sync, Pos: f.place(in), Test: parent, Loop: many})
		}
		if joined == nil {
			joined = one
		} else {
			joined = joined.join(one)
		}
	}
	if joined != nil {
		*s = *joined
	}
	f.acquire(s, in, f.Table.Of(path.Token, t, subtests), 1)
}

// ownT is the t that a call of T.Run makes.
func (f *function) ownT(in ssa.Instruction) *path.Node {
	return f.Table.Alloc(f.site(in, "t"), "testing.T", f.loop[f.block.Index] > 0, -2)
}

// runTest executes the function of a test: as a call, unless it may call Parallel. Then its t is
// another one: the end of its subtests is not what Run waits for.
func (f *function) runTest(s *state, in ssa.Instruction, target target, parent, t *path.Node, many bool) {
	args := withRecv([]aliases{{t}}, target)
	sum := f.Lookup(target.key)
	b := &binding{f: f, s: s, args: args, free: target.free, pos: f.place(in), loop: f.loop[f.block.Index] > 0}
	if sum == nil || !b.parallel(sum, t) {
		before := s.fork()
		if comes, _ := f.instantiate(s, in, target, args, nil); !comes {
			// Goexit ends the test's goroutine only
			*s = *before
		}
		return
	}
	own := f.Table.Alloc(t.Name+".apart", t.Type, t.Loop, -2)
	s.forget(own)
	b.args = withRecv([]aliases{{own}}, target)
	for _, n := range target.free {
		f.escape(s, aliases{n})
	}
	token := f.Table.Root(path.Token, 0, f.mark(f.place(in)), "")
	if f.recording {
		f.takeTest(b, in, target, sum, scope{locks: s.locks, sync: s.sync, round: s.round}, parent, own, token, many, 0)
	}
	if len(sum.Exits) > 0 {
		f.leaveTest(s, b, sum)
	}
	s.forked = true
	s.round = s.round.Plus(order.Counts{token: 1})
	f.release(s, token, 1)
}

// parallel reports whether a function may call Parallel of t.
func (b *binding) parallel(sum *summary.Function, t *path.Node) bool {
	for o := range sum.Total {
		if o.Kind == path.Token && o.Name == parallel && b.node(o.Base) == t {
			return true
		}
	}
	return false
}

// leaveTest applies what a test may have done when Run comes back: all of it, or what comes before
// Parallel.
func (f *function) leaveTest(s *state, b *binding, sum *summary.Function) {
	one := s.fork()
	weak := *sum
	weak.Exits = []summary.Exit{{}}
	for _, e := range sum.Exits {
		weak.Exits[0].Sync.Released = order.Most(weak.Exits[0].Sync.Released, e.Sync.Released)
	}
	f.effect(one, b, &weak, nil)
	*s = *s.join(one)
}

// takeTest takes over the accesses of a test that may call Parallel: what comes after that call is
// a goroutine that begins when the test that runs it has returned (X26).
func (f *function) takeTest(b *binding, in ssa.Instruction, target target, sum *summary.Function, sc scope, parent, t, token *path.Node, many bool, depth int) {
	key := spawnKey{in, "test " + target.key + token.Name}
	n, ok := f.spawns[key]
	if !ok {
		f.sum.Spawns = append(f.sum.Spawns, &summary.Spawn{})
		n = len(f.sum.Spawns)
		f.spawns[key] = n
		if l := f.loop[f.block.Index]; l > 0 {
			f.spawnLoop[n] = l
		}
	}
	done := f.Table.Of(path.Token, parent, subtests)
	sp := f.sum.Spawns[n-1]
	*sp = summary.Spawn{Token: token, Parent: sc.thread, Many: many, Loop: many, Pos: b.pos, Func: target.key, Locks: sc.locks, Sync: sc.sync, Late: parent}
	sp.Total = sum.Total.Map(b.node).Plus(order.Counts{done: 1})
	f.link(b.s, target, b.args, nil, summary.Edge{Thread: n, Test: true, Forked: true, Pos: b.pos})
	rest := scope{sync: order.Sync{Acquired: sc.sync.Acquired.Plus(order.Counts{token: 1})}, thread: n}
	sc.rest, sc.t = &rest, t
	f.take(b, in, sum, sc, depth)
	if f.roomForRelease() {
		end := rest.sync.Acquire(f.Table.Of(path.Token, t, subtests), 1)
		f.sum.Releases = append(f.sum.Releases, summary.Release{Object: done, Thread: n, Times: 1, Sync: end})
	}
}

// fillTest takes over a test whose function the caller may know, or the call of Run of an interface
// that turns out to be a t; it reports whether the hole is one of these.
func (f *function) fillTest(b *binding, in ssa.Instruction, h summary.Hole, v *path.Node, args []aliases, sc scope, depth int) bool {
	name := f.mark(h.Pos) + "@" + f.mark(b.pos)
	var parent, t, fn *path.Node
	pos := h.Pos
	switch {
	case h.Test != nil:
		if len(args) == 0 || len(args[0]) == 0 {
			return true
		}
		parent, t, fn = b.node(h.Test), args[0][0], v
	case h.Method == "Run" && isT(v): // through an interface
		if len(args) < 3 || len(args[2]) == 0 {
			return true
		}
		parent, t, fn, pos = v.Strip(), f.Table.Alloc("t#"+name, "testing.T", h.Loop || b.loop, -2), args[2][0], b.pos
	default:
		return false
	}
	many := h.Loop || b.loop
	test, ok := f.resolve(fn, "")
	sum := f.Lookup(test.key)
	if !ok || sum == nil || depth >= maxHoleDepth {
		f.addHole(summary.Hole{Value: fn, Args: []*path.Node{t}, Locks: sc.locks, Sync: sc.sync, Thread: sc.thread, Test: parent, Loop: many, Pos: pos})
		return true
	}
	inner := &binding{f: f, s: b.s, args: withRecv([]aliases{{t}}, test), free: test.free, pos: h.Pos, loop: b.loop}
	if inner.parallel(sum, t) {
		t = f.Table.Alloc(t.Name+".apart", t.Type, t.Loop, -2)
		inner.args = withRecv([]aliases{{t}}, test)
		f.takeTest(inner, in, test, sum, sc, parent, t, f.Table.Root(path.Token, 0, name, ""), many, depth+1)
		return true
	}
	f.link(b.s, test, inner.args, nil, summary.Edge{Locks: sc.locks, Thread: sc.thread, Forked: b.s.forked, Started: goTokens(sc.sync.Released), Pos: h.Pos})
	f.take(inner, in, sum, sc, depth+1)
	return true
}

// part is the scope of what the goroutine of a test does at a point: after Parallel it is another
// one (X26).
func (b *binding) part(sc scope, thread int, at order.Counts) scope {
	if sc.rest == nil || thread > 0 {
		return sc
	}
	for o := range at {
		if o.Kind == path.Token && o.Name == parallel && b.node(o.Base) == sc.t {
			return *sc.rest
		}
	}
	return sc
}

// setApart reports whether the test that is given to the function may have called Parallel.
func setApart(c order.Counts) bool {
	for o := range c {
		if o.Kind == path.Token && o.Name == parallel && o.Formal() {
			return true
		}
	}
	return false
}

// late lets goroutines that begin when the test has returned come after all that stands before the
// function's exits.
func (f *function) late() {
	var all order.Counts
	for i, e := range f.sum.Exits {
		if i == 0 {
			all = e.Sync.Acquired
		} else {
			all = order.Least(all, e.Sync.Acquired)
		}
	}
	for _, sp := range f.sum.Spawns {
		if sp.Late != nil && sp.Parent == 0 && len(f.sum.Exits) > 0 {
			sp.Sync.Acquired = order.Most(sp.Sync.Acquired, all)
		}
	}
}

// hand notes that code which is not known gets the values, if they are the t of a test (X27).
func (f *function) hand(s *state, vals aliases) {
	for _, n := range vals {
		if isT(n) {
			s.sync = s.sync.Release(f.Table.Of(path.Token, n.Strip(), handed), 1)
			f.total = order.Most(f.total, s.sync.Released)
		}
	}
}

// isT reports whether a value is the t of a test.
func isT(n *path.Node) bool {
	if n.Kind == path.Iface {
		return n.Name == "*testing.T"
	}
	return n.Kind != path.Iface && n.Type == "testing.T" && (n.Base == nil || n.Kind == path.Load)
}

// reflected executes a call of a function that is not known: it may call Parallel of what it can
// get (X27).
func (f *function) reflected(s *state) {
	for o := range s.sync.Released {
		if o.Kind == path.Token && o.Name == handed {
			s.sync = s.sync.Release(f.Table.Of(path.Token, o.Base, parallel), 1)
		}
	}
	f.total = order.Most(f.total, s.sync.Released)
}
