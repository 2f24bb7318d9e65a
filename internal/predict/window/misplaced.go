package window

import (
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// written is a value in memory, as an event has it.
type written struct {
	addr trace.Addr
	size uint16
	val  uint64
}

// writer is the last write of a value by a goroutine: its record.
type writer struct {
	g  trace.GoID
	at int
}

// misplaced reports whether read i returned a value that no write before it left, while another
// goroutine writes that value later in the window. Then the order of the trace is no execution,
// because merge has not found the right one. The read, and what follows it in its goroutine, may
// belong after that write and all that comes before it there. If no goroutine writes the value,
// code that was not instrumented did (unexplained).
//
//	go func() { if z == 2 { mu.Lock(); mu.Unlock(); x = 1 } }()
//	mu.Lock(); x = 5; mu.Unlock(); z = 2   // if the read of z were before all this, x would be a race
func (m *accesses) misplaced(i int, r *record) bool {
	e := &r.Event
	if e.Flags&format.FlagUnexplained == 0 || !e.Kind.IsAccess() || !reads(e.Kind) {
		return false
	}
	if m.writers == nil {
		m.noteWriters()
	}
	for _, w := range m.writers[written{e.Obj, e.Size, e.Val}] {
		if w.g != e.G && w.at > i {
			return true
		}
	}
	return false
}

// noteWriters finds the last writes of every value by every goroutine.
func (m *accesses) noteWriters() {
	m.writers = make(map[written][]writer)
	for i := range m.recs {
		e := &m.recs[i].Event
		v := e.Val
		switch {
		case e.Kind == format.AtomicRMW:
			v = e.Aux
		case !e.Kind.IsWrite() || e.Flags&format.FlagNoValue != 0:
			continue
		}
		k := written{e.Obj, e.Size, v}
		list := m.writers[k]
		known := false
		for j := range list {
			if list[j].g == e.G {
				list[j].at, known = i, true
			}
		}
		if !known {
			m.writers[k] = append(list, writer{e.G, i})
		}
	}
}
