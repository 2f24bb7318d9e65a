package window

import (
	"slices"

	"github.com/presage-race/presage/internal/predict/flow"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// offPath is what the alternatives of a window, as far as they are known, do to memory and objects
// of synchronisation.
type offPath struct {
	// by word (address / 8): the goroutines whose alternatives write it, and writes of constants
	by     map[uint64][]trace.GoID
	writes map[uint64][]offWrite
	// by address: what alternatives leave in maps
	entries map[uint64][]offEntry
	stored  map[uint64][]offStored // by word: what alternatives store in sync.Maps

	acts   map[trace.Addr][]trace.GoID // the goroutines whose alternatives operate on an object,
	closes map[trace.Addr][]trace.GoID // and those that close a channel
}

// offWrite is a write of a constant by an alternative of g.
type offWrite struct {
	g    trace.GoID
	addr uint64
	size int64
	word uint64
}

// offEntry is a write to a map by an alternative of g.
type offEntry struct {
	g     trace.GoID
	entry *flow.Entry
}

// offStored is what an alternative of g stores in a sync.Map.
type offStored struct {
	g  trace.GoID
	is *flow.Stored
}

func newOffPath() *offPath {
	return &offPath{
		by: map[uint64][]trace.GoID{}, writes: map[uint64][]offWrite{}, entries: map[uint64][]offEntry{}, stored: map[uint64][]offStored{},
		acts: map[trace.Addr][]trace.GoID{}, closes: map[trace.Addr][]trace.GoID{},
	}
}

// touched returns what the alternatives of forks do to memory and objects.
func touched(list []*fork) *offPath {
	o := newOffPath()
	for _, f := range list {
		for _, alt := range f.found {
			for k := range alt.Steps {
				switch e := &alt.Steps[k].Event; {
				case e.Kind.IsWrite():
					o.add(f.g, &alt.Steps[k])
				case !e.Kind.IsAccess() && e.Kind != format.Go:
					note(o.acts, e.Obj, f.g)
					if e.Kind == format.ChanClose {
						note(o.closes, e.Obj, f.g)
					}
				}
			}
		}
	}
	return o
}

// highest is an address above those of all objects. Words from there on stand for what alternatives
// have allocated.
const highest = uint64(1) << 48

func (o *offPath) add(g trace.GoID, s *flow.Step) {
	e := &s.Event
	w := uint64(e.Obj) >> 3
	if !slices.Contains(o.by[w], g) {
		o.by[w] = append(o.by[w], g)
	}
	if x := s.Flow.Entry; x != nil && !s.Last && len(o.entries[uint64(e.Obj)]) < maxCells {
		o.entries[uint64(e.Obj)] = append(o.entries[uint64(e.Obj)], offEntry{g, x})
	}
	if s.Stored != nil && !s.Last && len(o.stored[uint64(e.Obj)]) < maxCells {
		o.stored[uint64(e.Obj)] = append(o.stored[uint64(e.Obj)], offStored{g, s.Stored})
	}
	word := e.Val
	switch {
	case e.Kind != format.Write && e.Kind != format.AtomicWrite, s.Last, e.Flags&format.FlagNoValue != 0:
		return
	case s.Flow.Value == nil:
	case s.Flow.Value.IsConst():
		word, _ = s.Flow.Value.Recorded()
	default:
		return
	}
	x := offWrite{g, uint64(e.Obj), int64(e.Size), word}
	if word < highest && !slices.Contains(o.writes[w], x) && len(o.writes[w]) < maxCells {
		o.writes[w] = append(o.writes[w], x)
	}
}

// others reports whether an alternative of another goroutine than g writes a word.
func (o *offPath) others(word uint64, g trace.GoID) bool { return hasOther(o.by[word], g) }

// operates reports whether an alternative of another goroutine than g operates on an object.
func (o *offPath) operates(object trace.Addr, g trace.GoID) bool { return hasOther(o.acts[object], g) }

// othersClose reports whether an alternative of another goroutine than g closes a channel.
func (o *offPath) othersClose(ch uint64, g trace.GoID) bool {
	return hasOther(o.closes[trace.Addr(ch)], g)
}

// note adds a goroutine to those of an object.
func note(by map[trace.Addr][]trace.GoID, object trace.Addr, g trace.GoID) {
	if !slices.Contains(by[object], g) {
		by[object] = append(by[object], g)
	}
}

func hasOther(list []trace.GoID, g trace.GoID) bool {
	return len(list) > 1 || len(list) == 1 && list[0] != g
}

// values calls f for the constants that alternatives of other goroutines than g write to a place.
func (o *offPath) values(g trace.GoID, addr uint64, size int64, f func(word uint64)) {
	for _, x := range o.writes[addr>>3] {
		if x.g != g && x.addr == addr && x.size == size {
			f(x.word)
		}
	}
}

// Stored implements [flow.Surroundings].
func (s *surroundings) Stored(word uint64) (list []*flow.Stored) {
	s.looked[word>>3] = true
	for _, x := range s.off.stored[word] {
		if x.g != s.g && !slices.ContainsFunc(list, x.is.Same) {
			list = append(list, x.is)
		}
	}
	return list
}
