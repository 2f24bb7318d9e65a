package fasttrack

import (
	"maps"

	"github.com/presage-race/presage/internal/detect/clock"
	"github.com/presage-race/presage/internal/detect/shadow"
	"github.com/presage-race/presage/internal/trace/format"
)

// seen is an earlier access, with its part of a report.
type seen struct {
	epoch clock.Epoch
	index int64
	site  format.Site
	g     format.GoID
}

func (s *seen) access(kind format.Kind) shadow.Access {
	return shadow.Access{Index: s.index, G: s.g, Site: s.site, Kind: kind}
}

// cell is the state of a location.
type cell struct {
	w, r  seen  // r: of one reader; none while there are several
	more  int32 // number of unordered accesses in the table, from 1; 0: none
	raced bool
}

// unordered is the accesses of a cell that are unordered among themselves.
type unordered struct{ reads, atomicReads, atomicWrites accesses }

// accesses are unordered ones, at most one of each slot.
type accesses struct {
	list []seen
	at   map[uint32]int32 // in list, by slot; nil: they are few
}

// few is how many accesses are looked through rather than looked up.
const few = 32

// unorderedSets has the unordered accesses of all cells. Entries that no cell has are used again.
type unorderedSets struct {
	list  []unordered
	spare []int32
}

// of returns the unordered accesses of c, and makes an entry if there is none.
func (s *unorderedSets) of(c *cell) *unordered {
	if c.more == 0 {
		c.more = s.add()
	}
	return &s.list[c.more-1]
}

func (s *unorderedSets) add() int32 {
	if n := len(s.spare); n > 0 {
		k := s.spare[n-1]
		s.spare = s.spare[:n-1]
		return k
	}
	s.list = append(s.list, unordered{})
	return int32(len(s.list))
}

// split gives a copy of a cell an entry of its own.
func (s *unorderedSets) split(to, from *cell) {
	if from.more == 0 {
		return
	}
	to.more = s.add()
	a, b := &s.list[from.more-1], &s.list[to.more-1]
	b.reads.copy(&a.reads)
	b.atomicReads.copy(&a.atomicReads)
	b.atomicWrites.copy(&a.atomicWrites)
}

func (s *unorderedSets) drop(c *cell) {
	if c.more == 0 {
		return
	}
	w := &s.list[c.more-1]
	w.reads.clear()
	w.atomicReads.clear()
	w.atomicWrites.clear()
	s.spare = append(s.spare, c.more)
	c.more = 0
}

// put replaces the access of the same slot by a, or adds a.
func (s *accesses) put(a seen) {
	slot := a.epoch.Slot()
	if s.at != nil {
		if i, ok := s.at[slot]; ok {
			s.list[i] = a
			return
		}
		s.at[slot] = int32(len(s.list))
		s.list = append(s.list, a)
		return
	}
	for i := range s.list {
		if s.list[i].epoch.Slot() == slot {
			s.list[i] = a
			return
		}
	}
	if s.list = append(s.list, a); len(s.list) > few {
		s.at = make(map[uint32]int32, 2*few)
		for i := range s.list {
			s.at[s.list[i].epoch.Slot()] = int32(i)
		}
	}
}

// copy makes s, which is empty, equal to from.
func (s *accesses) copy(from *accesses) {
	s.list, s.at = append(s.list, from.list...), maps.Clone(from.at)
}

func (s *accesses) clear() { s.list, s.at = s.list[:0], nil }
