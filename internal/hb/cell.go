package hb

import (
	"presage/internal/clock"
	"presage/internal/trace"
)

// seen is one earlier access, with what a report says of it.
type seen struct {
	epoch clock.Epoch
	index int64
	site  trace.Site
	g     trace.GoID
}

// cell is what FastTrack knows of some bytes of one aligned word.
type cell struct {
	w, r seen
	more int32 // crowd+1: unordered reads and atomics; 0: none
}

// crowd holds the accesses of a cell that are unordered among themselves: plain reads
// by several goroutines, and atomic accesses.
type crowd struct {
	reads           []seen
	aReads, aWrites []seen
}

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
	b.aReads = append(b.aReads, a.aReads...)
	b.aWrites = append(b.aWrites, a.aWrites...)
}

func (s *crowds) drop(c *cell) {
	if c.more == 0 {
		return
	}
	w := &s.list[c.more-1]
	w.reads, w.aReads, w.aWrites = w.reads[:0], w.aReads[:0], w.aWrites[:0]
	s.spare = append(s.spare, c.more)
	c.more = 0
}
