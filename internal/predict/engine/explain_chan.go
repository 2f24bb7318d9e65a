package engine

import (
	"github.com/presage-race/presage/internal/predict/model"
	"github.com/presage-race/presage/internal/trace/format"
)

// explainElement: the needed receive x got the element of y (-1: an initial one). It
// is the element of x's number; the number is the count of receives before x, and
// y's is the count of sends before y.
func (s *Solver) explainElement(x, y int32) []lit {
	e := &s.w.Events[x]
	c := s.sameSet([]lit{s.need(x).not()}, e.Obj, roleRecv, x)
	if y < 0 {
		return c
	}
	c = s.sameSet(c, e.Obj, roleSend, y)
	if s.w.Events[y].Val == e.Val {
		c = s.addLit(c, s.whole(y))
	}
	return c
}

func (s *Solver) explainLen(x int32) []lit {
	e := &s.w.Events[x]
	c := []lit{s.need(x).not()}
	if s.objs[e.Obj].init.Cap == 0 {
		return c
	}
	return s.sameSet(s.sameSet(c, e.Obj, roleSend, x), e.Obj, roleRecv, x)
}

// explainBlocked: the thread of x is still in the send y, whose number is the count
// of sends before it; too few receives stand before x.
func (s *Solver) explainBlocked(x, y int32, p model.Pair) []lit {
	c := s.happens(x, p)
	at := x
	if x == p.A || x == p.B {
		at = s.cursor
	}
	o, _ := s.slot(y)
	if y >= 0 {
		c = s.someLater(c, o, roleSend, y)
	}
	return s.someEarlier(c, o, roleRecv, at)
}

// explainClosed: x comes after the close y. Two closes exclude each other.
func (s *Solver) explainClosed(c []lit, x, y int32) []lit {
	switch {
	case y < 0:
		return c
	case s.w.Events[x].Kind == s.w.Events[y].Kind:
		return append(c, s.out(y))
	}
	return append(c, s.before(x, y))
}

// explainPartner: the receiver p of x is not waiting: it has gone on, or has not
// arrived.
func (s *Solver) explainPartner(c []lit, x, p int32) []lit {
	switch {
	case p < 0:
		return c
	case s.pos[p] < s.pos[x]:
		return append(c, s.before(x, p))
	}
	return append(c, s.before(s.prev[p], x))
}

// explainReady: the case is ready at the default x.
func (s *Solver) explainReady(c []lit, x int32, cs model.Case) []lit {
	in := &s.w.Init[cs.Chan]
	if in.Closed {
		return c
	}
	if y := s.anyBefore(cs.Chan, roleClose, x); y >= 0 {
		return append(c, s.before(x, y))
	}
	if cs.Send {
		return s.atMost(c, cs.Chan, roleSend, roleRecv, x)
	}
	return s.atLeast(c, cs.Chan, roleSend, roleRecv, x)
}

// explainImpatient: x takes the element of y, and both selects have a ready case or
// do not wait at all.
func (s *Solver) explainImpatient(x, y int32) []lit {
	o := s.w.Events[x].Obj
	c := s.sameSet([]lit{s.out(x)}, o, roleRecv, x)
	c = s.sameSet(c, o, roleSend, y)
	for _, z := range [2]int32{x, y} {
		if i := s.readyCaseAt(z, x); i >= 0 {
			c = s.explainReady(c, x, s.w.Events[z].Cases[i])
		}
	}
	return c
}

// readyCaseAt returns a case of z's select that is ready at x, or a negative number.
func (s *Solver) readyCaseAt(z, x int32) int {
	e := &s.w.Events[z]
	if e.Flags&format.FlagNonBlocking != 0 {
		return impatient
	}
	for i, c := range e.Cases {
		if c.Chan != s.w.Events[x].Obj && s.readyAt(c, x) {
			return i
		}
	}
	panic("engine: a patient rendezvous")
}

// readyAt reports that c is ready where x stands in the candidate order.
func (s *Solver) readyAt(c model.Case, x int32) bool {
	in := &s.w.Init[c.Chan]
	if in.Closed || s.anyBefore(c.Chan, roleClose, x) >= 0 {
		return true
	}
	n := len(in.Queue)
	for _, q := range s.objs[c.Chan].ops[roleSend] {
		n += countBefore(q, s.pos, s.pos[x])
	}
	for _, q := range s.objs[c.Chan].ops[roleRecv] {
		n -= countBefore(q, s.pos, s.pos[x])
	}
	return c.Send && n < int(in.Cap) || !c.Send && n > 0
}
