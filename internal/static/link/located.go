package link

import (
	"slices"
	"strings"

	"github.com/presage-race/presage/internal/static/lockset"
	"github.com/presage-race/presage/internal/static/path"
	"github.com/presage-race/presage/internal/static/summary"
)

// located is an access as others see its memory: from where the function has stored what it made
// (X33 of package symbolic); of what a handler has captured by the name of the variable (R34).
func (l *linker) located(f *summary.Function, a *summary.Access) *summary.Access {
	if a.Stored != nil {
		from := *a
		from.Loc, from.Kept = a.Stored, false
		return &from
	}
	if a.Loc.Root().Kind != path.Free || comparable(a.Loc) || !l.handler(f.Key) {
		return a
	}
	table, outer := path.NewTable(), f.Key[:strings.IndexByte(f.Key, '$')]
	variable := func(n *path.Node) *path.Node {
		if n.Kind != path.Free || int(n.Index) >= len(f.Names.Free) {
			return nil
		}
		return table.Root(path.Global, 0, outer+"."+f.Names.Free[n.Index], n.Type)
	}
	node := func(n *path.Node) *path.Node {
		return table.Subst(n, variable, func(addr *path.Node, typ string) *path.Node { return table.Load(addr, typ) })
	}
	named := *a
	named.Loc, named.Locks = node(a.Loc), lockset.Relative{Plus: a.Locks.Plus.Map(node), Minus: a.Locks.Minus.Map(node)}
	return &named
}

// handler reports whether a function is a literal that a library calls for requests and events.
func (l *linker) handler(key string) bool {
	return strings.Contains(key, "$") && slices.ContainsFunc(l.contexts[key], func(c *context) bool {
		return slices.ContainsFunc(c.roots, func(i int) bool {
			r := l.roots[i]
			return r.kind == spawned && r.spawn == nil && r.fn == key && r.by == key
		})
	})
}
