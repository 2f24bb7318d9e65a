package window

import (
	"presage/internal/footprint"
	"presage/internal/trace/format"
)

// Some functions of the standard library tell about goroutines (F15 of package footprint). That synchronises with nothing, and what they say is how it was:
//
//   - (L1) a call that sees how many there are keeps its order with what changes that, every Go and every End; no alternative starts one, if the program has such a call;
//   - (L2) one that sees what each of them does keeps its order with all events of the others;
//   - (L3) such calls are in no order among each other by that.

// looking is what the second pass knows of such calls.
type looking struct {
	last    int32 // that saw all goroutines: its last event, +1; 0: none
	lookOff bool  // one of them is not in the window
}

// looks is what a record that is an end of a call sees.
func (m *maker) looks(r *record) footprint.Sees {
	if !m.b.prints.looks || r.e.Kind != format.OpaqueBegin && r.e.Kind != format.OpaqueEnd {
		return footprint.NoGoroutines
	}
	return m.b.prints.sets[r.touch].Sees
}

// counts reports whether a record changes how many goroutines there are.
func (m *maker) counts(r *record) bool {
	return m.b.prints.looks && (r.e.Kind == format.Go || r.e.Kind == format.End)
}

// count has t, at a record that counts, in order with those who look (L1).
func (m *maker) count(i int, r *record, t *thread) {
	if !m.counts(r) {
		return
	}
	n := m.add(t, i, Event{Kind: Pin, Obj: -1})
	for _, u := range m.order {
		if u != t {
			m.edge(u.looked-1, n)
		}
	}
	t.counted = n + 1
}

// look has event n of t, an end of a call, in order with what it sees.
func (m *maker) look(r *record, t *thread, n int32) {
	sees := m.looks(r)
	if sees == footprint.NoGoroutines {
		return
	}
	for _, u := range m.order {
		switch {
		case u == t:
		case sees == footprint.AllGoroutines: // (L2)
			m.edge(u.last, n)
		default:
			m.edge(u.counted-1, n)
		}
	}
	if t.looked = n + 1; sees == footprint.AllGoroutines {
		m.last = n + 1
	}
}

// afterLooks has event n of t after the look at it before (L2).
func (m *maker) afterLooks(t *thread, n int32) {
	if m.last > t.after {
		m.edge(m.last-1, n)
		t.after = m.last
	}
}
