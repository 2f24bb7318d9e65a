package symbolic

import (
	"maps"

	"github.com/presage-race/presage/internal/static/path"
)

// memory is what is known of the memory that paths lead to, by the root of the path. Inner maps are
// immutable; the outer one belongs to the state that made it (own), other states clone it before
// they change it.
type memory struct {
	roots map[*path.Node]map[*path.Node]aliases
	own   bool
}

// maxCells bounds what is known of one root; beyond it nothing new is learned.
const maxCells = 96

func (m *memory) get(addr *path.Node) (aliases, bool) {
	v, ok := m.roots[addr.Root()][addr]
	return v, ok
}

func (m *memory) writable() {
	if m.own {
		return
	}
	if m.roots == nil {
		m.roots = map[*path.Node]map[*path.Node]aliases{}
	} else {
		m.roots = maps.Clone(m.roots)
	}
	m.own = true
}

// put replaces what is in memory at addr, and forgets what was in it (SY1). Without known it only
// forgets. It reports whether v is kept, as far as it is known.
func (m *memory) put(addr *path.Node, v aliases, known bool) (kept bool) {
	r := addr.Root()
	old := m.roots[r]
	if !known && len(old) == 0 {
		return true
	}
	m.writable()
	cells := make(map[*path.Node]aliases, len(old)+1)
	for a, w := range old {
		if a != addr && !path.Within(addr, a) {
			cells[a] = w
		}
	}
	kept = !known
	if known && len(cells) < maxCells {
		cells[addr] = v
		kept = true
	}
	if len(cells) == 0 {
		delete(m.roots, r)
		return kept
	}
	m.roots[r] = cells
	return kept
}

// drop forgets all that is known of a root.
func (m *memory) drop(r *path.Node) {
	if _, ok := m.roots[r]; ok {
		m.writable()
		delete(m.roots, r)
	}
}

// of returns the cells of a root.
func (m *memory) of(r *path.Node) map[*path.Node]aliases { return m.roots[r] }

func (m *memory) join(o *memory) memory {
	j := memory{own: true, roots: map[*path.Node]map[*path.Node]aliases{}}
	for r, a := range m.roots {
		b := o.roots[r]
		if sameMap(a, b) {
			j.roots[r] = a
			continue
		}
		if c := joinCells(r, a, b); len(c) > 0 {
			j.roots[r] = c
		}
	}
	for r, b := range o.roots {
		if _, done := m.roots[r]; !done {
			if c := joinCells(r, nil, b); len(c) > 0 {
				j.roots[r] = c
			}
		}
	}
	return j
}

// joinCells joins what two branches know of one root. Memory of an own object that one branch has
// not written holds nil there.
func joinCells(r *path.Node, a, b map[*path.Node]aliases) map[*path.Node]aliases {
	c := map[*path.Node]aliases{}
	for addr, v := range a {
		if w, ok := b[addr]; ok {
			if u, ok := merge(v, w); ok {
				c[addr] = u
			} else if element(addr) {
				c[addr] = aliases{addr}
			}
		} else if unwritten(r, addr, v) {
			c[addr] = v
		}
	}
	for addr, w := range b {
		if _, ok := a[addr]; !ok && unwritten(r, addr, w) {
			c[addr] = w
		}
	}
	return c
}

func unwritten(r, addr *path.Node, v aliases) bool {
	return r.Kind == path.Alloc && addr.Loads() == 0 && len(v) > 0 && (v[0].Kind != path.Load || element(addr))
}

// element reports whether a cell is an element of an object that the function has made.
func element(addr *path.Node) bool { return addr.Kind == path.Elem && addr.Base.Kind == path.Alloc }

func sameMap(a, b map[*path.Node]aliases) bool {
	if len(a) != len(b) {
		return false
	}
	for k, v := range a {
		w, ok := b[k]
		if !ok || !sameAliases(v, w) {
			return false
		}
	}
	return true
}

func sameAliases(a, b aliases) bool {
	if len(a) != len(b) {
		return false
	}
	for _, n := range a {
		found := false
		for _, m := range b {
			found = found || n == m
		}
		if !found {
			return false
		}
	}
	return true
}

func (m *memory) equal(o *memory) bool {
	if len(m.roots) != len(o.roots) {
		return false
	}
	for r, a := range m.roots {
		if !sameMap(a, o.roots[r]) {
			return false
		}
	}
	return true
}
