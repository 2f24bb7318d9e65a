package window

import (
	"github.com/presage-race/presage/internal/predict/built"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// memory holds the last known value of every word of the program.
type memory struct{ paged[memPage] }

type memPage struct {
	val   [wordsOf]uint64
	known [wordsOf]uint8 // bytes of val that are
	// bytes without a recorded access since they were allocated; outside code may have accessed
	// them without a record
	fresh [wordsOf]uint8
	since [wordsOf]uint32 // tick since which the known bytes have had their values
}

// access takes the value of an access of the trace.
func (m *memory) access(e *trace.Event, tick uint32) {
	if e.Flags&format.FlagStack != 0 {
		return
	}
	v, mask := e.Val, bytesIn(e)
	if e.Kind == format.AtomicRMW {
		v = e.Aux
	}
	if e.Flags&format.FlagNoValue != 0 {
		if e.Kind.IsWrite() {
			m.at(uint64(e.Obj) >> pageShift).known[uint64(e.Obj)>>3%wordsOf] &^= mask
		}
		return
	}
	m.set(uint64(e.Obj), v, mask, tick)
}

// set makes the bytes of mask known, in the word of addr: those of v, shifted down by where addr
// stands in it.
func (m *memory) set(addr, v uint64, mask uint8, tick uint32) {
	p, i := m.at(addr>>pageShift), addr>>3%wordsOf
	bits := built.BitMask(mask)
	p.val[i] = p.val[i]&^bits | v<<(8*(addr&7))&bits
	if p.known[i]&^mask == 0 || tick < p.since[i] {
		p.since[i] = tick
	}
	p.known[i] |= mask
	p.fresh[i] &^= mask
}

// maxCleared bounds the allocations whose zeros are known. The content of larger ones is unknown
// until the first access.
const maxCleared = 1 << 14

// alloc takes an Alloc. Bytes of which the first access of outside code is in the trace are not
// fresh.
func (m *memory) alloc(addr, size uint64, zero, first bool, tick uint32) {
	if size > maxCleared { // of its words those that are known: a trace may say any size
		to := addr + size
		m.forget(addr, min(size, -addr&7))
		m.forget(to&^7, to&7)
		m.within((addr+7)&^7, to&^7-(addr+7)&^7, func(p *memPage, first, last int) { clear(p.known[first : last+1]) })
		return
	}
	for a := addr &^ 7; a < addr+size; a += 8 {
		lo, hi := max(a, addr), min(a+8, addr+size)
		if m.forget(lo, hi-lo); zero {
			mask := uint8((1<<(hi-lo) - 1) << (lo & 7))
			m.set(a, 0, mask, tick)
			if !first {
				m.at(a >> pageShift).fresh[a>>3%wordsOf] |= mask
			}
		}
	}
}

// forget makes n bytes of the word of addr unknown.
func (m *memory) forget(addr, n uint64) {
	if p := m.get(addr >> pageShift); p != nil {
		p.known[addr>>3%wordsOf] &^= uint8((1<<n - 1) << (addr & 7))
	}
}

// isFresh reports whether some of the bytes of mask in the word at addr have had no access since
// they were allocated.
func (m *memory) isFresh(addr uint64, mask uint8) bool {
	p := m.get(addr >> pageShift)
	return p != nil && p.fresh[addr>>3%wordsOf]&mask != 0
}

// areFresh reports whether all bytes of mask are.
func (m *memory) areFresh(addr uint64, mask uint8) bool {
	p := m.get(addr >> pageShift)
	return p != nil && mask&^p.fresh[addr>>3%wordsOf] == 0
}

// value returns the bytes of mask in the word at addr, shifted down, whether all are known, and
// since when. What is empty at first is 0 without an access (format.BeginsEmpty).
func (m *memory) value(addr uint64, mask uint8) (v uint64, known bool, since uint32) {
	p := m.get(addr >> pageShift)
	i := addr >> 3 % wordsOf
	switch none := format.BeginsEmpty(trace.Addr(addr)); {
	case p == nil, none && p.known[i] == 0:
		return 0, none, 0
	}
	return built.Extract(p.val[i], mask), p.known[i]&mask == mask, p.since[i]
}
