package window

import (
	"github.com/presage-race/presage/internal/predict/flow"
	"github.com/presage-race/presage/internal/trace/format"
)

// Lifetimes of objects around a fork: whether an address denotes the same object at the fork, at an
// event of the trace, and at the end of the window.

func (s *surroundings) Settled(addr uint64) bool {
	return s.sameObject(addr, s.came+1)
}

// Stays implements [flow.Surroundings].
func (s *surroundings) Stays(addr uint64, event int64) bool {
	return s.sameObject(addr, s.m.b.lastRecord(event)+1)
}

// InPool implements [flow.Surroundings].
func (s *surroundings) InPool(pool uint64, x flow.Pooled) bool {
	now, known := s.initial(x.Word, 8)
	if !known || !s.Stays(pool, x.At) || !s.Stays(x.Data, x.At) || s.off.others(pool>>3, s.g) {
		return false
	}
	s.alone[pool>>3] = true
	return s.m.agreesWithPool(pooledAt{pool, x, now})
}

// A pooledAt is an object of a pool, and its word when the window begins.
type pooledAt struct {
	pool uint64
	flow.Pooled
	word uint64
}

// agreesWithPool reports what InPool does, of the recorded run.
func (m *layout) agreesWithPool(x pooledAt) (agrees bool) {
	agrees, ok := m.pooled[x]
	if ok {
		return agrees
	}
	if m.pooled == nil {
		m.pooled = map[pooledAt]bool{}
	}
	defer func() { m.pooled[x] = agrees }()
	now := x.word
	first := x.At >= m.recs[0].Index // the window has the first Put
	written := m.lastPlainWrite(x.pool)
	if now != 0 && (first || written >= 0) {
		return false
	}
	for _, i := range m.at(x.Word) {
		r := &m.recs[i]
		switch {
		case first && r.Event.Kind.IsWrite() && r.Index < x.At, written >= 0 && !m.precedes(written, i):
			return false
		case r.Event.Kind == format.AtomicWrite:
			now = r.Event.Val
		case r.Event.Kind != format.AtomicRMW || r.Event.Val != now:
			return false
		default:
			now = r.Event.Aux
		}
	}
	return true
}

// Allocation implements [flow.Surroundings].
func (s *surroundings) Allocation(addr uint64) int {
	if s.Settled(addr) {
		return 0
	}
	return int(s.m.generation(addr, int32(len(s.m.allocs)))) + 1
}

// sameObject reports whether v, as a pointer at record i, is one to the same object at the end of
// the window.
func (s *surroundings) sameObject(v uint64, i int) bool {
	if v < 4096 || v >= 1<<48 || len(s.m.allocs) == 0 {
		return true
	}
	return s.m.generation(v, s.m.allocsBefore(i)) == s.m.generation(v, int32(len(s.m.allocs)))
}
