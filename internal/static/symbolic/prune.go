package symbolic

import (
	"slices"

	"github.com/presage-race/presage/internal/static/lockset"
	"github.com/presage-race/presage/internal/static/order"
	"github.com/presage-race/presage/internal/static/path"
	"github.com/presage-race/presage/internal/static/summary"
)

// prune removes from a summary what no caller can name: objects that the function or its callees
// have made, and that are dead when it returns. Objects in results, in memory that callers reach,
// and in goroutines that outlive the function are live.
func prune(sum *summary.Function) {
	p := &pruner{live: nodes{}}
	for _, r := range sum.Results {
		p.all(r)
	}
	for _, s := range sum.Spawns {
		p.spawn(s)
	}
	for _, a := range sum.Accesses {
		if a.Thread > 0 {
			p.add(a.Loc)
			p.relative(a.Locks)
			p.sync(a.Sync)
		}
	}
	for _, r := range sum.Releases {
		if r.Thread > 0 {
			p.add(r.Object)
			p.sync(r.Sync)
		}
	}
	for _, h := range sum.Holes {
		p.add(h.Value)
		p.add(h.Token)
		p.all(h.Args)
	}
	for again := true; again; {
		n := len(p.live)
		for _, s := range sum.Stores {
			if !p.dead(s.Addr) {
				p.add(s.Value)
			}
		}
		again = len(p.live) > n
	}
	sum.Stores = slices.DeleteFunc(sum.Stores, func(s summary.Store) bool { return p.dead(s.Addr) })
	sum.Escaped, sum.Published = slices.DeleteFunc(sum.Escaped, p.dead), slices.DeleteFunc(sum.Published, p.dead)
	sum.Releases = slices.DeleteFunc(sum.Releases, func(r summary.Release) bool { return p.dead(r.Object) })
	for i := range sum.Releases {
		sum.Releases[i].Sync = p.pruned(sum.Releases[i].Sync)
	}
	for i := range sum.Exits {
		e := &sum.Exits[i]
		e.Sync = p.pruned(e.Sync)
		e.Locks = lockset.Relative{Plus: e.Locks.Plus.Map(p.keep), Minus: e.Locks.Minus.Map(p.keep)}
	}
	sum.Total = p.counts(sum.Total)
	for i := range sum.Holes {
		sum.Holes[i].Sync = p.pruned(sum.Holes[i].Sync)
	}
	for _, a := range sum.Accesses {
		a.Sync = p.pruned(a.Sync)
		a.Round = p.counts(a.Round)
	}
}

// pruner knows the live objects of a summary.
type pruner struct{ live nodes }

func (p *pruner) add(n *path.Node) {
	if n == nil {
		return
	}
	r := n.Strip().Root()
	if r.Kind == path.Func {
		p.all(r.Args)
	}
	if own(r) {
		p.live[r] = true
	}
	p.all(n.Args)
}

func (p *pruner) all(list []*path.Node) {
	for _, n := range list {
		p.add(n)
	}
}

func (p *pruner) sync(s order.Sync) {
	for _, c := range []order.Counts{s.Acquired, s.Released} {
		for o := range c {
			p.add(o)
		}
	}
}

func (p *pruner) relative(r lockset.Relative) {
	for l := range r.Plus {
		p.add(l)
	}
}

func (p *pruner) spawn(s *summary.Spawn) {
	p.add(s.Token)
	p.sync(s.Sync)
	p.add(s.Late)
	for o := range s.Total {
		p.add(o)
	}
	if s.Again != nil {
		p.sync(*s.Again)
	}
}

// own reports whether a root is an object, or a goroutine's Token, that the function has made.
func own(r *path.Node) bool {
	return r.Kind == path.Alloc || r.Kind == path.Result || r.Kind == path.Choice || r.Kind == path.Token && r.Base == nil
}

func (p *pruner) dead(n *path.Node) bool {
	r := n.Root()
	return own(r) && !p.live[r]
}

func (p *pruner) keep(n *path.Node) *path.Node {
	if p.dead(n) {
		return nil
	}
	return n
}

func (p *pruner) counts(c order.Counts) order.Counts {
	for o := range c {
		if p.dead(o) {
			return c.Map(p.keep)
		}
	}
	return c
}

func (p *pruner) pruned(s order.Sync) order.Sync {
	return order.Sync{Acquired: p.counts(s.Acquired), Released: p.counts(s.Released)}
}
