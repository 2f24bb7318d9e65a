package window

import (
	"slices"

	"github.com/presage-race/presage/internal/trace/format"
)

// Variant returns the window in which a goroutine goes another way, and the events of that way, from the first on. What the
// goroutine did after the fork in the recorded run is in no reordering any more (Never); nor is what rests on it: goroutines started
// there, what a hard edge puts behind it, what waits for its end, a send that it received.
//
// The recorded order of a variant is not a reordering. Its events are valid until the next call:
// copying them is most of what a way costs that has few pairs to try.
func (b *Built) Variant(k int) (w *Window, from int32) {
	way := &b.Alternatives[k]
	w = &Window{Edges: b.Edges, Orders: b.Orders, Init: b.Init, Threads: slices.Clone(b.Threads), Semantics: b.Semantics, Names: b.Names}
	from = int32(len(b.Events))
	b.variant = append(append(b.variant[:0], b.Events...), way.Events...)
	w.Events = b.variant
	ghost := Thread(-1)
	for i := range w.Events[:from] {
		e := &w.Events[i]
		switch {
		case e.Thread == way.Thread && int32(i) >= way.Leaves:
			if ghost < 0 {
				ghost = Thread(len(w.Threads))
				w.Threads = append(w.Threads, -1)
			}
			e.Thread, e.Never = ghost, true
			e.Strict, e.Deps, e.Where, e.ValDeps, e.Guards, e.Value, e.Partner = false, nil, nil, nil, nil, nil, -1
		case e.Kind == format.Join && Thread(e.Obj) == way.Thread:
			e.Never = true
		case e.Partner >= 0 && w.Events[e.Partner].Thread == way.Thread && e.Partner >= way.Leaves:
			e.Never = true
		}
		if len(e.Where) > 0 { // (J5)
			e.Deps, e.Where = merge(e.Deps, e.Where), nil
		}
	}
	return w, from
}
