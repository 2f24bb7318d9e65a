package window

import (
	"github.com/presage-race/presage/internal/predict/built"
	"github.com/presage-race/presage/internal/predict/excluded"
	"github.com/presage-race/presage/internal/predict/model"
)

// keptOrder notes that a missing method has event e of r, which acts on x, follow event f.
func (m *exclusions) keptOrder(f, e int32, r *record, x excluded.Touch) {
	k := built.KeptOrder{Edge: model.Edge{From: f, To: e}}
	if p := r.Pair; p != nil {
		k.Method = p.Method
		m.methods[e] = p.Method
	} else if method, ok := m.methods[f]; ok {
		k.Method = method
	} else if p := m.calls.Which(r.Event.G, x); p != nil {
		k.Method = p.Method
	}
	m.keptBy = append(m.keptBy, k)
}
