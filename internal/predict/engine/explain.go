package engine

import (
	"github.com/presage-race/presage/internal/predict/model"
)

// explainer makes clauses of violations.
type explainer struct {
	static  *static
	objects *objects
	sat     *sat
	reads   *reads
	machine *machine
	facts   *facts
	slicer  *slicer // nil: the window has no terms
}

// explain turns a violation into clauses. It returns the literals one of which has to become true.
// Except for reads, that is one clause, all of whose literals are false in the candidate order: the
// negation of facts of that order that are enough for the violation.
func (ex *explainer) explain(v violation, p model.Pair) []lit {
	x := v.x
	if ex.slicer != nil {
		switch v.rule {
		case ruleRead, ruleElement, ruleLen, ruleDep, ruleSwap, ruleGuard, ruleSource:
			return ex.slicer.explainValue(v, p)
		}
	}
	switch v.rule {
	case ruleRead:
		return ex.reads.explainRead(x, v.y)
	case ruleDep:
		return ex.facts.because(append(ex.reads.happens(x, p), ex.reads.need(v.y)))
	case ruleElement:
		return ex.facts.because(ex.explainElement(x, v.y))
	case ruleLen:
		return ex.facts.because(ex.explainLen(x))
	case ruleBlocked:
		return ex.facts.because(ex.explainBlocked(x, v.y, p))
	case ruleImpatient:
		return ex.facts.because(ex.explainImpatient(x, v.y))
	case ruleSwap:
		return ex.reads.explainSwap(x, v.y)
	case ruleOrder:
		c := ex.static.w.Orders[v.y]
		return ex.facts.because([]lit{ex.sat.out(c.If), ex.sat.out(c.From), ex.sat.before(c.From, c.To)})
	case ruleStatic:
		return ex.facts.because([]lit{ex.sat.out(x), ex.sat.before(v.y, x)})
	}
	return ex.facts.because(ex.explainState(v))
}

// explainState explains why x is not enabled in the state of its object, or never.
func (ex *explainer) explainState(v violation) []lit {
	x, e := v.x, &ex.static.w.Events[v.x]
	out := []lit{ex.sat.out(x)}
	switch v.rule {
	case ruleNever:
	case ruleLock:
		out = ex.explainLock(out, x)
	case ruleUnlock:
		up, down := roleLock, roleUnlock
		if isRead(e) {
			up, down = roleRLock, roleRUnlock
		}
		out = ex.facts.atMost(out, e.Obj, up, down, x)
	case ruleTryFail:
		out = ex.facts.atMost(out, e.Obj, roleLock, roleUnlock, x)
		if !isRead(e) {
			out = ex.facts.atMost(out, e.Obj, roleRLock, roleRUnlock, x)
		}
	case ruleAdd:
		out = ex.facts.atMost(out, e.Obj, rolePlus, roleMinus, x)
	case ruleWait:
		if ex.machine.states[e.Obj].counter > 0 {
			out = ex.facts.atLeast(out, e.Obj, rolePlus, roleMinus, x)
		} else {
			out = ex.facts.atMost(out, e.Obj, rolePlus, roleMinus, x)
		}
	case ruleBegin, ruleEnd, rulePass:
		out = ex.explainOnce(out, v)
	case ruleWake:
		out = ex.explainWake(out, x, v.y)
	case ruleFull, ruleRemaining:
		out = ex.facts.atLeast(out, e.Obj, roleSend, roleRecv, x)
	case ruleEmpty:
		out = ex.facts.atMost(out, e.Obj, roleSend, roleRecv, x)
	case ruleClosed:
		out = ex.explainClosed(out, x, v.y)
	case ruleOpen:
		out = ex.facts.someEarlier(out, e.Obj, roleClose, x)
	case rulePartner:
		out = ex.explainPartner(out, x, v.y)
	case ruleStolen:
		out = append(out, ex.sat.before(x, v.y), ex.sat.before(ex.static.w.Events[v.y].Partner, x))
	case ruleReady:
		out = ex.explainReady(out, x, e.Cases[v.y])
	default:
		panic("engine: no explanation")
	}
	return out
}

// explainOnce: the state advances by the first OnceBegin and the first OnceEnd, so
// two of the same kind exclude each other.
func (ex *explainer) explainOnce(c []lit, v violation) []lit {
	e := &ex.static.w.Events[v.x]
	start := ex.static.w.Init[e.Obj].Once
	switch v.rule {
	case rulePass:
		return ex.facts.someEarlier(c, e.Obj, roleEnd, v.x)
	case ruleBegin:
		if y := ex.facts.anyBefore(e.Obj, roleBegin, v.x); y >= 0 && start == model.OnceFresh {
			return append(c, ex.sat.out(y))
		}
		return c // it was not fresh at the start
	case ruleEnd:
		if y := ex.facts.anyBefore(e.Obj, roleEnd, v.x); y >= 0 {
			return append(c, ex.sat.out(y))
		}
		if start == model.OnceFresh {
			return ex.facts.someEarlier(c, e.Obj, roleBegin, v.x)
		}
	}
	return c
}
