package symbolic

import (
	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/static/order"
	"github.com/presage-race/presage/internal/static/path"
	"github.com/presage-race/presage/internal/static/summary"
)

// Names of the synchronisation objects of a test's t (SY8).
const (
	parallel = "parallel" // released by t.Parallel
	handed   = "handed"   // released where code that is not known gets t
	subtests = "wg"       // released at the end of each subtest that t.Parallel has set apart
)

// subtest executes testing.T.Run and similar functions: args[fn] is the function of a test (SY8).
// many says that it is executed several times.
func (cl *caller) subtest(s *state, in ssa.Instruction, fn int, args []aliases, many bool) {
	if fn >= len(args) || len(args[0]) == 0 {
		return
	}
	many = many || cl.graph.looping()
	t := cl.values.ownT(in)
	s.forget(t)
	parent := args[0][0].Strip()
	var joined *state
	for _, n := range args[fn] {
		one := s.fork()
		if target, ok := cl.resolve(n.Strip(), ""); ok {
			cl.runTest(one, in, target, parent, t, many)
		} else {
			cl.sharing.escape(one, aliases{n})
			cl.draft.addHole(summary.Hole{Value: n.Strip(), Args: []*path.Node{t}, Locks: s.locks, Sync: s.sync, Pos: cl.places.place(in), Test: parent, Loop: many})
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
	cl.syncs.acquire(s, in, cl.table.Of(path.Token, t, subtests), 1)
}

// runTest executes the function of a test: as a call, unless it may call Parallel. Then its t is
// another one: the end of its subtests is not what Run waits for.
func (cl *caller) runTest(s *state, in ssa.Instruction, target target, parent, t *path.Node, many bool) {
	args := withRecv([]aliases{{t}}, target)
	sum := cl.lookup(target.key)
	b := &binding{f: cl, s: s, args: args, free: target.free, pos: cl.places.place(in), loop: cl.graph.looping()}
	if sum == nil || !b.parallel(sum, t) {
		before := s.fork()
		if comes, _ := cl.instantiate(s, in, target, args, nil); !comes {
			// Goexit ends the test's goroutine only
			*s = *before
		}
		return
	}
	own := cl.table.Alloc(t.Name+".apart", t.Type, t.Loop, -2)
	s.forget(own)
	b.args = withRecv([]aliases{{own}}, target)
	for _, n := range target.free {
		cl.sharing.escape(s, aliases{n})
	}
	token := cl.table.Root(path.Token, 0, cl.places.mark(cl.places.place(in)), "")
	if cl.draft.recording {
		b.takeTest(in, target, sum, scope{locks: s.locks, sync: s.sync, round: s.round}, parent, own, token, many, 0)
	}
	if len(sum.Exits) > 0 {
		b.leaveTest(s, sum)
	}
	s.forked = true
	s.round = s.round.Plus(order.Counts{token: 1})
	cl.syncs.release(s, token, 1)
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

// takeTest takes over the accesses of a test that may call Parallel: what comes after that call is
// a goroutine that begins when the test that runs it has returned (SY8).
func (b *binding) takeTest(in ssa.Instruction, target target, sum *summary.Function, sc scope, parent, t, token *path.Node, many bool, depth int) {
	key := spawnKey{in, "test " + target.key + token.Name}
	n, ok := b.f.draft.spawns[key]
	if !ok {
		b.f.draft.sum.Spawns = append(b.f.draft.sum.Spawns, &summary.Spawn{})
		n = len(b.f.draft.sum.Spawns)
		b.f.draft.spawns[key] = n
		if l := b.f.graph.current(); l > 0 {
			b.f.draft.spawnLoop[n] = l
		}
	}
	done := b.f.table.Of(path.Token, parent, subtests)
	sp := b.f.draft.sum.Spawns[n-1]
	*sp = summary.Spawn{Token: token, Parent: sc.thread, Many: many, Loop: many, Pos: b.pos, Func: target.key, Locks: sc.locks, Sync: sc.sync, Late: parent}
	sp.Total = sum.Total.Map(b.node).Plus(order.Counts{done: 1})
	b.f.link(b.s, target, b.args, nil, summary.Edge{Thread: n, Test: true, Forked: true, Pos: b.pos})
	rest := scope{sync: order.Sync{Acquired: sc.sync.Acquired.Plus(order.Counts{token: 1})}, thread: n}
	sc.rest, sc.t = &rest, t
	b.take(in, sum, sc, depth)
	if b.f.draft.roomForRelease() {
		end := rest.sync.Acquire(b.f.table.Of(path.Token, t, subtests), 1)
		b.f.draft.sum.Releases = append(b.f.draft.sum.Releases, summary.Release{Object: done, Thread: n, Times: 1, Sync: end})
	}
}

// fillTest takes over a test whose function the caller may know, or the call of Run of an interface
// that turns out to be a t; it reports whether the hole is one of these.
func (b *binding) fillTest(in ssa.Instruction, h summary.Hole, v *path.Node, args []aliases, sc scope, depth int) bool {
	name := b.f.places.mark(h.Pos) + "@" + b.f.places.mark(b.pos)
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
		parent, t, fn, pos = v.Strip(), b.f.table.Alloc("t#"+name, "testing.T", h.Loop || b.loop, -2), args[2][0], b.pos
	default:
		return false
	}
	many := h.Loop || b.loop
	test, ok := b.f.resolve(fn, "")
	sum := b.f.lookup(test.key)
	if !ok || sum == nil || depth >= maxHoleDepth {
		b.f.draft.addHole(summary.Hole{Value: fn, Args: []*path.Node{t}, Locks: sc.locks, Sync: sc.sync, Thread: sc.thread, Test: parent, Loop: many, Pos: pos})
		return true
	}
	inner := &binding{f: b.f, s: b.s, args: withRecv([]aliases{{t}}, test), free: test.free, pos: h.Pos, loop: b.loop}
	if inner.parallel(sum, t) {
		t = b.f.table.Alloc(t.Name+".apart", t.Type, t.Loop, -2)
		inner.args = withRecv([]aliases{{t}}, test)
		inner.takeTest(in, test, sum, sc, parent, t, b.f.table.Root(path.Token, 0, name, ""), many, depth+1)
		return true
	}
	b.f.link(b.s, test, inner.args, nil, summary.Edge{Locks: sc.locks, Thread: sc.thread, Forked: b.s.forked, Started: goTokens(sc.sync.Released), Pos: h.Pos})
	inner.take(in, sum, sc, depth+1)
	return true
}

// part is the scope of a test at a point: after Parallel it is that of another goroutine (SY8).
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

// isT reports whether a value is the t of a test.
func isT(n *path.Node) bool {
	if n.Kind == path.Iface {
		return n.Name == "*testing.T"
	}
	return n.Kind != path.Iface && n.Type == "testing.T" && (n.Base == nil || n.Kind == path.Load)
}
