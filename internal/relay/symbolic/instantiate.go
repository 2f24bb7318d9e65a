package symbolic

import (
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"presage/internal/relay/lockset"
	"presage/internal/relay/order"
	"presage/internal/relay/path"
	"presage/internal/relay/summary"
)

// binding replaces the roots of a callee's paths by what they are in the caller: rebind of Figure 5.
type binding struct {
	f    *function
	s    *state
	args []aliases
	vals []ssa.Value // of the arguments, nil if they are not known
	free []*path.Node
	pos  summary.Pos
	loop bool
	alt  int // of several aliases, which
	many bool
}

// node rebinds a path. many is set if a root on the way had several aliases.
func (b *binding) node(n *path.Node) *path.Node {
	if n == nil {
		return nil
	}
	t := b.f.Table
	return t.Subst(n, b.root, func(addr *path.Node, typ string) *path.Node {
		v := b.f.load(b.s, addr, typ)
		switch len(v) {
		case 0:
			return t.Load(addr, typ)
		case 1:
			return v[0]
		}
		b.many = true
		return v[b.alt%len(v)]
	})
}

func (b *binding) root(n *path.Node) *path.Node {
	t := b.f.Table
	switch n.Kind {
	case path.Param:
		if int(n.Index) >= len(b.args) || len(b.args[n.Index]) == 0 {
			return t.Unknown(n.Type)
		}
		v := b.args[n.Index]
		b.many = b.many || len(v) > 1
		return v[b.alt%len(v)].Strip()
	case path.Free:
		if int(n.Index) >= len(b.free) || b.free[n.Index] == nil {
			return t.Unknown(n.Type)
		}
		return b.free[n.Index]
	case path.Alloc:
		return t.Alloc(b.rename(n.Name), n.Type, n.Loop || b.loop, int(n.Cap))
	case path.Result:
		return t.Result(int(n.Index), b.rename(n.Name), n.Type, n.Loop || b.loop)
	case path.Choice:
		return t.Choice(b.rename(n.Name), n.Type)
	case path.Value:
		return t.Value(b.rename(n.Name), n.Loop || b.loop)
	case path.Token:
		if n.Base == nil {
			return t.Root(path.Token, 0, b.rename(n.Name), "")
		}
	}
	return nil
}

// rename tells the sites of different calls apart, two calls deep. Beyond that the name says that several may have it.
func (b *binding) rename(name string) string {
	if strings.Count(name, "@") >= 2 {
		return strings.TrimSuffix(name, path.Deep) + path.Deep
	}
	return name + "@" + b.f.mark(b.pos)
}

// lock rebinds a lock.
func (b *binding) lock(n *path.Node) *path.Node {
	was := b.many
	m := b.node(n)
	b.many = was
	if m.Kind == path.Token && m.Name == "mutex" && m.Base.Buffer() >= -1 && m.Base.Buffer() != 1 { // (X10)
		return nil
	}
	return m
}

// acquired rebinds what was acquired; of one of several objects it is not known which.
func (b *binding) acquired(n *path.Node) *path.Node {
	was := b.many
	b.many = false
	m := b.node(n)
	if b.many {
		m = nil
	}
	b.many = was
	return m
}

func (b *binding) relative(r lockset.Relative) lockset.Relative {
	return lockset.Relative{Plus: r.Plus.Map(b.lock), Minus: r.Minus.Map(b.lock)}
}

func (b *binding) sync(s order.Sync) order.Sync {
	return order.Sync{Acquired: s.Acquired.Map(b.acquired), Released: s.Released.Map(b.node)}
}

