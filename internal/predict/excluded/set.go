package excluded

import (
	"slices"

	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// A Set is what a missing method can reach. The zero value is nothing.
type Set struct {
	All bool // everything
	Cut bool // with All: because there was too much to list
	// memory alone: what is done with locks, channels and goroutines is in the trace (B11)
	Seen   bool
	spans  spans // memory, and objects there
	gos    []trace.GoID
	union  bool // of several Ds
	loud   *Set // of a union: those that are not Seen
	inner  bool // it is the loud of a union
	shared bool // its lists are those of a set that calls name
	have   map[Name]bool
}

// Union returns an empty set that is the union of many Ds.
func Union() Set { return Set{union: true} }

// MaxSpans is the number of spans from which on a set is everything.
const MaxSpans = 1 << 12

// AddReach adds what e says, a Reach or ReachGo.
func (s *Set) AddReach(e *trace.Event) {
	if e.Kind == format.ReachGo {
		s.AddGo(trace.GoID(e.Obj))
	} else {
		s.AddMemory(uint64(e.Obj), e.Val)
	}
}

// AddMemory adds n bytes at addr, with the objects of synchronisation that stand there; n = 0: a
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
	s.own()
	s.spans = s.spans.addAll(d.spans)
	s.limit()
	for _, g := range d.gos {
		s.AddGo(g)
	}
}

// Minus returns the memory that s has and d does not.
func (s *Set) Minus(d *Set) *Set { return &Set{spans: s.spans.minus(d.spans)} }

// Parts is how many s has.
func (s *Set) Parts() int { return len(s.spans) + len(s.gos) }

// limit makes s everything if it has too many parts: any other set would be smaller than the true
// one.
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

// Empty says whether nothing is reached.
func (s *Set) Empty() bool { return !s.All && s.Parts() == 0 }

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
	return s.All || s.spans.overlaps(bytes(x.addr, x.n))
}

// Covers says whether s has all that x acts on: then it meets all that have anything of that.
func (s *Set) Covers(x Touch) bool {
	return s.All || s.spans.covers(bytes(x.addr, x.n))
}

// Meets says whether two sets have something in common.
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
