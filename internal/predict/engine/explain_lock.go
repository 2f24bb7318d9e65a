package engine

import (
	"github.com/presage-race/presage/internal/predict/model"
	"github.com/presage-race/presage/internal/trace/format"
)

func isRead(e *model.Event) bool { return e.Flags&format.FlagRead != 0 }

// explainLock: the lock is held at the acquire x. On a disciplined lock, one
// critical section or one inherited hold is in the way; the clause orders the two.
// Otherwise it counts.
func (ex *explainer) explainLock(c []lit, x int32) []lit {
	e := &ex.static.w.Events[x]
	o := &ex.objects.objs[e.Obj]
	if o.disciplined {
		if d := ex.explainInherited(c, x); d != nil {
			return d
		}
		if d := ex.explainSection(c, x); d != nil {
			return d
		}
	}
	if ex.machine.states[e.Obj].writers > 0 {
		return ex.facts.atLeast(c, e.Obj, roleLock, roleUnlock, x)
	}
	return ex.facts.atLeast(c, e.Obj, roleRLock, roleRUnlock, x)
}

// explainInherited: x waits for a release that the window's initial state owes.
func (ex *explainer) explainInherited(c []lit, x int32) []lit {
	o := &ex.objects.objs[ex.static.w.Events[x].Obj]
	holds := [2]int{0, int(o.init.Readers)}
	if o.init.Writer {
		holds[0] = 1
	}
	for mode, held := range holds {
		if held == 0 || mode == 1 && isRead(&ex.static.w.Events[x]) {
			continue
		}
		if len(o.inherited[mode]) < held {
			return c // never released
		}
		for _, u := range o.inherited[mode] {
			if ex.sat.order.pos[u] > ex.sat.order.pos[x] {
				return append(c, ex.sat.before(u, x))
			}
		}
	}
	return nil
}

// explainSection: x is inside the critical section of y. One of the two is not
// executed, or the sections follow each other.
func (ex *explainer) explainSection(c []lit, x int32) []lit {
	y := ex.openSection(x)
	if y < 0 {
		return nil
	}
	c = ex.facts.addLit(c, ex.sat.out(y))
	if r := ex.objects.release[y]; r >= 0 {
		c = ex.facts.addLit(c, ex.sat.before(r, x))
	}
	if r := ex.objects.release[x]; r >= 0 {
		c = ex.facts.addLit(c, ex.sat.before(r, y))
	}
	return c
}

// openSection returns an acquire in conflict with x whose section x stands in.
func (ex *explainer) openSection(x int32) int32 {
	e := &ex.static.w.Events[x]
	roles := []role{roleLock, roleRLock}
	if isRead(e) {
		roles = roles[:1]
	}
	for _, r := range roles {
		for _, q := range ex.objects.objs[e.Obj].ops[r] {
			for k := countBefore(q, ex.sat.order.pos, ex.sat.order.pos[x]) - 1; k >= 0; k-- {
				u := ex.objects.release[q[k]]
				if u < 0 || ex.sat.order.pos[u] > ex.sat.order.pos[x] {
					return q[k]
				}
				if r == roleLock {
					break // sections of one chain do not nest
				}
			}
		}
	}
	return -1
}
