package engine

import "github.com/presage-race/presage/internal/predict/model"

// orders are the conditional orders (MO9) of a window, by their events.
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
func (m *machine) checkOrders(x int32) {
	if m.orders.of == nil {
		return
	}
	m.orders.now++
	m.orders.when[x] = m.orders.now
	for _, k := range m.orders.of[x] {
		c := &m.static.w.Orders[k]
		if m.ran[c.If] == m.run && m.ran[c.From] == m.run && m.ran[c.To] == m.run && m.orders.when[c.To] < m.orders.when[c.From] {
			m.fail(ruleOrder, x, k)
			return
		}
	}
}

// visitOrders adds the conditional orders that every witness has to keep: those whose condition is
// included.
func (u *obligations) visitOrders() {
	for _, k := range u.given {
		c := &u.static.w.Orders[k]
		if u.includes(c.From) && u.includes(c.To) {
			u.arc(c.From, c.To)
		} else if u.includes(c.To) && u.partial.precedes(c.To, c.From) && u.static.idx[c.From] < u.limit[u.static.chain[c.From]] {
			u.limit[u.static.chain[c.From]] = u.static.idx[c.From] // it can only come after
		}
		if u.refuted {
			return
		}
	}
}
