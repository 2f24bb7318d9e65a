package built

import (
	"slices"

	"github.com/presage-race/presage/internal/predict/expr"
	"github.com/presage-race/presage/internal/predict/flow"
	"github.com/presage-race/presage/internal/predict/model"
	"github.com/presage-race/presage/internal/trace/format"
)

// Variant returns the window with alternatives, each of another goroutine, in place of what their
// goroutines did after the forks. Their events follow those of the window, in the order of ways.
// The Index of a step is AlternativeBase plus the number of the step, those of the alternatives
// before it included. The events that are replaced are in no reordering (Never). So are those that
// depend on them: goroutines started there, targets of hard edges from there, a Join that waits for
// the goroutine's end, a call of a function of sync.OnceFunc or the like whose result an
// alternative decides. A non-blocking send that it received needs another receiver.
//
// The recorded order of a variant is not a reordering. Its events are valid until the next call:
// they share one buffer, because to copy them is most of the cost of an alternative that has few
// pairs to try.
func (b *Window) Variant(ways ...*Way) *model.Window {
	w := b.like()
	from := len(b.Events)
	b.variant = append(b.variant[:0], b.Events...)
	steps := int64(0)
	for _, way := range ways {
		b.variant = append(b.variant, b.shifted(way, len(b.variant)-from, steps)...)
		steps += int64(len(way.Steps))
	}
	w.Events = b.variant
	leaves := make(map[model.Thread]int32, len(ways)) // the first event that is replaced
	for _, way := range ways {
		leaves[way.Thread] = way.Leaves
	}
	for _, way := range ways {
		for _, c := range way.Cuts {
			if first, ok := leaves[c.Thread]; !ok || c.Leaves < first {
				leaves[c.Thread] = c.Leaves
			}
		}
	}
	var decided []model.Obj
	for _, way := range ways {
		decided = append(decided, way.decided()...)
	}
	ghosts := make(map[model.Thread]model.Thread, len(ways))
	for i := range w.Events[:from] {
		e := &w.Events[i]
		first, off := leaves[e.Thread]
		e.Never = e.Never || passes(e, decided)
		switch {
		case off && int32(i) >= first:
			ghost, ok := ghosts[e.Thread]
			if !ok {
				ghost = model.Thread(len(w.Threads))
				ghosts[e.Thread] = ghost
				w.Threads = append(w.Threads, -1)
			}
			e.Thread, e.Never = ghost, true
			e.Strict, e.Deps, e.Where, e.ValDeps, e.Guards, e.Value, e.Partner = false, nil, nil, nil, nil, nil, -1
		case e.Kind == format.Join:
			_, off := leaves[model.Thread(e.Obj)]
			e.Never = e.Never || off
		case e.Partner >= 0: // an alternative may receive in its place
			e.Partner = model.Anyone
		}
		needAddress(e)
	}
	return w
}

// like returns a window without events that is otherwise as b.
func (b *Window) like() *model.Window {
	return &model.Window{Edges: b.Edges, Orders: b.Orders, Init: b.Init, Threads: slices.Clone(b.Threads), Semantics: b.Semantics, Names: b.Names}
}

// shifted returns the events of an alternative, with others before them: as many events, and steps.
func (b *Window) shifted(way *Way, events int, steps int64) []model.Event {
	if events == 0 && steps == 0 {
		return way.Events
	}
	n, by := int32(len(b.Events)), int32(events)
	list := slices.Clone(way.Events)
	move := func(events []int32) []int32 {
		if k := len(events); k == 0 || events[k-1] < n {
			return events
		}
		events = slices.Clone(events)
		for k := range events {
			if events[k] >= n {
				events[k] += by
			}
		}
		return events
	}
	terms := expr.Replacer{With: func(r *expr.Expr) *expr.Expr {
		if r.Number() < int64(n) {
			return r
		}
		recorded, _ := r.Recorded()
		return expr.NewRead(r.Number()+int64(by), int64(r.Bytes()), recorded)
	}}
	term := func(t *model.Term) *model.Term {
		if k := len(t.Reads()); k == 0 || t.Reads()[k-1] < n {
			return t
		}
		return model.NewTerm(terms.Replace(t.Expr, flow.AlternativeBase))
	}
	for i := range list {
		e := &list[i]
		e.Index += steps
		e.Deps, e.Where, e.ValDeps = move(e.Deps), move(e.Where), move(e.ValDeps)
		if e.Partner >= n {
			e.Partner += by
		}
		e.Guards = slices.Clone(e.Guards)
		for k := range e.Guards {
			e.Guards[k].Term = term(e.Guards[k].Term)
		}
		if e.Value != nil {
			e.Value = term(e.Value)
		}
	}
	return list
}

// needAddress makes an access need the reads that its address rests on: a goroutine that has left
// its path may read what the access of another one has left elsewhere (WI8).
func needAddress(e *model.Event) {
	if len(e.Where) > 0 {
		e.Deps, e.Where = model.Union(e.Deps, e.Where), nil
	}
}
