package window

import (
	"github.com/presage-race/presage/internal/predict/model"
	"github.com/presage-race/presage/internal/trace/format"
)

// State that is no memory (O8 of docs/theory/model.md): the garbage collector, files, what C code
// remembers, the number of goroutines. Operations on it synchronise with nothing, and their results
// depend on earlier operations:
//
//   - (S1) An operation that reads files or C memory keeps its order with those that may change
//     them. Two changes have no order among each other, unless a read follows.
//   - (S2) An operation that reads the number of goroutines keeps its order with every Go and every
//     End. No alternative starts a goroutine in a window with such an operation. If a Go or an End
//     is not in the window, no later operation of this kind is.
//   - (S3) An operation on the whole program is a cut. What was before it in the recorded run comes
//     before it, what was behind it comes behind it.

// observe executes an Observe.
func (m *syncs) observe(i int, r *record, t *thread) {
	switch r.Event.Obj {
	case format.StateProgram:
		if m.cutAny { // what it has to follow may not be in the window
			m.cut(t)
			m.dropped(i, r)
			return
		}
		n := m.add(t, i, model.Event{Kind: model.Pin, Obj: -1, Deps: m.reads.resolve(r.Needs)})
		m.afterAll(t, n)
		m.cutAt = n + 1
	case format.StateGoroutines:
		if m.miscounted {
			m.cut(t)
			return
		}
		n := m.add(t, i, model.Event{Kind: model.Pin, Obj: -1, Deps: m.reads.resolve(r.Needs)})
		for _, u := range m.order {
			if u != t {
				m.edge(u.counted-1, n)
			}
		}
		t.looked = n + 1
	default:
		if m.objs[r.obj].poisoned {
			m.cut(t)
			return
		}
		m.hiddenSync(i, r, t, &m.objs[r.obj])
	}
}

// count has t, at a Go or End, in order with who looks at how many goroutines there are (S2).
func (m *syncs) count(i int, t *thread) {
	if !m.counting {
		return
	}
	n := m.add(t, i, model.Event{Kind: model.Pin, Obj: -1})
	for _, u := range m.order {
		if u != t {
			m.edge(u.looked-1, n)
		}
	}
	t.counted = n + 1
}

// afterCut has event n of t behind the last cut (S3).
func (m *graph) afterCut(t *thread, n int32) {
	if m.cutAt > t.after {
		m.edge(m.cutAt-1, n)
		t.after = m.cutAt
	}
}
