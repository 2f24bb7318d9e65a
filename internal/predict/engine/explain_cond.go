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
// notifies every waiter, whatever came before it.
func (ex *explainer) explainWake(c []lit, x, w int32) []lit {
	o := ex.static.w.Events[x].Obj
	if !ex.isQueued(x, w) {
		return c
	}
	if d := ex.explainSilence(c, x, w); d != nil {
		return d
	}
	before := ex.condBefore(x)
	from := 0
	for i, y := range before {
		if ex.static.w.Events[y].Kind == format.CondBroadcast {
			from = i
		}
	}
	if y := before[from]; ex.static.w.Events[y].Kind == format.CondBroadcast {
		c = ex.facts.someLater(c, o, roleCondWait, y)
		c = ex.facts.someLater(c, o, roleNotify, y)
	}
	run := append(slices.Clone(before[from:]), x)
	for i := 1; i < len(run); i++ {
		c = ex.facts.addLit(c, ex.sat.before(run[i], run[i-1]))
	}
	c = ex.facts.someEarlier(c, o, roleCondWait, x)
	return ex.facts.someEarlier(c, o, roleNotify, x)
}

// isQueued reports that the thread of x is in the queue at all.
func (ex *explainer) isQueued(x, w int32) bool {
	if w >= 0 {
		return true
	}
	e := &ex.static.w.Events[x]
	for _, q := range ex.static.w.Init[e.Obj].Waiters {
		if q.Thread == e.Thread {
			return true
		}
	}
	return false
}

// explainSilence: the notifications before x are all before w.
func (ex *explainer) explainSilence(c []lit, x, w int32) []lit {
	d := slices.Clone(c)
	for _, q := range ex.objects.objs[ex.static.w.Events[x].Obj].ops[roleNotify] {
		if z := lastBefore(q, ex.sat.order.pos, ex.sat.order.pos[x]); z >= 0 {
			if w < 0 || ex.sat.order.pos[z] > ex.sat.order.pos[w] {
				return nil
			}
			d = ex.facts.addLit(d, ex.sat.before(w, z))
		}
		if z := firstAfter(q, ex.sat.order.pos, ex.sat.order.pos[x]); z >= 0 {
			d = ex.facts.addLit(d, ex.sat.before(z, x))
		}
	}
	return d
}

// condBefore returns the operations on x's Cond before x, in order, without wakes:
// they do not change which waiter is notified next.
func (ex *explainer) condBefore(x int32) []int32 {
	var l []int32
	for _, r := range []role{roleCondWait, roleNotify} {
		for _, q := range ex.objects.objs[ex.static.w.Events[x].Obj].ops[r] {
			l = append(l, q[:countBefore(q, ex.sat.order.pos, ex.sat.order.pos[x])]...)
		}
	}
	slices.SortFunc(l, func(a, b int32) int { return int(ex.sat.order.pos[a] - ex.sat.order.pos[b]) })
	return l
}
