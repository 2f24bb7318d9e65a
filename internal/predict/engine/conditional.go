package engine

import "github.com/presage-race/presage/internal/predict/model"

// orders are the orders on condition (MO9) of a window, by the events that are a part of them.
type orders struct {
	of   [][]int32 // nil: there are none
	when []int32   // by event: how many events the execution had before it
	now  int32
}

func newOrders(w *model.Window) orders {
	if len(w.Orders) == 0 {
		return orders{}
	}
	o := orders{of: make([][]int32, len(w.Events)), when: make([]int32, len(w.Events))}
	for k, c := range w.Orders {
		o.of[c.From] = append(o.of[c.From], int32(k))
		if c.To != c.From {
			o.of[c.To] = append(o.of[c.To], int32(k))
		}
		if c.If != c.From && c.If != c.To {
			o.of[c.If] = append(o.of[c.If], int32(k))
		}
	}
	return o
}

// checkOrders judges the orders of which x, just executed, is a part.
func (s *Solver) checkOrders(x int32) {
	if s.orders.of == nil {
		return
	}
	s.orders.now++
	s.orders.when[x] = s.orders.now
	for _, k := range s.orders.of[x] {
		c := &s.w.Orders[k]
		if s.ran[c.If] == s.run && s.ran[c.From] == s.run && s.ran[c.To] == s.run && s.orders.when[c.To] < s.orders.when[c.From] {
			s.fail(ruleOrder, x, k)
			return
		}
	}
}

// visitOrders adds the orders that every witness has to keep, of those that an included event is
// the condition of.
func (u *obligations) visitOrders() {
	for _, k := range u.given {
		c := &u.w.Orders[k]
		if u.includes(c.From) && u.includes(c.To) {
			u.arc(c.From, c.To)
		} else if u.includes(c.To) && u.precedes(c.To, c.From) && u.idx[c.From] < u.limit[u.chain[c.From]] {
			u.limit[u.chain[c.From]] = u.idx[c.From] // it can only come after
		}
		if u.refuted {
			return
		}
	}
}
