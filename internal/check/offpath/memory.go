package offpath

import (
	"slices"

	"github.com/presage-race/presage/internal/source/plan"
	"github.com/presage-race/presage/internal/trace/format"
)

// memory executes the loads and stores of one goroutine. An access is one of the heap, of private
// memory, or else the goroutine's next step.
type memory struct {
	owner   *owner
	steps   *queue
	values  *valuation
	heap    *heap
	private *private
	stacks  [][2]uint64
}

// pieces calls f for the parts of an access, each in one word of memory.
func pieces(addr uint64, size int, f func(off, n int)) {
	for off := 0; off < size; {
		n := min(size-off, 8-int((addr+uint64(off))%8))
		f(off, n)
		off += n
	}
}

// load is *p, by the instruction at.
func (m *memory) load(at *plan.Instr, p value, size int) value {
	addr := pointer(p)
	switch {
	case size == 0:
		return zero(0)
	case addr >= freshBase:
		x, off := m.heap.at(m.owner, addr, size, false)
		return x.data.part(off, size)
	}
	m.shared(addr)
	if !m.steps.isNext(format.Read, at.Site, addr) {
		return m.loadPrivate(at, addr, size)
	}
	v := unknown(size)
	pieces(addr, size, func(off, n int) {
		if m.steps.empty() { // the witness ends in the middle
			return
		}
		piece := addr + uint64(off)
		s := m.steps.expect(format.Read, 0, at.Site, &piece, n)
		v = v.with(off, m.values.seen(s, n))
	})
	return v
}

// shared checks that an address may be one of memory that goroutines share.
func (m *memory) shared(addr uint64) {
	switch {
	case addr >= notProgram:
		throw("the address %#x, which is nowhere", addr)
	case slices.ContainsFunc(m.stacks, func(s [2]uint64) bool { return addr >= s[0] && addr < s[1] }):
		throw("memory of the stack")
	}
}

// loadPrivate loads from memory that no other goroutine accesses (CP5). A load without a hook is
// never a step; its result is unknown.
func (m *memory) loadPrivate(at *plan.Instr, addr uint64, size int) value {
	if !hooked(at) {
		return unknown(size)
	}
	if m.heap.forked {
		reject("CP5", "the step is %s, but the program loads from %#x", m.steps, addr)
	}
	v := unknown(size)
	pieces(addr, size, func(off, n int) {
		piece, ok := m.private.load(addr+uint64(off), n)
		if !ok {
			reject("CP5", "the step is %s, but the program loads from %#x", m.steps, addr+uint64(off))
		}
		v = v.with(off, piece)
	})
	return m.private.text(addr, v)
}

// word is the word at an address that outside code loads for the goroutine, without a step.
func (m *memory) word(addr uint64) (w uint64, ok bool) {
	if addr >= freshBase {
		x, off := m.heap.at(m.owner, addr, 8, false)
		return x.data.part(off, 8).bits()
	}
	if m.shared(addr); m.heap.forked {
		return 0, false
	}
	v, ok := m.private.load(addr, 8)
	if !ok {
		return 0, false
	}
	return v.bits()
}

// hooked reports whether a load has a record.
func hooked(at *plan.Instr) bool {
	return slices.ContainsFunc(at.After, func(h plan.Hook) bool { return h.Kind == format.Read && h.Extent == plan.Pointee })
}

// store is *p = v.
func (m *memory) store(at *plan.Instr, p, v value) {
	addr := pointer(p)
	size := len(v.img)
	switch {
	case size == 0:
		return
	case addr >= freshBase:
		x, off := m.heap.at(m.owner, addr, size, true)
		x.data = x.data.with(off, v)
		return
	}
	m.shared(addr)
	pieces(addr, size, func(off, n int) {
		if m.steps.empty() { // the witness ends in the middle
			return
		}
		piece := addr + uint64(off)
		s := m.steps.expect(format.Write, 0, at.Site, &piece, n)
		m.values.written(s, v.part(off, n))
	})
	m.private.store(addr, v)
}
