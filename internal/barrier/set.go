package barrier

import (
	"slices"

	"presage/internal/trace"
)

// A Set is what a missing method can reach. The zero value is nothing.
type Set struct {
	All    bool // everything
	Cut    bool // with All: because there was too much to list
	Seen   bool // memory alone: what is done with locks, channels and goroutines is in the trace (B11)
	spans  []span
	gos    []trace.GoID
	union  bool // of several Ds
	loud   *Set // of a union: those that are not Seen
	inner  bool // it is the loud of a union
	shared bool // its lists are those of a set that calls name
	have   map[Name]bool
}

// Union returns an empty set that is the union of many Ds.
func Union() Set { return Set{union: true} }

// span is the bytes from ≤ x < to. Spans of a set are sorted and apart.
type span struct{ from, to uint64 }

// MaxSpans is the number of spans from which on a set is everything.
const MaxSpans = 1 << 12

// bytes is the n bytes at addr; past the end of memory there is nothing, and its last byte is one with the byte before.
func bytes(addr, n uint64) span {
	x := span{min(addr, ^uint64(1)), addr + n}
	if x.to <= x.from {
		x.to = ^uint64(0)
	}
	return x
}

// word is what a Reach without a length reaches.
const word = 8

// AddMemory adds n bytes at addr, with the objects of synchronisation that stand there; n = 0: a word.
func (s *Set) AddMemory(addr, n uint64) {
	if n == 0 {
		n = word
	}
	x := bytes(addr, n)
	s.own()
	i, _ := slices.BinarySearchFunc(s.spans, x.from, func(y span, from uint64) int {
		if y.to < from {
			return -1
		}
		return 1
	})
	j := i
	for j < len(s.spans) && s.spans[j].from <= x.to {
		x.from, x.to = min(x.from, s.spans[j].from), max(x.to, s.spans[j].to)
		j++
	}
	s.spans = slices.Replace(s.spans, i, j, x)
	s.limit()
}

// AddGo adds whether goroutine g runs.
func (s *Set) AddGo(g trace.GoID) {
	if s.union && !s.inner {
		s.others().AddGo(g)
	}
	s.own()
	if i, ok := slices.BinarySearch(s.gos, g); !ok {
		s.gos = slices.Insert(s.gos, i, g)
	}
	s.limit()
}

// JoinAll makes a union everything, if d is.
func (s *Set) JoinAll(d *Set) {
	if s.All = s.All || d.All; d.All && !d.Seen {
		s.others().All = true
	}
}

func (s *Set) others() *Set {
	if s.loud == nil {
		s.loud = &Set{union: true, inner: true}
	}
	return s.loud
}

// Add adds all of d.
func (s *Set) Add(d *Set) {
	if s.union && s.includes(d) { // once
		return
	}
	if s.union && !d.Seen {
		s.others().add(d)
	}
	s.add(d)
}

// includes says whether a set with d's name was added to a union before, and notes that one is.
func (s *Set) includes(d *Set) bool {
	name, ok := d.Name()
	if !ok || s.have[name] {
		return ok
	}
	if s.have == nil {
		s.have = make(map[Name]bool)
	}
	s.have[name] = true
	return false
}

func (s *Set) add(d *Set) {
	s.All = s.All || d.All
	if s.own(); len(d.spans) > 8 {
		s.spans = union(s.spans, d.spans)
		s.limit()
	} else {
		for _, x := range d.spans {
			s.AddMemory(x.from, x.to-x.from)
		}
	}
	for _, g := range d.gos {
		s.AddGo(g)
	}
}

// limit makes s everything if it has too many parts: any other set would be smaller than the true one.
func (s *Set) limit() {
	n := MaxSpans
	if s.union {
		n *= MaxSpans
	}
	if len(s.spans)+len(s.gos) > n {
		s.All, s.Cut, s.spans, s.gos = true, true, nil, nil
	}
}

// Empty says whether nothing is reached.
func (s *Set) Empty() bool { return !s.All && len(s.spans) == 0 && len(s.gos) == 0 }

// Hits says whether s has something that x acts on.
func (s *Set) Hits(x Touch) bool {
	switch {
	case x.kind == touchesNothing, s.Seen && x.kind != touchesMemory:
		return false
	case s.union && x.kind != touchesMemory:
		return s.loud != nil && s.loud.hits(x)
	}
	return s.hits(x)
}

func (s *Set) hits(x Touch) bool {
	if x.kind == touchesGo {
		if s.All {
			return true
		}
		_, ok := slices.BinarySearch(s.gos, x.g)
		return ok
	}
	return s.All || s.overlaps(bytes(x.addr, x.n))
}

func (s *Set) overlaps(x span) bool {
	i, _ := slices.BinarySearchFunc(s.spans, x.from, func(y span, from uint64) int {
		if y.to <= from {
			return -1
		}
		return 1
	})
	return i < len(s.spans) && s.spans[i].from < x.to
}

// Meets says whether two sets have something in common.
func (s *Set) Meets(d *Set) bool {
	switch {
	case s.Empty() || d.Empty():
		return false
	case s.All || d.All:
		return true
	case len(d.spans)+len(d.gos) < len(s.spans)+len(s.gos):
		s, d = d, s
	}
	for _, x := range s.spans {
		if d.overlaps(x) {
			return true
		}
	}
	return slices.ContainsFunc(s.gos, func(g trace.GoID) bool { _, ok := slices.BinarySearch(d.gos, g); return ok })
}

// Each calls memory for each span and goroutine for each goroutine of s.
func (s *Set) Each(memory func(from, to uint64), goroutine func(trace.GoID)) {
	for _, x := range s.spans {
		memory(x.from, x.to)
	}
	for _, g := range s.gos {
		goroutine(g)
	}
}
