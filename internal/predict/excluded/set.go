package excluded

import (
	"slices"

	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// A Set is a D: what an excluded call can reach. The zero value is empty.
type Set struct {
	All bool // everything
	Cut bool // with All: it had too many parts to list

	// Seen reports that the call's operations on locks, channels and goroutines are in the trace,
	// so that the set is memory only (EX9).
	Seen bool

	spans  spans // memory, and objects there
	gos    []trace.GoID
	union  bool // of several Ds
	unseen *Set // of a union: the union of the sets that are not Seen
	inner  bool // it is the field unseen of a union
	shared bool // its lists belong to a set that several calls name
	have   map[Name]bool
}

// Union returns an empty set that is the union of many Ds.
func Union() Set { return Set{union: true} }

// MaxSpans is the largest number of parts of a D. A larger D is everything.
const MaxSpans = 1 << 12

// AddReach adds the part that e lists, a Reach or ReachGo.
func (s *Set) AddReach(e *trace.Event) {
	if e.Kind == format.ReachGo {
		s.AddGo(trace.GoID(e.Obj))
	} else {
		s.AddMemory(uint64(e.Obj), e.Val)
	}
}

// AddMemory adds n bytes at addr, with the objects of synchronisation in them. If n is 0, it adds a
// word.
func (s *Set) AddMemory(addr, n uint64) {
	s.own()
	s.spans = s.spans.add(part(addr, n))
	s.limit()
}

func part(addr, n uint64) span {
	if n == 0 {
		n = word
	}
	return bytes(addr, n)
}

// AddGo adds goroutine g: whether it runs.
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

// JoinAll makes a union everything, if d is everything.
func (s *Set) JoinAll(d *Set) {
	if s.All = s.All || d.All; d.All && !d.Seen {
		s.others().All = true
	}
}

func (s *Set) others() *Set {
	if s.unseen == nil {
		s.unseen = &Set{union: true, inner: true}
	}
	return s.unseen
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

// includes reports whether a set with d's name was added to a union before, and notes the name.
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
	s.own()
	s.spans = s.spans.addAll(d.spans)
	s.limit()
	for _, g := range d.gos {
		s.AddGo(g)
	}
}

// Minus returns the memory of s that is not in d.
func (s *Set) Minus(d *Set) *Set { return &Set{spans: s.spans.minus(d.spans)} }

// Parts is the number of parts of s.
func (s *Set) Parts() int { return len(s.spans) + len(s.gos) }

// limit makes s everything if it has too many parts: any smaller set could be too small.
func (s *Set) limit() {
	n := MaxSpans
	if s.union {
		n *= MaxSpans
	}
	if s.Parts() > n {
		s.everything()
	}
}

func (s *Set) everything() {
	s.All, s.Cut, s.spans, s.gos, s.shared = true, true, nil, nil, false
}

// Empty reports whether s is empty.
func (s *Set) Empty() bool { return !s.All && s.Parts() == 0 }

// Hits reports whether s has something that x acts on.
func (s *Set) Hits(x Touch) bool {
	switch {
	case x.kind == touchesNothing, s.Seen && x.kind != touchesMemory:
		return false
	case s.union && x.kind != touchesMemory:
		return s.unseen != nil && s.unseen.hits(x)
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
	return s.All || s.spans.overlaps(bytes(x.addr, x.n))
}

// Covers reports whether s has all that x acts on. Then s meets every set that hits x.
func (s *Set) Covers(x Touch) bool {
	return s.All || s.spans.covers(bytes(x.addr, x.n))
}

// Meets reports whether two sets have something in common.
func (s *Set) Meets(d *Set) bool {
	switch {
	case s.Empty() || d.Empty():
		return false
	case s.All || d.All:
		return true
	case s.spans.meets(d.spans):
		return true
	}
	return slices.ContainsFunc(s.gos, func(g trace.GoID) bool { _, ok := slices.BinarySearch(d.gos, g); return ok })
}

// Each calls memory for each span, and goroutine for each goroutine of s.
func (s *Set) Each(memory func(from, to uint64), goroutine func(trace.GoID)) {
	for _, x := range s.spans {
		memory(x.from, x.to)
	}
	for _, g := range s.gos {
		goroutine(g)
	}
}
