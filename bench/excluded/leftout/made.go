package leftout

import "github.com/presage-race/presage/internal/trace"

// large is the size in bytes from which an allocation is kept as a range: one of a gigabyte would
// be as many words as a trace has events.
const large = 1 << 16

// made is which event allocated a word last.
type made struct {
	words  map[uint64]int // of 8 bytes, to 1 and the number of the event
	ranges []madeRange    // of large allocations, in the order of the trace
}

// madeRange is the words from one address to another, exclusive.
type madeRange struct {
	from, to uint64
	at       int
}

// note takes the allocation of n bytes, by event i.
func (m *made) note(addr trace.Addr, n uint64, i int) {
	from := uint64(addr) &^ 7
	if n > large {
		m.ranges = append(m.ranges, madeRange{from, uint64(addr) + n, i + 1})
		return
	}
	if m.words == nil {
		m.words = map[uint64]int{}
	}
	for x := from; x < uint64(addr)+n; x += 8 {
		m.words[x] = i + 1
	}
}

// by is the number of the event that allocated an address last, and 1; 0 if none did.
func (m *made) by(addr uint64) int {
	addr &^= 7
	at := m.words[addr]
	for i := len(m.ranges) - 1; i >= 0 && m.ranges[i].at > at; i-- {
		if r := m.ranges[i]; r.from <= addr && addr < r.to {
			return r.at
		}
	}
	return at
}
