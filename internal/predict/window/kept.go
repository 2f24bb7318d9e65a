package window

import (
	"github.com/presage-race/presage/internal/predict/excluded"
	"github.com/presage-race/presage/internal/trace"
)

// A KeptOrder is a hard edge of a window that is there because of a missing method.
type KeptOrder struct {
	Edge
	Method trace.Addr // the method; 0: one of several
}

// KeptOrders returns the edges of the window that are there because of missing methods.
func (b *Built) KeptOrders() []KeptOrder {
	if b.m == nil {
		return nil
	}
	return b.m.keptBy
}

// keptOrder notes that a missing method has event e of r, which acts on x, follow event f.
func (m *maker) keptOrder(f, e int32, r *record, x excluded.Touch) {
	k := KeptOrder{Edge: Edge{From: f, To: e}}
	if p := r.pair; p != nil {
		k.Method = p.Method
		m.methods[e] = p.Method
	} else if method, ok := m.methods[f]; ok {
		k.Method = method
	} else if p := m.calls.Which(r.e.G, x); p != nil {
		k.Method = p.Method
	}
	m.keptBy = append(m.keptBy, k)
}
