package tree

import "github.com/presage-race/presage/internal/trace/format"

// goroutine is the messages in Γ of a goroutine. Package lockset has its locks.
type goroutine struct {
	serial uint32 // in the order in which goroutines were started, from 1
	// segment is the number of the history of its SND. A goroutine may have an earlier one again
	// (TR6)
	segment uint64
	// siblings is the segment of (TR4), shared by all goroutines that the same one has started
	siblings uint64
	children uint64 // the siblings of the goroutines that it starts; 0: none yet
	written  uint64 // the history of its SND and RCV, as in (TR1); 0: none yet
	pristine bool   // it has sent and received nothing since it was started
	releases releases
}

// goroutines has the goroutines that are alive.
type goroutines struct {
	list     []*goroutine
	spare    []*goroutine
	started  uint32
	segments uint64 // numbers in use
}

func (s *goroutines) at(id format.GoID) *goroutine {
	if int(id) < len(s.list) && s.list[id] != nil {
		return s.list[id]
	}
	return s.start(id, nil)
}

// start makes a goroutine that parent starts. Without a known parent, it has no siblings.
func (s *goroutines) start(id format.GoID, parent *goroutine) *goroutine {
	for int(id) >= len(s.list) {
		s.list = append(s.list, nil)
	}
	t := new(goroutine)
	if n := len(s.spare); n > 0 {
		t, s.spare = s.spare[n-1], s.spare[:n-1]
	}
	s.started++
	*t = goroutine{serial: s.started, segment: s.fresh()}
	if parent != nil {
		if parent.children == 0 {
			parent.children = s.fresh()
		}
		t.siblings, t.pristine = parent.children, true
	}
	s.list[id] = t
	return t
}

func (s *goroutines) end(id format.GoID) {
	s.spare = append(s.spare, s.list[id])
	s.list[id] = nil
}

func (s *goroutines) fresh() uint64 {
	s.segments++
	return s.segments
}

// bits is a set of serial numbers.
type bits []uint64

func (b *bits) add(n uint32) {
	for int(n/64) >= len(*b) {
		*b = append(*b, 0)
	}
	(*b)[n/64] |= 1 << (n % 64)
}

func (b bits) has(n uint32) bool { return int(n/64) < len(b) && b[n/64]>>(n%64)&1 != 0 }
