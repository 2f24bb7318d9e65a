package fasttrack

import (
	"github.com/presage-race/presage/internal/detect/clock"
	"github.com/presage-race/presage/internal/detect/shadow"
	"github.com/presage-race/presage/internal/trace/format"
)

// seen is one earlier access, with what a report says of it.
type seen struct {
	epoch clock.Epoch
	index int64
	site  format.Site
	g     format.GoID
}

func (s *seen) access(kind format.Kind) shadow.Access {
	return shadow.Access{Index: s.index, G: s.g, Site: s.site, Kind: kind}
}

// cell is W and R of a location.
type cell struct {
	w, r  seen  // r: of one reader; none while there are several
	more  int32 // crowd+1, 0: none
	raced bool
}

// crowd is the accesses of a cell that are unordered among themselves.
type crowd struct{ reads, atomicReads, atomicWrites []seen }

// crowds are the crowds of all cells; those that no cell has are used again.
type crowds struct {
	list  []crowd
	spare []int32
}

// of returns c's crowd, making one.
func (s *crowds) of(c *cell) *crowd {
	if c.more == 0 {
		c.more = s.add()
	}
	return &s.list[c.more-1]
}

func (s *crowds) add() int32 {
	if n := len(s.spare); n > 0 {
		k := s.spare[n-1]
		s.spare = s.spare[:n-1]
		return k
	}
	s.list = append(s.list, crowd{})
	return int32(len(s.list))
}

// split gives a copy of a cell a crowd of its own.
func (s *crowds) split(to, from *cell) {
	if from.more == 0 {
		return
	}
	to.more = s.add()
	a, b := &s.list[from.more-1], &s.list[to.more-1]
	b.reads = append(b.reads, a.reads...)
	b.atomicReads = append(b.atomicReads, a.atomicReads...)
	b.atomicWrites = append(b.atomicWrites, a.atomicWrites...)
}

func (s *crowds) drop(c *cell) {
	if c.more == 0 {
		return
	}
	w := &s.list[c.more-1]
	w.reads, w.atomicReads, w.atomicWrites = w.reads[:0], w.atomicReads[:0], w.atomicWrites[:0]
	s.spare = append(s.spare, c.more)
	c.more = 0
}

// put gives a its place in a set of unordered accesses: that of its own slot, as in a vector.
func put(s []seen, a seen) []seen {
	for i := range s {
		if s[i].epoch.Slot() == a.epoch.Slot() {
			s[i] = a
			return s
		}
	}
	return append(s, a)
}
