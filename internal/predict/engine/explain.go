package engine

import (
	"slices"

	"github.com/presage-race/presage/internal/predict/model"
)

// emit notes a clause to be inserted: it holds in every reordering.
func (s *Solver) emit(lits ...lit) {
	s.pending = append(s.pending, lits)
}

// explain turns a violation into clauses and returns the literals one of which has
// to become true. Except for reads, that is one clause, all of whose literals are
// false in the candidate order: a set of facts of that order that suffices for the
// violation, negated.
func (s *Solver) explain(v violation, p model.Pair) []lit {
	x := v.x
	e := &s.w.Events[x]
	if s.values != nil {
		switch v.rule {
		case ruleRead, ruleElement, ruleLen, ruleDep, ruleSwap, ruleGuard, ruleSource:
			return s.explainValue(v, p)
		}
	}
	switch v.rule {
	case ruleRead:
		return s.explainRead(x, v.y)
	case ruleDep:
		return s.because(append(s.happens(x, p), s.need(v.y)))
	case ruleElement:
		return s.because(s.explainElement(x, v.y))
	case ruleLen:
		return s.because(s.explainLen(x))
	case ruleBlocked:
		return s.because(s.explainBlocked(x, v.y, p))
	case ruleImpatient:
		return s.because(s.explainImpatient(x, v.y))
	case ruleSwap:
		return s.explainSwap(x, v.y)
	case ruleOrder:
		c := s.w.Orders[v.y]
		return s.because([]lit{s.out(c.If), s.out(c.From), s.before(c.From, c.To)})
	case ruleStatic:
		return s.because([]lit{s.out(x), s.before(v.y, x)})
	}
	out := []lit{s.out(x)}
	switch v.rule {
	case ruleNever:
	case ruleLock:
		out = s.explainLock(out, x)
	case ruleUnlock:
		up, down := roleLock, roleUnlock
		if isRead(e) {
			up, down = roleRLock, roleRUnlock
		}
		out = s.atMost(out, e.Obj, up, down, x)
	case ruleTryFail:
		out = s.atMost(out, e.Obj, roleLock, roleUnlock, x)
		if !isRead(e) {
			out = s.atMost(out, e.Obj, roleRLock, roleRUnlock, x)
		}
	case ruleAdd:
		out = s.atMost(out, e.Obj, rolePlus, roleMinus, x)
	case ruleWait:
		if s.states[e.Obj].counter > 0 {
			out = s.atLeast(out, e.Obj, rolePlus, roleMinus, x)
		} else {
			out = s.atMost(out, e.Obj, rolePlus, roleMinus, x)
		}
	case ruleBegin, ruleEnd, rulePass:
		out = s.explainOnce(out, v)
	case ruleWake:
		out = s.explainWake(out, x, v.y)
	case ruleFull, ruleRemaining:
		out = s.atLeast(out, e.Obj, roleSend, roleRecv, x)
	case ruleEmpty:
		out = s.atMost(out, e.Obj, roleSend, roleRecv, x)
	case ruleClosed:
		out = s.explainClosed(out, x, v.y)
	case ruleOpen:
		out = s.noneBefore(out, e.Obj, roleClose, x)
	case rulePartner:
		out = s.explainPartner(out, x, v.y)
	case ruleStolen:
		out = append(out, s.before(x, v.y), s.before(s.w.Events[v.y].Partner, x))
	case ruleReady:
		out = s.explainReady(out, x, e.Cases[v.y])
	default:
		panic("engine: no explanation")
	}
	return s.because(out)
}

// because emits the clause and returns it.
func (s *Solver) because(c []lit) []lit {
	s.emit(c...)
	return c
}

// happens returns the clause so far: "x does not happen", as an executed event or as
// one of the racing pair.
func (s *Solver) happens(x int32, p model.Pair) []lit {
	if x == p.A || x == p.B {
		return []lit{s.racing(x).not()}
	}
	return []lit{s.out(x)}
}

// someLater: a clause literal per chain for the fact that the operations before y
// are before it.
func (s *Solver) someLater(c []lit, o model.Obj, r role, y int32) []lit {
	for _, q := range s.objs[o].ops[r] {
		if z := lastBefore(q, s.pos, s.pos[y]); z >= 0 {
			c = s.addLit(c, s.before(y, z))
		}
	}
	return c
}

// someEarlier: a clause literal per chain for the fact that the operations after y
// are after it.
func (s *Solver) someEarlier(c []lit, o model.Obj, r role, y int32) []lit {
	for _, q := range s.objs[o].ops[r] {
		if z := firstAfter(q, s.pos, s.pos[y]); z >= 0 {
			c = s.addLit(c, s.before(z, y))
		}
	}
	return c
}

func (s *Solver) noneBefore(c []lit, o model.Obj, r role, y int32) []lit {
	return s.someEarlier(c, o, r, y)
}

func (s *Solver) addLit(c []lit, l lit) []lit {
	if l == litFalse || slices.Contains(c, l) {
		return c
	}
	return append(c, l)
}

// atLeast: at y, ups minus downs is at least what it is in the candidate order,
// unless an up moves behind y or a down before it.
func (s *Solver) atLeast(c []lit, o model.Obj, up, down role, y int32) []lit {
	return s.someEarlier(s.someLater(c, o, up, y), o, down, y)
}

func (s *Solver) atMost(c []lit, o model.Obj, up, down role, y int32) []lit {
	return s.atLeast(c, o, down, up, y)
}

// sameSet: exactly these operations are before y.
func (s *Solver) sameSet(c []lit, o model.Obj, r role, y int32) []lit {
	return s.someEarlier(s.someLater(c, o, r, y), o, r, y)
}

// explainOnce: the state advances by the first OnceBegin and the first OnceEnd, so
// two of the same kind exclude each other.
func (s *Solver) explainOnce(c []lit, v violation) []lit {
	e := &s.w.Events[v.x]
	start := s.w.Init[e.Obj].Once
	switch v.rule {
	case rulePass:
		return s.noneBefore(c, e.Obj, roleEnd, v.x)
	case ruleBegin:
		if y := s.anyBefore(e.Obj, roleBegin, v.x); y >= 0 && start == model.OnceFresh {
			return append(c, s.out(y))
		}
		return c // it was not fresh at the start
	case ruleEnd:
		if y := s.anyBefore(e.Obj, roleEnd, v.x); y >= 0 {
			return append(c, s.out(y))
		}
		if start == model.OnceFresh {
			return s.noneBefore(c, e.Obj, roleBegin, v.x)
		}
	}
	return c
}

// anyBefore returns an operation that stands before x, or -1.
func (s *Solver) anyBefore(o model.Obj, r role, x int32) int32 {
	for _, q := range s.objs[o].ops[r] {
		if s.pos[q[0]] < s.pos[x] {
			return q[0]
		}
	}
	return -1
}
