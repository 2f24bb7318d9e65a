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
	first := x.At >= s.From() // the window has the first Put
	written := s.m.lastPlainWrite(pool)
	if now != 0 && (first || written >= 0) {
		return false
	}
	for _, i := range s.m.at(x.Word) {
		r := &s.m.recs[i]
		switch {
		case first && r.Event.Kind.IsWrite() && r.Index < x.At, written >= 0 && !s.m.precedes(written, i):
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
