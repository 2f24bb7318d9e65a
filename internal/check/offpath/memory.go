package offpath

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/predict/flow"
	"github.com/presage-race/presage/internal/source/plan"
	"github.com/presage-race/presage/internal/trace/format"
)

// memory is what the alternative has stored, and what it has allocated.
type memory struct {
	objects []*object
	// by the number of an allocation in the alternative's own count: its number here
	mine    map[uint64]uint64
	theirs  map[uint64]uint64 // and back
	overlay map[uint64]overlaid
	silent  []silent
	globals map[string]uint64
	funcs   map[*ssa.Function]uint64 // that capture nothing: what stands for their addresses
	called  []uint64                 // function values of the program's
}

// An object is a variable of an invocation, or memory that the alternative has allocated.
type object struct {
	base     uint64
	data     value
	owner    *machine
	local    bool          // its address does not leave the invocation
	frozen   bool          // a goroutine was started since
	variable bool          // of a package, that nobody has accessed so far
	fn       *ssa.Function // it is a function value,
	free     []value       // with what that has captured
	typ      *concrete     // it is the type word of a type
	held     map[int]bool  // mutexes in it that are locked, by place
}

// overlaid is a byte that the alternative has stored.
type overlaid struct {
	b   byte
	unk bool
}

// silent is a load of memory that others do not access: it is no step (D7).
type silent struct {
	addr uint64
	size int
}

// Addresses of objects: no address of a program. The alternative counts its own in the same unit,
// from another number on.
const (
	freshBase  = uint64(1) << 60
	freshShift = 24
	freshSize  = 1 << freshShift
	notProgram = uint64(1) << 48
)

func (c *checker) newObject(m *machine, data value, local bool) *object {
	if len(data.img) >= freshSize {
		throw("an object of %d bytes", len(data.img))
	}
	o := &object{base: freshBase + uint64(len(c.objects))<<freshShift, data: data, owner: m, local: local}
	c.objects = append(c.objects, o)
	return o
}

func (m *machine) alloc(in *ssa.Alloc) value {
	f := m.frame
	n := sizeof(pointee(in.Type()))
	if in.Heap {
		return number(m.newObject(m, zero(n), false).base, 8)
	}
	if f.locals[in] == nil {
		f.locals[in] = m.newObject(m, zero(n), true)
	}
	f.locals[in].data = zero(n)
	return number(f.locals[in].base, 8)
}

func (m *machine) makeSlice(in *ssa.MakeSlice) value {
	lenBits, ok := m.val(in.Len).bits()
	capBits, ok2 := m.val(in.Cap).bits()
	if !ok || !ok2 {
		throw("a length that is not known")
	}
	n, most := signExtended(basicKind(in.Len.Type()), lenBits), signExtended(basicKind(in.Cap.Type()), capBits)
	if n < 0 || n > most {
		throw("panic: makeslice")
	}
	elem := sizeof(plan.Core(in.Type()).(*types.Slice).Elem())
	if most >= freshSize {
		throw("an object of %d elements", most)
	}
	o := m.newObject(m, zero(int(most)*elem), false)
	return words(number(o.base, 8), number(uint64(n), 8), number(uint64(most), 8))
}

// freeze is (D8), at a go statement of m.
func (c *checker) freeze(m *machine) {
	for _, o := range c.objects {
		if o.owner == m && !o.local {
			o.frozen = true
		}
	}
}

// object is the one at a fresh address, and where in it that is.
func (m *machine) object(addr uint64, size int, write bool) (o *object, at int) {
	k := (addr - freshBase) >> freshShift
	if k >= uint64(len(m.objects)) {
		throw("the address %#x, which is nowhere", addr)
	}
	o = m.objects[k]
	at = int(addr - o.base)
	switch {
	case at+size > len(o.data.img):
		throw("%d bytes at %d of an object of %d", size, at, len(o.data.img))
	case write && (o.owner != m || o.frozen || o.variable && m.forked):
		reject("D8", "a store to memory that another goroutine may know")
	case o.owner != m && (!o.frozen || int(k) >= m.born):
		reject("D8", "a load from memory of a goroutine that may store to it")
	}
	return o, at
}

// pieces calls f for the parts of an access, each in one word of memory.
func pieces(addr uint64, size int, f func(off, n int)) {
	for off := 0; off < size; {
		n := min(size-off, 8-int((addr+uint64(off))%8))
		f(off, n)
		off += n
	}
}

