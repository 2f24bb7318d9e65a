package engine

import (
	"slices"

	"github.com/presage-race/presage/internal/trace/format"
)

// explainWake: the thread of x, in the queue since the CondWait w (-1: since before
// the window), is not notified at x.
//
// If no notification stands between w and x, that is the reason. Otherwise it is the
// order of everything on this Cond before x, back to the last CondBroadcast, which
// leaves nobody to be notified whatever stood before it.
func (s *Solver) explainWake(c []lit, x, w int32) []lit {
	o := s.w.Events[x].Obj
	if !s.isQueued(x, w) {
		return c
	}
	if d := s.explainSilence(c, x, w); d != nil {
		return d
	}
	before := s.condBefore(x)
	from := 0
	for i, y := range before {
		if s.w.Events[y].Kind == format.CondBroadcast {
			from = i
		}
	}
	if y := before[from]; s.w.Events[y].Kind == format.CondBroadcast {
		c = s.someLater(c, o, roleCondWait, y)
		c = s.someLater(c, o, roleNotify, y)
	}
	run := append(slices.Clone(before[from:]), x)
	for i := 1; i < len(run); i++ {
		c = s.addLit(c, s.before(run[i], run[i-1]))
	}
	c = s.someEarlier(c, o, roleCondWait, x)
	return s.someEarlier(c, o, roleNotify, x)
}

// isQueued reports that the thread of x is in the queue at all.
func (s *Solver) isQueued(x, w int32) bool {
	if w >= 0 {
		return true
	}
	e := &s.w.Events[x]
	for _, q := range s.w.Init[e.Obj].Waiters {
		if q.Thread == e.Thread {
			return true
		}
	}
	return false
}

// explainSilence: the notifications before x are all before w.
func (s *Solver) explainSilence(c []lit, x, w int32) []lit {
	d := slices.Clone(c)
	for _, q := range s.objs[s.w.Events[x].Obj].ops[roleNotify] {
		if z := lastBefore(q, s.pos, s.pos[x]); z >= 0 {
			if w < 0 || s.pos[z] > s.pos[w] {
				return nil
			}
			d = s.addLit(d, s.before(w, z))
		}
		if z := firstAfter(q, s.pos, s.pos[x]); z >= 0 {
			d = s.addLit(d, s.before(z, x))
		}
	}
	return d
}

// condBefore returns the operations on x's Cond before x, in order, without wakes:
// they do not change who is notified next.
func (s *Solver) condBefore(x int32) []int32 {
	var l []int32
	for _, r := range []role{roleCondWait, roleNotify} {
		for _, q := range s.objs[s.w.Events[x].Obj].ops[r] {
			l = append(l, q[:countBefore(q, s.pos, s.pos[x])]...)
		}
	}
	slices.SortFunc(l, func(a, b int32) int { return int(s.pos[a] - s.pos[b]) })
	return l
}
