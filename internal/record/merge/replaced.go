package merge

import (
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// syncMaps knows the sync.Maps of the trace, and finds the plain writes that replace one. An
// operation of the map that replaces it finds nothing, without a record that says so. So such a
// write is a cut (package format).
//
// The accesses of one instruction stand together in the trace. They are kept back until the last
// one.
type syncMaps struct {
	words map[trace.Addr]bool       // that operations read
	read  map[trace.GoID]trace.Addr // the last word that outside code of a goroutine has read as 0
	kept  []trace.Event
}

// note takes an event. It returns true if the event is kept back.
func (m *syncMaps) note(e *trace.Event) bool {
	switch {
	case e.Kind == format.AtomicRead && e.Flags&format.FlagOpaque != 0 && e.Size == 8 && e.Val == 0 && !format.BeginsEmpty(e.Obj):
		if m.read == nil {
			m.read = map[trace.GoID]trace.Addr{}
		}
		m.read[e.G] = e.Obj
	case e.Kind.IsAtomic() && format.IsMapWord(e.Obj):
		if m.words == nil {
			m.words = map[trace.Addr]bool{}
		}
		if a, ok := m.read[e.G]; ok {
			m.words[a] = true
		}
	case e.Kind == format.Alloc && len(m.words) > 0:
		m.allocated(e.Obj, e.Val)
	case e.Kind == format.Write && len(m.words) > 0:
		m.kept = append(m.kept, *e)
		return true
	}
	return false
}

// allocated forgets the maps in memory that is allocated anew.
func (m *syncMaps) allocated(addr trace.Addr, size uint64) {
	if size/8 < uint64(len(m.words)) {
		for a := addr; a < addr+trace.Addr(size); a += 8 {
			delete(m.words, a)
		}
		return
	}
	for a := range m.words { // the order does not matter
		if uint64(a-addr) < size {
			delete(m.words, a)
		}
	}
}

// take returns the events that were kept back, and whether they replace a map. The list is valid
// until the next event.
func (m *syncMaps) take() (list []trace.Event, replaces bool) {
	list, m.kept = m.kept, m.kept[:0]
	for i := range list {
		for a := list[i].Obj &^ 7; a < list[i].Obj+trace.Addr(max(list[i].Size, 1)); a += 8 {
			replaces = replaces || m.words[a]
		}
	}
	return list, replaces
}
