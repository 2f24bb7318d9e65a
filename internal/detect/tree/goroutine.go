package tree

import "github.com/presage-race/presage/internal/trace/format"

// goroutine is Γ of a goroutine but for its locks, which package lockset has.
type goroutine struct {
	serial uint32 // in the order in which goroutines were started, from 1
	// stands for the history of its SND; unique, but that (T7) may give an earlier one back
	segment uint64
	// the segment of (T5), which it shares with all that the same goroutine has started
	siblings uint64
	children uint64 // that of the goroutines it starts; 0: none yet
	written  uint64 // its history of SND and RCV, as in (T2); 0: nothing yet
	pristine bool   // it has sent and received nothing since it was started
	releases releases
}

// goroutines are those alive.
type goroutines struct {
	list     []*goroutine
	spare    []*goroutine
	started  uint32
	segments uint64 // numbers given
}

func (s *goroutines) at(id format.GoID) *goroutine {
	if int(id) < len(s.list) && s.list[id] != nil {
		return s.list[id]
	}
	return s.start(id, nil)
}

// start makes a goroutine, started by parent if that is known. One that nobody starts has no
// siblings.
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