// instantiate applies the effect of a callee to the state, and while recording takes over its guarded accesses. It reports
// whether the call comes back, and the results.
func (f *function) instantiate(s *state, in ssa.Instruction, t target, args []aliases, result *ssa.Call) (bool, []aliases) {
	sum := f.Lookup(t.key)
	if f.recording {
		f.link(s, t, args, actuals(in, t, len(args)), summary.Edge{Locks: s.locks, Forked: s.forked, Apart: setApart(s.sync.Released), Started: goTokens(s.sync.Released),
			Flags: s.known(nil), Sync: joining(s.sync), Pos: f.place(in)})
	}
	if sum == nil {
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
	for i, n := range t.free {
		var held *path.Node
		if v, ok := s.mem.get(n); ok && len(v) == 1 {
			held = v[0].Strip()
		}
		e.Held = append(e.Held, held)
		if i < 32 && n != nil && owned(n) {
			e.Owned.Free |= 1 << i
		}
		if i < 32 && held != nil && owned(held) {
			e.Owned.Held |= 1 << i
		}
	}
	for i, a := range args {
		if i < 32 && !slices.ContainsFunc(a, func(n *path.Node) bool { return !owned(n) }) && e.Thread == 0 {
			e.Owned.Args |= 1 << i
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
	var escaped aliases
	for _, n := range sum.Escaped {
		escaped = append(escaped, b.node(n))
	}
	// Arguments that the callee has let escape are among the accesses of goroutines, and among the stores.
	for _, p := range puts {
		f.publish(s, p.addr, p.vals)
		if len(p.vals) <= MaxAliases {
			f.put(s, p.addr, p.vals, true)
		}
	}
	f.escape(s, escaped)
	for _, i := range sum.Leaks {
		if int(i) < len(b.args) {
			f.escape(s, b.args[i])
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

// scope is where a callee's accesses are executed: with these locks, after this synchronisation, by this goroutine.
type scope struct {
	locks  lockset.Relative
	sync   order.Sync
	thread int
	round  order.Counts

	rest *scope     // of a test that may call Parallel: of what comes after that call
	t    *path.Node // of this test
}

// maxVia bounds the calls between a function and an access that it takes over; what is deeper stays with its callee.
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

// take takes over the accesses of a callee (UpdateAccessSet, Figure 6).
func (f *function) take(b *binding, in ssa.Instruction, sum *summary.Function, sc scope, depth int) {
	threads := make([]int, len(sum.Spawns)+1)
	threads[0] = sc.thread
	for i, sp := range sum.Spawns {
		threads[i+1] = f.takeSpawn(b, in, sp, sc, threads)
	}
	f.forks = f.forks || len(sum.Spawns) > 0
	whole := sum.Whole && !f.sum.Whole
	done := map[accessKey]bool{}
	all := sc
	for _, a := range sum.Accesses {
		sc := b.part(all, a.Thread, a.Sync.Released)
		threads[0] = sc.thread
		if a.Thread == 0 && whole {
			f.takeWhole(b, in, a, sc, done)
			continue
		}
		for alt := range MaxAliases {
			b.alt, b.many = alt, false
			loc := b.node(a.Loc)
			switch {
			case !f.keeps(b, a, loc, threads[a.Thread]):
			case calls(a.Via) >= maxVia:
				f.sum.Cuts[summary.BoundCalls]++
			default:
				c := &summary.Access{Loc: loc, Kind: a.Kind, Thread: threads[a.Thread], Pos: a.Pos, Func: a.Func, At: a.At,
					Via: &summary.Call{Pos: b.pos, Func: sum.Key, Next: a.Via}}
				c.Locks, c.Sync = b.relative(a.Locks), b.sync(a.Sync)
				f.inScope(c, b.chosen(sc, a.Loc.Root()), a.Thread)
				f.record(c)
			}
			if !b.many {
				break
			}
		}
		b.alt = 0
	}
	for _, r := range sum.Releases {
		if !f.roomForRelease() {
			continue
		}
		sc := b.part(all, r.Thread, r.Sync.Released)
		threads[0] = sc.thread
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
		f.sum.Releases = append(f.sum.Releases, summary.Release{Object: b.node(r.Object), Thread: threads[r.Thread], Times: times, Sync: sync})
	}
	for _, h := range sum.Holes {
		sc := b.part(all, h.Thread, h.Sync.Released)
		threads[0] = sc.thread
		f.fill(b, in, h, sc, threads[h.Thread], depth)
	}
}

// chosen is the scope of an access below the formal, of which the binding has chosen one path (X15).
func (b *binding) chosen(sc scope, formal *path.Node) scope {
	if i := int(formal.Index); formal.Kind == path.Param && i < len(b.vals) && len(b.args[i]) > 1 {
		sc.locks = b.f.chosen(sc.locks, b.vals[i], b.args[i][b.alt%len(b.args[i])])
	}
	return sc
}

// leaves rebinds the locks at an exit: one of an argument that has several paths is the lock of whichever it is (X15), and all of them may be released.
func (b *binding) leaves(r lockset.Relative) lockset.Relative {
	out := lockset.Relative{Plus: r.Plus.Map(func(n *path.Node) *path.Node {
		if x := b.choice(n); x != nil {
			return x
		}
		return b.lock(n)
	}), Minus: r.Minus.Map(b.lock)}
	for n, m := range r.Minus {
		x := b.choice(n)
		if x == nil {
			continue
		}
		if out.Minus == nil {
			out.Minus = lockset.Set{}
		}
		out.Minus[x] = m
		for b.alt = range b.args[n.Root().Index] {
			out.Minus[b.node(n)] = m
		}
		b.alt = 0
	}
	return out
}

// choice is a lock of a formal, if the argument has several paths.
func (b *binding) choice(n *path.Node) *path.Node {
	r := n.Root()
	i := int(r.Index)
	if r.Kind != path.Param || i >= len(b.vals) || len(b.args[i]) < 2 {
		return nil
	}
	x := b.f.choice(b.s, b.vals[i])
	if x == nil {
		return nil
	}
	return b.f.choose(n, x)
}

// inScope puts an access of a callee into the scope of the call.
func (f *function) inScope(a *summary.Access, sc scope, thread int) {
	if thread == 0 {
		a.Round = sc.round.Plus(goTokens(a.Sync.Released))
		a.Locks = sc.locks.Then(a.Locks)
		a.Sync = sc.sync.Then(a.Sync)
		return
	}
	a.Sync.Acquired = sc.sync.Acquired.Plus(a.Sync.Acquired)
}

// keeps says whether an access of a callee is one of the caller's, too: isAccessible of section 3.3. What was settled in the
// callee stays there, but for what a pair inside this frame may need.
func (f *function) keeps(b *binding, a *summary.Access, loc *path.Node, thread int) bool {
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
		return !settled || thread > 0 || f.forks && a.Via == nil
	case path.Alloc:
		if settled {
			return thread > 0
		}
		return thread > 0 || f.shared(b.s, loc)
	}
	return thread > 0 || f.shared(b.s, loc)
}

// takeWhole takes over an access of a function that is seen from outside: it is an access to the object that was given, at the call (X12).
func (f *function) takeWhole(b *binding, in ssa.Instruction, a *summary.Access, sc scope, done map[accessKey]bool) {
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
	if done[k] || !f.keeps(b, a, loc, sc.thread) {
		return
	}
	done[k] = true
	c := &summary.Access{Loc: loc, Kind: kind, Thread: sc.thread, Pos: b.pos, Func: f.sum.Key, At: loc}
	f.inScope(c, b.chosen(sc, a.Loc.Root()), 0)
	f.record(c)
}

// fill fills a hole of a callee if the caller knows what is in it; otherwise it is the caller's hole, too.
func (f *function) fill(b *binding, in ssa.Instruction, h summary.Hole, sc scope, thread, depth int) {
	v := b.node(h.Value)
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
	t, ok := f.resolve(v, h.Method)
	if f.fillTest(b, in, h, v, args, scope{locks: locks, sync: sync, thread: thread, round: sc.round}, depth) {
		return
	}
	sum := f.Lookup(t.key)
	if ok && sum != nil && depth >= maxHoleDepth {
		f.sum.Cuts[summary.BoundNesting]++
	}
	if !ok || sum == nil || depth >= maxHoleDepth {
		if v.Formal() || thread > 0 {
			f.addHole(summary.Hole{Value: v, Method: h.Method, Iface: h.Iface, Args: flat, Locks: locks, Sync: sync, Thread: thread, Go: h.Go, Loop: h.Loop || b.loop, Pos: h.Pos})
		}
		return
	}
	f.link(b.s, t, args, nil, summary.Edge{Locks: locks, Thread: thread, Forked: b.s.forked, Apart: setApart(sync.Released), Started: goTokens(sync.Released), Sync: joining(sync), Pos: h.Pos})
	inner := &binding{f: f, s: b.s, args: withRecv(args, t), free: t.free, pos: h.Pos, loop: b.loop}
	if thread > 0 {
		sp := f.sum.Spawns[thread-1]
		sp.Total = sp.Total.Plus(sum.Total.Map(inner.node))
	} else {
		f.total = order.Most(f.total, sync.Released.Plus(sum.Total.Map(inner.node)))
	}
	at := scope{locks: locks, sync: sync, thread: thread, round: sc.round}
	if h.Thread == 0 {
		at.rest, at.t = sc.rest, sc.t
	}
	f.take(inner, in, sum, at, depth+1)
}
