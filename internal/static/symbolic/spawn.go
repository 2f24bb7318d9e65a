package symbolic

import (
	"fmt"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/static/lockset"
	"github.com/presage-race/presage/internal/static/model"
	"github.com/presage-race/presage/internal/static/order"
	"github.com/presage-race/presage/internal/static/path"
	"github.com/presage-race/presage/internal/static/summary"
)

// takeSpawn takes over a goroutine that a callee starts.
func (b *binding) takeSpawn(in ssa.Instruction, sp *summary.Spawn, sc scope, threads []int) int {
	if sp.Late != nil && sc.rest != nil && b.node(sp.Late) == sc.t {
		sc = *sc.rest // a subtest of a test that may be set apart itself
	} else {
		sc = b.part(sc, sp.Parent, sp.Sync.Released)
	}
	threads[0] = sc.thread
	tok := b.node(sp.Token)
	key := spawnKey{in, tok.Name}
	if i, ok := b.f.draft.spawns[key]; ok {
		return i
	}
	c := *sp
	c.Token, c.Parent, c.Loop = tok, threads[sp.Parent], b.loop
	c.Many = sp.Many || b.loop
	c.Via = &summary.Call{Pos: b.pos, Func: sp.Func, Next: sp.Via}
	c.Sync = b.sync(sp.Sync)
	if sp.Parent == 0 && sc.thread == 0 {
		c.Sync = sc.sync.Then(c.Sync)
	} else {
		c.Sync.Acquired = sc.sync.Acquired.Plus(c.Sync.Acquired)
	}
	c.Total = sp.Total.Map(b.node)
	c.Late = b.node(sp.Late)
	c.Again = nil
	if sp.Again != nil {
		again := b.sync(*sp.Again)
		c.Again = &again
	}
	b.f.draft.sum.Spawns = append(b.f.draft.sum.Spawns, &c)
	b.f.draft.spawns[key] = len(b.f.draft.sum.Spawns)
	if b.loop {
		c.Again = nil
		b.f.draft.spawnLoop[len(b.f.draft.sum.Spawns)] = b.f.graph.current()
	}
	return len(b.f.draft.sum.Spawns)
}

// spawn executes a go statement.
func (cl *caller) spawn(s *state, in ssa.Instruction, c *ssa.CallCommon) {
	targets, holes := cl.targets(s, c)
	args := cl.values.arguments(s, c)
	for _, h := range holes {
		cl.hole(s, in, h, c, args, true)
	}
	if _, ok := c.Value.(*ssa.Builtin); ok {
		return
	}
	cl.start(s, in, targets, args, nil, false)
	for _, a := range args {
		cl.sharing.give(s, a)
	}
	cl.sharing.give(s, cl.values.eval(s, c.Value))
}

// start starts a goroutine that runs one of the targets; done is the WaitGroup that it releases at
// its end.
func (cl *caller) start(s *state, in ssa.Instruction, targets []target, args []aliases, done *path.Node, many bool) {
	token := cl.token(in)
	handed := cl.handed(s, in, targets, args)
	for i, t := range targets {
		if sum := cl.lookup(t.key); sum != nil {
			b := &binding{f: cl, s: s, args: withRecv(args, t), free: t.free, pos: cl.places.place(in), loop: cl.graph.looping()}
			cl.joins.releasesOf(sum.Total, b.node, token)
		}
		if done != nil {
			cl.joins.releases(token, done, cl.graph.looping())
		}
		if cl.draft.recording {
			cl.recordSpawn(s, in, t, withRecv(args, t), handed, done, many, token, i)
		}
		for _, n := range t.free {
			cl.sharing.give(s, aliases{n})
		}
	}
	s.forked, s.added = true, nil
	s.round = s.round.Plus(order.Counts{token: 1})
	cl.syncs.release(s, token, 1)
	for l := range handed {
		cl.locks.lockOne(s, model.Unlock, l, nil)
		s.handed = with(s.handed, l)
	}
}

// token is what the go statement releases and its goroutines acquire.
func (cl *caller) token(in ssa.Instruction) *path.Node {
	return cl.table.Root(path.Token, 0, cl.places.mark(cl.places.place(in)), "")
}

// named adds, to the releases of a goroutine, the names that channels have where they are stored
// (SY3): the goroutine may reach them there, too.
func (cl *caller) named(s *state, total order.Counts) order.Counts {
	for o, n := range total {
		if at := s.places[o.Base]; o.Name == "chan" && at != nil {
			total = total.Plus(order.Counts{cl.table.Of(path.Token, cl.table.Load(at, at.Type), o.Name): n})
		}
	}
	return total
}

// handed are the locks that the started goroutine releases without having taken them: from here on
// they are its own (SY6).
func (cl *caller) handed(s *state, in ssa.Instruction, targets []target, args []aliases) lockset.Set {
	if len(s.locks.Plus) == 0 {
		return nil
	}
	out := lockset.Set{}
	givesUp := func(key string, args []aliases, free []*path.Node) {
		sum := cl.lookup(key)
		if sum == nil {
			return
		}
		b := &binding{f: cl, s: s, args: args, free: free, pos: cl.places.place(in)}
		for _, l := range sum.Gives {
			if n := b.lock(l); n != nil && s.locks.Plus[n] != 0 {
				out[n] = s.locks.Plus[n]
			}
		}
	}
	for _, t := range targets {
		givesUp(t.key, withRecv(args, t), t.free)
	}
	for _, vals := range args {
		for _, v := range vals {
			if v.Kind == path.Func {
				givesUp(v.Name, nil, v.Args)
			}
		}
	}
	return out
}

func (cl *caller) recordSpawn(s *state, in ssa.Instruction, t target, args []aliases, handed lockset.Set, done *path.Node, many bool, token *path.Node, i int) {
	loop := cl.graph.looping()
	sum := cl.lookup(t.key)
	sp := &summary.Spawn{Token: token, Many: loop || many, Loop: loop, Pos: cl.places.place(in), Func: t.key, Locks: s.locks, Sync: s.sync}
	key := spawnKey{in, fmt.Sprint("own", i)}
	n, ok := cl.draft.spawns[key]
	if !ok {
		cl.draft.sum.Spawns = append(cl.draft.sum.Spawns, sp)
		n = len(cl.draft.sum.Spawns)
		cl.draft.spawns[key] = n
		if loop {
			cl.draft.spawnLoop[n] = cl.graph.current()
		}
	}
	sp = cl.draft.sum.Spawns[n-1]
	cl.link(s, t, args, nil, summary.Edge{Locks: lockset.Relative{Plus: handed}, Thread: n, Forked: true, Started: goTokens(s.sync.Released), Flags: s.known(nil), Pos: sp.Pos})
	b := &binding{f: cl, s: s, args: args, free: t.free, pos: sp.Pos, loop: loop}
	sc := scope{locks: lockset.Relative{Plus: handed}, sync: order.Sync{Acquired: s.sync.Acquired.Plus(order.Counts{token: 1})}, thread: n}
	if sum != nil {
		sp.Total = cl.named(s, sum.Total.Map(b.node))
		b.take(in, sum, sc, 0)
	}
	if done != nil {
		r := order.Sync{Acquired: sc.sync.Acquired, Released: sp.Total}
		cl.draft.sum.Releases = append(cl.draft.sum.Releases, summary.Release{Object: done, Thread: n, Times: 1, Sync: r})
		sp.Total = sp.Total.Plus(order.Counts{done: 1})
	}
}
