package symbolic

import (
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/static/lockset"
	"github.com/presage-race/presage/internal/static/order"
	"github.com/presage-race/presage/internal/static/path"
	"github.com/presage-race/presage/internal/static/summary"
)

// binding replaces the roots of a callee's paths by what they are in the caller: rebind of
// Figure 5.
type binding struct {
	f    *caller
	s    *state
	args []aliases
	vals []ssa.Value // of the arguments, nil if they are not known
	free []*path.Node
	pos  summary.Pos
	loop bool
	alt  int // of several aliases, which
	many bool
}

// node rebinds a path. many is set if a root of the path had several aliases.
func (b *binding) node(n *path.Node) *path.Node {
	if n == nil {
		return nil
	}
	t := b.f.table
	return t.Subst(n, b.root, func(addr *path.Node, typ string) *path.Node {
		v := b.f.values.load(b.s, addr, typ)
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
	t := b.f.table
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

// rename distinguishes the sites of different calls, two calls deep. Beyond that the name says that
// several may have it.
func (b *binding) rename(name string) string {
	if strings.Count(name, "@") >= 2 {
		return strings.TrimSuffix(name, path.Deep) + path.Deep
	}
	return name + "@" + b.f.places.mark(b.pos)
}

// lock rebinds a lock.
func (b *binding) lock(n *path.Node) *path.Node {
	was := b.many
	m := b.node(n)
	b.many = was
	if m.Kind == path.Token && m.Name == "mutex" && m.Base.Buffer() >= -1 && m.Base.Buffer() != 1 {
		// (SY4)
		return nil
	}
	return m
}

// acquired rebinds an acquired object; nil if it may be one of several objects.
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

// chosen is the scope of an access below the formal, of which the binding has chosen one path
// (SY5).
func (b *binding) chosen(sc scope, formal *path.Node) scope {
	if i := int(formal.Index); formal.Kind == path.Param && i < len(b.vals) && len(b.args[i]) > 1 {
		sc.locks = b.f.choices.chosen(sc.locks, b.vals[i], b.args[i][b.alt%len(b.args[i])])
	}
	return sc
}

// leaves rebinds the locks at an exit. A lock of an argument with several paths is held as a Choice
// (SY5); if it is released, all of its paths may be.
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
	x := b.f.choices.choice(b.s, b.vals[i])
	if x == nil {
		return nil
	}
	return b.f.choices.choose(n, x)
}
