package window

import (
	"cmp"
	"slices"

	"github.com/presage-race/presage/internal/trace"
)

// Late reads of words with an observed race (WI2).

// obscure ends goroutines that may have read a in a hidden turn while it was racing (WI2). The
// record of a late read is at the end of its context, and the hooks of other goroutines' accesses
// run before these accesses. So the read saw the racing write, if at all, after the last operation
// of synchronisation before the accesses that it races with.
func (m *sharing) obscure(a *atom) {
	for k := range a.lanes {
		l := &a.lanes[k]
		for i := range l.turns {
			if x := &l.turns[i]; x.looks {
				m.skipAfter(l.g, m.earliestMeeting(a, l, x))
			}
		}
	}
}

// earliestMeeting returns the record after which turn x of l may have overlapped a conflicting
// turn: the last operation of synchronisation, by the other goroutine, before the nearest
// conflicting turns. It is -1 if that is before the window, and the number of records if there are
// none.
func (m *sharing) earliestMeeting(a *atom, l *lane, x *turn) int {
	since := len(m.recs)
	for o := range a.lanes {
		u := &a.lanes[o]
		k, _ := slices.BinarySearchFunc(u.turns, x.last, func(y turn, last int32) int { return cmp.Compare(y.first, last) })
		for _, y := range u.turns[max(0, k-1):min(len(u.turns), k+1)] {
			if u.g != l.g && (x.writes || y.writes) {
				since = min(since, m.contextOf(u.g, int(y.first)))
			}
		}
	}
	return since
}

// contextOf is the last operation of synchronisation of g before record i, -1 if that is before the
// window.
func (m *sharing) contextOf(g trace.GoID, i int) int {
	for i--; i >= 0; i-- {
		if e := &m.recs[i].Event; e.G == g && synchronises(e.Kind) {
			break
		}
	}
	return i
}

// skipAfter ends g at its first record after record i.
func (m *sharing) skipAfter(g trace.GoID, i int) {
	for i++; i < m.onPath; i++ {
		if m.recs[i].Event.G == g {
			if !m.recs[i].skip {
				m.b.count.Uncertain++
			}
			m.recs[i].skip = true
			return
		}
	}
}