// load is *p.
func (m *machine) load(p value, size int) value {
	addr := m.pointer(p)
	switch {
	case size == 0:
		return zero(0)
	case addr >= freshBase:
		o, at := m.object(addr, size, false)
		return o.data.part(at, size)
	case addr >= notProgram:
		throw("the address %#x, which is nowhere", addr)
	case m.onStack(addr):
		throw("memory of the stack")
	}
	if !m.isNext(format.Read, addr) {
		return m.loadSilently(addr, size)
	}
	v := unknown(size)
	pieces(addr, size, func(off, n int) {
		if len(m.todo[m.g]) == 0 { // the witness ends in the middle
			return
		}
		at := addr + uint64(off)
		s := m.expect(format.Read, 0, m.frame.site(), &at, n)
		v = v.with(off, m.seen(s, n))
	})
	return v
}

func (m *machine) onStack(addr uint64) bool {
	return slices.ContainsFunc(m.snap.Stacks, func(s [2]uint64) bool { return addr >= s[0] && addr < s[1] })
}

// isNext reports whether the next step is such an access, by the instruction at hand.
func (m *machine) isNext(k format.Kind, addr uint64) bool {
	s := &m.steps[m.todo[m.g][0]]
	return s.Event.Kind == k && s.Event.Site == m.frame.site() && uint64(s.Event.Obj) == addr
}

// loadSilently loads what the goroutine has for itself (D7).
func (m *machine) loadSilently(addr uint64, size int) value {
	if !m.hooked() { // nobody has a record of it, and nothing is known of what is there
		return unknown(size)
	}
	if m.forked {
		reject("D7", "the step is %s, but the program loads from %#x", m.expected(), addr)
	}
	v := unknown(size)
	pieces(addr, size, func(off, n int) {
		v = v.with(off, m.private(addr+uint64(off), n))
	})
	return v
}

// hooked reports whether the load at hand has a record.
func (m *machine) hooked() bool {
	f := m.frame
	for _, h := range f.fn.Blocks[f.block.Index].Instrs[f.ip].After {
		if h.Kind == format.Read && h.Extent == plan.Pointee {
			return true
		}
	}
	return false
}

// private is n bytes, in one word, of memory that others do not access.
func (m *machine) private(addr uint64, n int) value {
	m.silent = append(m.silent, silent{addr, n})
	v := unknown(n)
	left := 0
	for i := range n {
		b, ok := m.overlay[addr+uint64(i)]
		switch {
		case !ok:
			left++
		case !b.unk:
			v = v.with(i, number(uint64(b.b), 1))
		}
	}
	if left == 0 {
		return v
	}
	k := slices.IndexFunc(m.way.Assumes, func(a flow.Assumption) bool { return a.Addr <= addr && addr+uint64(n) <= a.Addr+uint64(a.Size) })
	if k < 0 {
		reject("D7", "the step is %s, but the program loads from %#x", m.expected(), addr)
	}
	a := &m.way.Assumes[k]
	bits, ok := a.Bits, true
	if a.Term != nil {
		bits, ok = m.term(a.Term)
	}
	if !ok {
		return unknown(n)
	}
	from := number(bits, int(a.Size)).part(int(addr-a.Addr), n)
	for i := range n {
		if _, ok := m.overlay[addr+uint64(i)]; !ok {
			v = v.with(i, from.part(i, 1))
		}
	}
	return v
}

// store is *p = v.
func (m *machine) store(p, v value) {
	addr := m.pointer(p)
	size := len(v.img)
	switch {
	case size == 0:
		return
	case addr >= freshBase:
		o, at := m.object(addr, size, true)
		o.data = o.data.with(at, v)
		return
	case addr >= notProgram:
		throw("the address %#x, which is nowhere", addr)
	case m.onStack(addr):
		throw("memory of the stack")
	}
	pieces(addr, size, func(off, n int) {
		if len(m.todo[m.g]) == 0 {
			return
		}
		at := addr + uint64(off)
		s := m.expect(format.Write, 0, m.frame.site(), &at, n)
		m.written(s, v.part(off, n))
	})
	for i := range size {
		m.overlay[addr+uint64(i)] = overlaid{v.img[i], v.unk != nil && v.unk[i]}
	}
}

// mapAccess is an access to a map, of which only this much is known: it is the last step.
func (m *machine) mapAccess(k format.Kind, x value) {
	addr := m.pointer(x)
	m.expect(k, format.FlagNoValue, m.frame.site(), &addr, 8)
	if len(m.todo[m.g]) > 0 {
		throw("what is in a map is not modelled")
	}
	panic(finished{})
}
