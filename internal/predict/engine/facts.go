package engine

import (
	"slices"

	"github.com/presage-race/presage/internal/predict/model"
)

// facts are parts of clauses: negated facts of the candidate order, about counts of operations. See
// section Explanations of the package doc.
type facts struct {
	sat     *sat
	objects *objects
}

// because emits the clause and returns it.
func (f *facts) because(c []lit) []lit {
	f.sat.emit(c...)
	return c
}

// someLater appends, per chain, the literal that the last operation before y comes later.
func (f *facts) someLater(c []lit, o model.Obj, r role, y int32) []lit {
	for _, q := range f.objects.objs[o].ops[r] {
		if z := lastBefore(q, f.sat.order.pos, f.sat.order.pos[y]); z >= 0 {
			c = f.addLit(c, f.sat.before(y, z))
		}
	}
	return c
}

// someEarlier appends, per chain, the literal that the first operation after y comes earlier.
func (f *facts) someEarlier(c []lit, o model.Obj, r role, y int32) []lit {
	for _, q := range f.objects.objs[o].ops[r] {
		if z := firstAfter(q, f.sat.order.pos, f.sat.order.pos[y]); z >= 0 {
			c = f.addLit(c, f.sat.before(z, y))
		}
	}
	return c
}

func (f *facts) addLit(c []lit, l lit) []lit {
	if l == litFalse || slices.Contains(c, l) {
		return c
	}
	return append(c, l)
}

// atLeast: at y, ups minus downs is at least what it is in the candidate order, unless an up moves
// behind y or a down before it.
func (f *facts) atLeast(c []lit, o model.Obj, up, down role, y int32) []lit {
	return f.someEarlier(f.someLater(c, o, up, y), o, down, y)
}

// atMost is atLeast for a count that is too low.
func (f *facts) atMost(c []lit, o model.Obj, up, down role, y int32) []lit {
	return f.atLeast(c, o, down, up, y)
}

// sameSet: exactly these operations are before y.
func (f *facts) sameSet(c []lit, o model.Obj, r role, y int32) []lit {
	return f.someEarlier(f.someLater(c, o, r, y), o, r, y)
}

// anyBefore returns an operation that stands before x, or -1.
func (f *facts) anyBefore(o model.Obj, r role, x int32) int32 {
	for _, q := range f.objects.objs[o].ops[r] {
		if f.sat.order.pos[q[0]] < f.sat.order.pos[x] {
			return q[0]
		}
	}
	return -1
}

// readyAt reports that case c is ready at x in the candidate order.
func (f *facts) readyAt(c model.Case, x int32) bool {
	in := &f.sat.order.static.w.Init[c.Chan]
	if in.Closed || f.anyBefore(c.Chan, roleClose, x) >= 0 {
		return true
	}
	n := len(in.Queue)
	for _, q := range f.objects.objs[c.Chan].ops[roleSend] {
		n += countBefore(q, f.sat.order.pos, f.sat.order.pos[x])
	}
	for _, q := range f.objects.objs[c.Chan].ops[roleRecv] {
		n -= countBefore(q, f.sat.order.pos, f.sat.order.pos[x])
	}
	return c.Send && n < int(in.Cap) || !c.Send && n > 0
}

// asRecorded returns the open literals that agree with the recorded order; all, if there are none.
func (f *facts) asRecorded(c []lit) []lit {
	var kept []lit
	for _, l := range c {
		x, y, ok := f.sat.vars.arc(l)
		if ok && f.sat.value[l] == 0 && x != f.sat.order.cursor && y != f.sat.order.cursor && f.sat.order.static.place[x] < f.sat.order.static.place[y] {
			kept = append(kept, l)
		}
	}
	if len(kept) > 0 {
		return kept
	}
	return c
}
