package built

import (
	"slices"

	"github.com/presage-race/presage/internal/predict/model"
	"github.com/presage-race/presage/internal/trace/format"
)

// Variant returns the window with alternative k in place of what its goroutine did after the fork,
// and the number of the alternative's first event. The events that are replaced are in no
// reordering (Never). So are those that depend on them: goroutines started there, targets of hard
// edges from there, a Join that waits for the goroutine's end, a send that it received.
//
// The recorded order of a variant is not a reordering. Its events are valid until the next call:
// they share one buffer, because to copy them is most of the cost of an alternative that has few
// pairs to try.
func (b *Window) Variant(k int) (w *model.Window, from int32) {
	way := &b.Alternatives[k]
	w = &model.Window{Edges: b.Edges, Orders: b.Orders, Init: b.Init, Threads: slices.Clone(b.Threads), Semantics: b.Semantics, Names: b.Names}
	from = int32(len(b.Events))
	b.variant = append(append(b.variant[:0], b.Events...), way.Events...)
	w.Events = b.variant
	ghost := model.Thread(-1)
	for i := range w.Events[:from] {
		e := &w.Events[i]
		switch {
		case e.Thread == way.Thread && int32(i) >= way.Leaves:
			if ghost < 0 {
				ghost = model.Thread(len(w.Threads))
				w.Threads = append(w.Threads, -1)
			}
			e.Thread, e.Never = ghost, true
			e.Strict, e.Deps, e.Where, e.ValDeps, e.Guards, e.Value, e.Partner = false, nil, nil, nil, nil, nil, -1
		case e.Kind == format.Join && model.Thread(e.Obj) == way.Thread:
			e.Never = true
		case e.Partner >= 0 && w.Events[e.Partner].Thread == way.Thread && e.Partner >= way.Leaves:
			e.Never = true
		}
		if len(e.Where) > 0 { // (WI8)
			e.Deps, e.Where = model.Union(e.Deps, e.Where), nil
		}
	}
	return w, from
}
