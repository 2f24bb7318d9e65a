package window

import (
	"slices"

	"presage/internal/trace/format"
)

// looseness says why an edge is not in a relaxed window.
type looseness uint8

const (
	_       looseness = iota
	ofPool            // who gets an object from a sync.Pool comes after who put it there
	ofTurn            // (E4)
	ofFiles           // (S1)
)

// firstHeap is where the heap begins; in front of it are the program's variables.
const firstHeap = 0xc000000000

// loosen notes why the edges from number k on are there.
func (m *maker) loosen(k int, why looseness) {
	for _, e := range m.w.Edges[k:] {
		m.loose[e] = why
	}
}

// Relaxed returns the window without what outside code rests on by what it reads and is given: its
// reads may see any write, its arguments may be others, nothing is said of what may be hidden in a turn (E4). Whoever comes first to a
// sync.Once of outside code runs its function, and, with others, who gets an object from a
// sync.Pool gets some object, and who looks at files sees something: not for a race in outside
// code, which may be on such an object. What the goroutines do then is not known, so a reordering
// of it is no witness, but a schedule to try. ok is false if the window has nothing of the kind.
func (b *Built) Relaxed(w *Window, others bool) (x *Window, ok bool) {
	c := *w
	c.Events = slices.Clone(w.Events)
	for i := range c.Events {
		e := &c.Events[i]
		if e.Flags&format.FlagOpaque == 0 {
			continue
		}
		switch e.Kind {
		case format.OnceBegin, format.OnceEnd, format.OncePass:
			e.Kind, e.Obj, ok = Pin, -1, true
		case Pin:
			e.Deps, ok = nil, true
		default:
			ok = ok || e.Strict
			e.Strict = false
		}
	}
	for _, p := range b.m.arguments {
		c.Events[p].Deps, ok = nil, true
	}
	c.Edges = slices.DeleteFunc(slices.Clone(w.Edges), func(e Edge) bool {
		l := b.m.loose[e]
		return e.Weak || l == ofTurn || others && (l == ofPool || l == ofFiles)
	})
	if !b.m.b.miss.active() {
		c.Orders = nil
	}
	return &c, ok || len(c.Edges) < len(w.Edges) || len(c.Orders) < len(w.Orders)
}
