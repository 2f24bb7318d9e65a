package symbolic

import (
	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/static/lockset"
	"github.com/presage-race/presage/internal/static/order"
	"github.com/presage-race/presage/internal/static/path"
	"github.com/presage-race/presage/internal/static/summary"
)

// scope says how a callee's accesses are executed: with which locks, after which synchronisation,
// by which goroutine.
type scope struct {
	locks  lockset.Relative
	sync   order.Sync
	thread int
	round  order.Counts

	rest *scope     // of a test that may call Parallel: of what comes after that call
	t    *path.Node // of this test
}

// maxVia bounds the calls between a function and an access that it takes over; a deeper access
// stays with its callee.
const maxVia = 5

func calls(c *summary.Call) int {
	n := 0
	for ; c != nil; c = c.Next {
		n++
	}
	return n
}

// maxHoleDepth bounds how many holes are filled one inside the other.
const maxHoleDepth = 3

// take takes over the goroutines, accesses, releases and holes of a callee (UpdateAccessSet,
// Figure 6).
func (b *binding) take(in ssa.Instruction, sum *summary.Function, sc scope, depth int) {
	threads := make([]int, len(sum.Spawns)+1)
	threads[0] = sc.thread
	for i, sp := range sum.Spawns {
		threads[i+1] = b.takeSpawn(in, sp, sc, threads)
	}
	b.f.draft.forks = b.f.draft.forks || len(sum.Spawns) > 0
	whole := sum.Whole && !b.f.draft.sum.Whole
	done := map[accessKey]*summary.Access{}
	for _, a := range sum.Accesses {
		sc := b.part(sc, a.Thread, a.Sync.Released)
		threads[0] = sc.thread
		if a.Thread == 0 && whole {
			b.takeWhole(in, a, sc, done)
		} else {
			b.takeAccess(sum, a, sc, threads[a.Thread])
		}
	}
	for _, r := range sum.Releases {
		if b.f.draft.roomForRelease() {
			sc := b.part(sc, r.Thread, r.Sync.Released)
			threads[0] = sc.thread
			b.takeRelease(r, sc, threads[r.Thread])
		}
	}
	for _, h := range sum.Holes {
		sc := b.part(sc, h.Thread, h.Sync.Released)
		threads[0] = sc.thread
		b.fillEach(in, h, sc, threads[h.Thread], depth)
	}
}

// takeAccess takes over an access of a callee, once for each path that its location may have here.
func (b *binding) takeAccess(sum *summary.Function, a *summary.Access, sc scope, thread int) {
	for alt := range MaxAliases {
		b.alt, b.many = alt, false
		loc := b.node(a.Loc)
		switch {
		case !b.keeps(a, loc, thread):
		case calls(a.Via) >= maxVia:
			b.f.draft.sum.Cuts[summary.BoundCalls]++
		default:
			c := &summary.Access{Loc: loc, Kind: a.Kind, Thread: thread, Pos: a.Pos, Func: a.Func, At: a.At, Taken: a.Taken,
				Via: &summary.Call{Pos: b.pos, Func: sum.Key, Next: a.Via}}
			c.Locks, c.Sync = b.relative(a.Locks), b.sync(a.Sync)
			b.chosen(sc, a.Loc.Root()).place(c, a.Thread)
			b.f.draft.record(c)
		}
		if !b.many {
			break
		}
	}
	b.alt = 0
}

// takeRelease takes over a release of a callee.
func (b *binding) takeRelease(r summary.Release, sc scope, thread int) {
	sync := b.sync(r.Sync)
	if r.Thread == 0 && sc.thread == 0 {
		sync = sc.sync.Then(sync)
	} else {
		sync.Acquired = sc.sync.Acquired.Plus(sync.Acquired)
	}
	times := r.Times
	if b.loop {
		times = order.Many
	}
	b.f.draft.sum.Releases = append(b.f.draft.sum.Releases, summary.Release{Object: b.node(r.Object), Thread: thread, Times: times, Sync: sync})
}

// place puts an access that a goroutine of a callee makes into the scope of the call.
func (sc scope) place(a *summary.Access, thread int) {
	if thread == 0 {
		a.Round = sc.round.Plus(goTokens(a.Sync.Released))
		a.Locks = sc.locks.Then(a.Locks)
		a.Sync = sc.sync.Then(a.Sync)
		return
	}
	a.Sync.Acquired = sc.sync.Acquired.Plus(a.Sync.Acquired)
}

// keeps reports whether an access of a callee is one of the caller, too: isAccessible of section
// 3.3. An access that was settled in the callee stays there, unless a pair inside this frame may
// need it.
func (b *binding) keeps(a *summary.Access, loc *path.Node, thread int) bool {
	if loc == nil {
		return false
	}
	settled := !a.Loc.Formal()
	switch r := loc.Root(); r.Kind {
	case path.Func, path.Const, path.Value, path.Token:
		return false
	case path.Unknown, path.Result:
		return !settled
	case path.Global:
		return !settled || thread > 0 || b.f.draft.forks && a.Via == nil
	case path.Alloc:
		if settled {
			return thread > 0
		}
		return thread > 0 || b.f.sharing.shared(b.s, loc)
	}
	return thread > 0 || b.f.sharing.shared(b.s, loc)
}

