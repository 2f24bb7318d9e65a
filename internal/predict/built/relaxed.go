package built

import (
	"slices"

	"github.com/presage-race/presage/internal/predict/model"
	"github.com/presage-race/presage/internal/trace/format"
)

// Relaxed returns a window w, this one or a variant, without the rules that keep outside code as
// recorded. It drops
//
//   - that reads of outside code keep their writers (Strict);
//   - that arguments and results of outside calls, and what emitted code hands to outside code,
//     keep their values; what is accessed because of them may be elsewhere (Where);
//   - that a sync.Once of outside code is run by the goroutine that ran it;
//   - weak edges, conditional orders, and edges that keep turns of outside code together.
//
// With others, it also drops the order of operations of outside code that do not wait, of objects
// from a sync.Pool and of looks at files. That is not for a race inside outside code, which may be
// on such an object.
//
// What the goroutines do after such a change is unknown. So a reordering of the relaxed window is
// no witness, but a schedule to try. Branches of emitted code go as recorded. ok is false if the
// window has nothing to drop.
func (b *Window) Relaxed(w *model.Window, others bool) (x *model.Window, ok bool) {
	c := *w
	c.Events = slices.Clone(w.Events)
	for i := range c.Events {
		e := &c.Events[i]
		if e.Flags&format.FlagOpaque == 0 {
			if e.Kind.IsAccess() && len(e.Deps) > 0 {
				e.Where, e.Deps, ok = model.Union(e.Where, e.Deps), nil, true
			}
			continue
		}
		switch e.Kind {
		case format.OnceBegin, format.OnceEnd, format.OncePass:
			e.Kind, e.Obj, ok = model.Pin, -1, true
		case model.Pin:
			e.Deps, ok = nil, true
		default:
			ok = ok || e.Strict
			e.Strict = false
		}
	}
	for _, p := range b.LoosePins {
		c.Events[p].Deps, ok = nil, true
	}
	c.Edges = slices.DeleteFunc(slices.Clone(w.Edges), func(e model.Edge) bool {
		l := b.Loose[e]
		return e.Weak || l == LooseTurn || others && l == LooseOutside
	})
	if b.Excluded == nil {
		c.Orders = nil
	}
	return &c, ok || len(c.Edges) < len(w.Edges) || len(c.Orders) < len(w.Orders)
}
