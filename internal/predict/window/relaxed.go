package window

import (
	"slices"

	"github.com/presage-race/presage/internal/trace/format"
)

// Relaxed returns the window without what outside code rests on by what it reads and is given, and
// without what rests on outside code: its reads may see any write, its arguments and results may be
// others, and so may be what emitted code gives back to it; what is accessed on the way may be
// elsewhere; nothing is said of what may be hidden in a turn (E4). Whoever comes first to a
// sync.Once of outside code runs its function. With others, operations of outside code that do not
// wait keep no order, who gets an object from a sync.Pool gets some object, and who looks at files
// sees something: not for a race in outside code, which may be on such an object. What the
// goroutines do then is not known, so a reordering of it is no witness, but a schedule to try.
// Branches of emitted code go as they went. ok is false if the window has nothing of the kind.
func (b *Built) Relaxed(w *Window, others bool) (x *Window, ok bool) {
	c := *w
	c.Events = slices.Clone(w.Events)
	for i := range c.Events {
		e := &c.Events[i]
		if e.Flags&format.FlagOpaque == 0 {
			if e.Kind.IsAccess() && len(e.Deps) > 0 {
				e.Where, e.Deps, ok = merge(e.Where, e.Deps), nil, true
			}
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
	for _, p := range b.LoosePins {
		c.Events[p].Deps, ok = nil, true
	}
	c.Edges = slices.DeleteFunc(slices.Clone(w.Edges), func(e Edge) bool {
		l := b.Loose[e]
		return e.Weak || l == LooseTurn || others && l == LooseOutside
	})
	if b.Excluded == nil {
		c.Orders = nil
	}
	return &c, ok || len(c.Edges) < len(w.Edges) || len(c.Orders) < len(w.Orders)
}
