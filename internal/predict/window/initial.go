package window

import (
	"github.com/presage-race/presage/internal/predict/built"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// Initial values. What a location holds before its first access in a window is known
//
//   - (I1) from the last access before it in the trace;
//   - (I2) if there is none since its allocation, to be zero, if the Alloc says so (FlagZero) and
//     traced code has asked for the memory. Outside code fills what it allocates;
//   - (I3) of a package-level variable without any access, from what package initialisation has
//     left there (Meta.Variables).
//
// Outside code may have written since then without a record (E4). But it has not if several
// goroutines access the location in the window and one of them writes: the turn of the write has
// ended then. So the late record of its last write is in the trace behind it, and says that the
// value is unknown.
//
// Otherwise the location holds what the first inside read of the window finds there, before any
// write. If there is no such read, the value is unknown: no read of it is intact but one of outside
// code, and no guard that depends on it holds.

// begun takes the package-level variables into the state before the buffer, once package
// initialisation is over (I3).
func (b *state) begun(index int64) {
	meta := b.opt.Meta
	if b.seeded || meta == nil || b.opt.NoValues || index < meta.VariablesAt {
		return
	}
	b.seeded = true
	tick := b.carry.runs.tick
	for i := range b.buf {
		if b.showsOutside(&b.buf[i].Event) {
			tick++
		}
	}
	for _, v := range meta.Variables {
		for i, x := range v.Data {
			b.carry.mem.set(uint64(v.Addr)+uint64(i), uint64(x), 1<<((uint64(v.Addr)+uint64(i))&7), tick)
		}
	}
}

// unreadable is a number that no program has in memory but by accident; that it is unknown is said
// elsewhere.
const unreadable = uint64(1)<<63 | 0x5eed

// unread gives an atom whose value at the start nothing tells a value that no read returns.
func (a *atom) unread() {
	v := unreadable
	for again := true; again; {
		again = false
		for _, x := range a.reads {
			if x == v {
				v, again = v+1, true
			}
		}
	}
	a.initial, a.unknown, a.reads = v, true, nil
}

// memory holds the last known value of every word of the program.
type memory struct{ paged[memPage] }

type memPage struct {
	val   [wordsOf]uint64
	known [wordsOf]uint8 // bytes of val that are
	// bytes without an access since they were allocated, of which outside code may have made the
	// first one without a record
	fresh [wordsOf]uint8
	since [wordsOf]uint32 // ticks: at these moments the known bytes were so
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

// maxCleared bounds the allocations whose zeros are remembered: those of larger ones are
// unknown until the first access.
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

// isFresh reports whether nobody has accessed some of the bytes of mask in the word at addr since
// they were allocated.
func (m *memory) isFresh(addr uint64, mask uint8) bool {
	p := m.get(addr >> pageShift)
	return p != nil && p.fresh[addr>>3%wordsOf]&mask != 0
}

// value returns the bytes of mask in the word at addr, shifted down, whether all are known, and
// since when.
func (m *memory) value(addr uint64, mask uint8) (v uint64, known bool, since uint32) {
	p := m.get(addr >> pageShift)
	if p == nil {
		return 0, false, 0
	}
	i := addr >> 3 % wordsOf
	return built.Extract(p.val[i], mask), p.known[i]&mask == mask, p.since[i]
}
