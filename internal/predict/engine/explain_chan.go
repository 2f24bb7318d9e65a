package engine

import (
	"github.com/presage-race/presage/internal/predict/model"
	"github.com/presage-race/presage/internal/trace/format"
)

// explainElement: the needed receive x got the element of y (-1: an initial one). It
// is the element of x's number; the number is the count of receives before x, and
// y's is the count of sends before y.
func (ex *explainer) explainElement(x, y int32) []lit {
	e := &ex.static.w.Events[x]
	c := ex.facts.sameSet([]lit{ex.reads.need(x).not()}, e.Obj, roleRecv, x)
	if y < 0 {
		return c
	}
	c = ex.facts.sameSet(c, e.Obj, roleSend, y)
	if ex.static.w.Events[y].Val == e.Val {
		c = ex.facts.addLit(c, ex.reads.whole(y))
	}
	return c
}

func (ex *explainer) explainLen(x int32) []lit {
	e := &ex.static.w.Events[x]
	c := []lit{ex.reads.need(x).not()}
	if ex.objects.objs[e.Obj].init.Cap == 0 {
		return c
	}
	return ex.facts.sameSet(ex.facts.sameSet(c, e.Obj, roleSend, x), e.Obj, roleRecv, x)
}

// explainBlocked: the thread of x is still in the send y, whose number is the count
// of sends before it; too few receives stand before x.
func (ex *explainer) explainBlocked(x, y int32, p model.Pair) []lit {
	c := ex.reads.happens(x, p)
	at := x
	if x == p.A || x == p.B {
		at = ex.sat.order.cursor
	}
	o, _ := ex.machine.slot(y)
	if y >= 0 {
		c = ex.facts.someLater(c, o, roleSend, y)
	}
	return ex.facts.someEarlier(c, o, roleRecv, at)
}

// explainClosed: x comes after the close y. Two closes exclude each other.
func (ex *explainer) explainClosed(c []lit, x, y int32) []lit {
	switch {
	case y < 0:
		return c
	case ex.static.w.Events[x].Kind == ex.static.w.Events[y].Kind:
		return append(c, ex.sat.out(y))
	}
	return append(c, ex.sat.before(x, y))
}

// explainPartner: the receiver p of x is not waiting: it has gone on, or has not
// arrived.
func (ex *explainer) explainPartner(c []lit, x, p int32) []lit {
	switch {
	case p < 0:
		return c
	case ex.sat.order.pos[p] < ex.sat.order.pos[x]:
		return append(c, ex.sat.before(x, p))
	}
	return append(c, ex.sat.before(ex.static.prev[p], x))
}

// explainReady: the case is ready at the default x.
func (ex *explainer) explainReady(c []lit, x int32, cs model.Case) []lit {
	in := &ex.static.w.Init[cs.Chan]
	if in.Closed {
		return c
	}
	if y := ex.facts.anyBefore(cs.Chan, roleClose, x); y >= 0 {
		return append(c, ex.sat.before(x, y))
	}
	if cs.Send {
		return ex.facts.atMost(c, cs.Chan, roleSend, roleRecv, x)
	}
	return ex.facts.atLeast(c, cs.Chan, roleSend, roleRecv, x)
}

// explainImpatient: x takes the element of y, and both selects have a ready case or
// do not wait at all.
func (ex *explainer) explainImpatient(x, y int32) []lit {
	o := ex.static.w.Events[x].Obj
	c := ex.facts.sameSet([]lit{ex.sat.out(x)}, o, roleRecv, x)
	c = ex.facts.sameSet(c, o, roleSend, y)
	for _, z := range [2]int32{x, y} {
		if i := ex.readyCaseAt(z, x); i >= 0 {
			c = ex.explainReady(c, x, ex.static.w.Events[z].Cases[i])
		}
	}
	return c
}

// readyCaseAt returns a case of z's select that is ready at x, or a negative number.
func (ex *explainer) readyCaseAt(z, x int32) int {
	e := &ex.static.w.Events[z]
	if e.Flags&format.FlagNonBlocking != 0 {
		return impatient
	}
	for i, c := range e.Cases {
		if c.Chan != ex.static.w.Events[x].Obj && ex.facts.readyAt(c, x) {
			return i
		}
	}
	panic("engine: a patient rendezvous")
}
