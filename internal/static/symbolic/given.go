package symbolic

import (
	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/static/lockset"
	"github.com/presage-race/presage/internal/static/order"
	"github.com/presage-race/presage/internal/static/path"
	"github.com/presage-race/presage/internal/static/summary"
)

// A goroutine may begin with a function, or with a method of an interface, that the caller of its
// starter gives. Its go statement is a hole in the summary of the starter. The frame that knows the
// function has the goroutine (SY2).

// called is the value that a hole calls. The type that an interface holds stays on a value of
// which a goroutine calls a method that is not seen from outside only (SY2).
func (b *binding) called(h summary.Hole) *path.Node {
	v := b.node(h.Value)
	if h.Method == "" || !h.Go && h.Thread == 0 || h.Value.Kind != path.Param {
		return v
	}
	i := int(h.Value.Index)
	if i >= len(b.args) || len(b.args[i]) == 0 {
		return v
	}
	held := b.args[i][b.alt%len(b.args[i])]
	if t, ok := b.f.resolve(held, h.Method); ok {
		if sum := b.f.lookup(t.key); sum != nil && !sum.Whole {
			return held
		}
	}
	return v
}

// begin starts the goroutine of a go statement in a callee. at is the scope of that statement.
func (b *binding) begin(in ssa.Instruction, h summary.Hole, t target, args []aliases, at scope, depth int) {
	sum, token, all := b.f.lookup(t.key), b.node(h.Token), &b.f.draft.sum.Spawns
	args = withRecv(args, t)
	key := spawnKey{in, token.Name + " " + t.key}
	n, known := b.f.draft.spawns[key]
	if !known {
		*all = append(*all, &summary.Spawn{Token: token, Parent: at.thread, Many: h.Loop || b.loop, Loop: b.loop, Pos: h.Pos, Func: t.key, Locks: at.locks, Sync: at.sync})
		n = len(*all)
		b.f.draft.spawns[key] = n
		if b.loop {
			b.f.draft.spawnLoop[n] = b.f.graph.current()
		}
	}
	b.f.draft.forks = true
	b.f.link(b.s, t, args, nil, summary.Edge{Thread: n, Forked: true, Started: goTokens(at.sync.Released), Pos: h.Pos})
	inner := &binding{f: b.f, s: b.s, args: args, free: t.free, pos: h.Pos, loop: b.loop}
	(*all)[n-1].Total = sum.Total.Map(inner.node)
	inner.leaveEscapes(b.s, sum)
	inner.take(in, sum, scope{locks: lockset.Relative{}, sync: order.Sync{Acquired: at.sync.Acquired.Plus(order.Counts{token: 1})}, thread: n}, depth+1)
}

// givenReleases yields the releases of the functions that goroutines of a callee call and that this
// frame gives, with the Token of the go statement.
func (b *binding) givenReleases(sum *summary.Function, yield func(token, object *path.Node, many bool)) {
	for _, h := range sum.Holes {
		token, many := h.Token, h.Loop
		if h.Thread > 0 {
			token, many = sum.Spawns[h.Thread-1].Token, h.Loop || sum.Spawns[h.Thread-1].Many
		}
		t, ok := b.f.resolve(b.called(h), h.Method)
		if fn := b.f.lookup(t.key); token != nil && ok && fn != nil {
			args := make([]aliases, len(h.Args))
			for i, a := range h.Args {
				if n := b.node(a); n != nil {
					args[i] = aliases{n}
				}
			}
			inner := &binding{f: b.f, s: b.s, args: withRecv(args, t), free: t.free, pos: h.Pos, loop: b.loop}
			for o := range fn.Total {
				yield(b.node(token), inner.node(o), many)
			}
		}
	}
}
