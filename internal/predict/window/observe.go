package window

import (
	"github.com/presage-race/presage/internal/predict/model"
	"github.com/presage-race/presage/internal/trace/format"
)

// State outside memory: the garbage collector, files, what C code remembers, the number of
// goroutines. Operations on it synchronise with nothing, and their results depend on earlier
// operations.
//
//   - (WI5) An operation that reads files or C memory keeps its order with the operations that may
//     change them. Two changes are not ordered with each other, unless a read follows. An operation
//     that reads the number of goroutines keeps its order with every Go and every End. If a Go or
//     an End is not in the window, no later operation of this kind is; and no alternative starts a
//     goroutine in a window with such an operation. An operation on the whole program is a *cut*:
//     what was recorded before it comes before it, what was recorded after it comes after it.

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

// count orders t, at a Go or End, with the operations that read the number of goroutines (WI5).
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

// afterCut puts event n of t after the last cut (WI5).
func (m *graph) afterCut(t *thread, n int32) {
	if m.cutAt > t.after {
		m.edge(m.cutAt-1, n)
		t.after = m.cutAt
	}
}
