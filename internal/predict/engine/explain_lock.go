package engine

import (
	"github.com/presage-race/presage/internal/predict/model"
	"github.com/presage-race/presage/internal/trace/format"
)

func isRead(e *model.Event) bool { return e.Flags&format.FlagRead != 0 }

// explainLock: the lock is held at the acquire x. On a disciplined lock, one
// critical section or one inherited hold is in the way; the clause orders the two.
// Otherwise it counts.
func (s *Solver) explainLock(c []lit, x int32) []lit {
	e := &s.w.Events[x]
	o := &s.objs[e.Obj]
	if o.disciplined {
		if d := s.explainInherited(c, x); d != nil {
			return d
		}
		if d := s.explainSection(c, x); d != nil {
			return d
		}
	}
	if s.states[e.Obj].writers > 0 {
		return s.atLeast(c, e.Obj, roleLock, roleUnlock, x)
	}
	return s.atLeast(c, e.Obj, roleRLock, roleRUnlock, x)
}

// explainInherited: x waits for a release that the window's initial state owes.
func (s *Solver) explainInherited(c []lit, x int32) []lit {
	o := &s.objs[s.w.Events[x].Obj]
	holds := [2]int{0, int(o.init.Readers)}
	if o.init.Writer {
		holds[0] = 1
	}
	for mode, held := range holds {
		if held == 0 || mode == 1 && isRead(&s.w.Events[x]) {
			continue
		}
		if len(o.inherited[mode]) < held {
			return c // never released
		}
		for _, u := range o.inherited[mode] {
			if s.pos[u] > s.pos[x] {
				return append(c, s.before(u, x))
			}
		}
	}
	return nil
}

// explainSection: x is inside the critical section of y. One of the two is not
// executed, or the sections follow each other.
func (s *Solver) explainSection(c []lit, x int32) []lit {
	y := s.openSection(x)
	if y < 0 {
		return nil
	}
	c = s.addLit(c, s.out(y))
	if r := s.release[y]; r >= 0 {
		c = s.addLit(c, s.before(r, x))
	}
	if r := s.release[x]; r >= 0 {
		c = s.addLit(c, s.before(r, y))
	}
	return c
}

// openSection returns an acquire in conflict with x whose section x stands in.
func (s *Solver) openSection(x int32) int32 {
	e := &s.w.Events[x]
	roles := []role{roleLock, roleRLock}
	if isRead(e) {
		roles = roles[:1]
	}
	for _, r := range roles {
		for _, q := range s.objs[e.Obj].ops[r] {
			for k := countBefore(q, s.pos, s.pos[x]) - 1; k >= 0; k-- {
				u := s.release[q[k]]
				if u < 0 || s.pos[u] > s.pos[x] {
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