// takeWhole takes over an access of a function that is seen from outside, as an access to the whole
// argument, at the call (SY2).
func (b *binding) takeWhole(in ssa.Instruction, a *summary.Access, sc scope, done map[accessKey]*summary.Access) {
	if !a.Loc.Formal() || len(a.Locks.Plus) > 0 || a.Kind.Atomic() || a.Loc.Loads() > 1 {
		return
	}
	kind := a.Kind
	if kind == summary.Append {
		kind = summary.Write
	}
	at := a.Loc.Root()
	if a.Loc.Kind == path.Elem && a.Loc.Base == at {
		at = a.Loc
	}
	loc := b.node(at)
	k := accessKey{loc, kind, sc.thread, b.pos}
	if !b.keeps(a, loc, sc.thread) {
		return
	}
	if c := done[k]; c != nil {
		c.Hidden = c.Hidden && a.Hidden
		return
	}
	c := &summary.Access{Loc: loc, Kind: kind, Thread: sc.thread, Pos: b.pos, Func: b.f.draft.sum.Key, At: loc, Hidden: a.Hidden}
	done[k] = c
	b.chosen(sc, a.Loc.Root()).place(c, 0)
	b.f.draft.record(c)
}

// fillEach fills a hole once for each value that the called function may be here.
func (b *binding) fillEach(in ssa.Instruction, h summary.Hole, sc scope, thread, depth int) {
	seen := nodes{}
	for alt := range MaxAliases {
		b.alt, b.many = alt, false
		v := b.called(h)
		several := b.many
		if !seen[v] {
			seen[v] = true
			b.fill(in, h, v, sc, thread, depth)
		}
		if !several {
			break
		}
	}
	b.alt = 0
}

// fill resolves a hole of a callee, with a value, if the caller knows the called function;
// otherwise the hole is the caller's, too.
func (b *binding) fill(in ssa.Instruction, h summary.Hole, v *path.Node, sc scope, thread, depth int) {
	locks, sync := b.relative(h.Locks), b.sync(h.Sync)
	if h.Thread == 0 {
		locks, sync = sc.locks.Then(locks), sc.sync.Then(sync)
	} else {
		sync.Acquired = sc.sync.Acquired.Plus(sync.Acquired)
	}
	args := make([]aliases, len(h.Args))
	flat := make([]*path.Node, len(h.Args))
	for i, a := range h.Args {
		if n := b.node(a); n != nil {
			args[i], flat[i] = aliases{n}, n
		}
	}
	t, ok := b.f.resolve(v, h.Method)
	if b.fillTest(in, h, v, args, scope{locks: locks, sync: sync, thread: thread, round: sc.round}, depth) {
		return
	}
	sum := b.f.lookup(t.key)
	if ok && sum != nil && depth >= maxHoleDepth {
		b.f.draft.sum.Cuts[summary.BoundNesting]++
	}
	if !ok || sum == nil || depth >= maxHoleDepth {
		for _, a := range args {
			b.f.sharing.reveal(b.s, a)
		}
		if v.Formal() || thread > 0 {
			b.f.draft.addHole(summary.Hole{Value: v, Method: h.Method, Iface: h.Iface, Args: flat, Locks: locks, Sync: sync, Thread: thread, Go: h.Go, Token: b.node(h.Token), Loop: h.Loop || b.loop, Pos: h.Pos})
		}
		return
	}
	if h.Go {
		b.begin(in, h, t, args, scope{locks: locks, sync: sync, thread: thread}, depth)
		return
	}
	b.f.link(b.s, t, args, nil, summary.Edge{Locks: locks, Thread: thread, Forked: b.s.forked, Apart: setApart(sync.Released), Started: goTokens(sync.Released), Sync: joining(sync), Pos: h.Pos})
	inner := &binding{f: b.f, s: b.s, args: withRecv(args, t), free: t.free, pos: h.Pos, loop: b.loop}
	if thread > 0 {
		sp := b.f.draft.sum.Spawns[thread-1]
		sp.Total = sp.Total.Plus(sum.Total.Map(inner.node))
	} else {
		b.f.syncs.mayRelease(sync.Released.Plus(sum.Total.Map(inner.node)))
	}
	at := scope{locks: locks, sync: sync, thread: thread, round: sc.round}
	if h.Thread == 0 {
		at.rest, at.t = sc.rest, sc.t
	}
	inner.leaveEscapes(b.s, sum)
	inner.take(in, sum, at, depth+1)
}
