package offpath

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/trace/format"
)

// heap has the objects of the interpreter: variables of invocations, and memory that the
// alternative allocates. Their addresses are none of the program's.
type heap struct {
	objects []*object
	funcs   map[*ssa.Function]uint64 // addresses of functions that capture nothing
	forked  bool                     // the alternative has started a goroutine
}

// owner is a goroutine, as the owner of objects.
type owner struct {
	born int // how many objects there were when the goroutine was started
}

// An object is a variable of an invocation, memory that the alternative has allocated, a function
// value or a type word.
type object struct {
	base     uint64
	data     value
	owner    *owner        // nil: no goroutine accesses the object
	local    bool          // its address does not leave the invocation
	frozen   bool          // its owner has started a goroutine since
	variable bool          // a variable of a package whose address is unknown (CP5)
	fn       *ssa.Function // of a function value,
	free     []value       // with the values of its free variables
	typ      *concrete     // of a type word
	context  *newContext   // of a context that the alternative has made
	ticks    bool          // a timer will send to this channel, or will call its function
	held     map[int]bool  // mutexes in the object that are locked, by offset
}

// Object number n has the address freshBase + n<<freshShift. The events of the variant number the
// alternative's allocations in the same unit, from another base on. Addresses of the program are
// below notProgram.
const (
	freshBase  = uint64(1) << 60
	freshShift = 24
	freshSize  = 1 << freshShift
	notProgram = uint64(1) << 48
)

func (h *heap) allocate(o *owner, data value, local bool) *object {
	if len(data.img) >= freshSize {
		throw("an object of %d bytes", len(data.img))
	}
	x := &object{base: freshBase + uint64(len(h.objects))<<freshShift, data: data, owner: o, local: local}
	h.objects = append(h.objects, x)
	return x
}

// freeze is called when a goroutine starts another one: what it has allocated may be known to that
// one, and is not stored to any more (CP5).
func (h *heap) freeze(o *owner) {
	h.forked = true
	for _, x := range h.objects {
		if x.owner == o && !x.local {
			x.frozen = true
		}
	}
}

// at returns the object at an address, for an access by a goroutine, and the offset in it (CP5).
func (h *heap) at(o *owner, addr uint64, size int, write bool) (x *object, off int) {
	x, k := h.number(addr)
	if x == nil {
		throw("the address %#x, which is nowhere", addr)
	}
	off = int(addr - x.base)
	switch {
	case off+size > len(x.data.img):
		throw("%d bytes at %d of an object of %d", size, off, len(x.data.img))
	case write && (x.owner != o || x.frozen || x.variable && h.forked):
		reject("CP5", "a store to an object that another goroutine may access")
	case x.owner != o && (!x.frozen || k >= o.born):
		reject("CP5", "a load from an object that another goroutine may store to")
	}
	return x, off
}

// number returns the object at an address and its number; nil if there is none.
func (h *heap) number(addr uint64) (x *object, k int) {
	n := (addr - freshBase) >> freshShift
	if n >= uint64(len(h.objects)) {
		return nil, 0
	}
	return h.objects[n], int(n)
}

// function returns the function value of a function that captures nothing.
func (h *heap) function(fn *ssa.Function) value {
	at, ok := h.funcs[fn]
	if !ok {
		x := h.allocate(nil, zero(8), false)
		x.fn, at = fn, x.base
		h.funcs[fn] = at
	}
	return number(at, 8)
}

// closure returns the function with its free variables at an address of the heap.
func (h *heap) closure(addr uint64) (fn *ssa.Function, free []value) {
	x, _ := h.number(addr)
	if x == nil || x.fn == nil || addr != x.base {
		throw("a call of a value that is no function")
	}
	return x.fn, x.free
}

// typeWord returns the heap's type word of a type for which the snapshot has none.
func (h *heap) typeWord(t concrete) value {
	for _, x := range h.objects {
		if x.typ != nil && x.typ.prog == t.prog && types.Identical(x.typ.typ, t.typ) {
			return number(x.base, 8)
		}
	}
	x := h.allocate(nil, zero(8), false)
	x.typ = &t
	return number(x.base, 8)
}

// lock locks or unlocks a mutex in the heap, which no other goroutine has: that is no step (CP5).
func (h *heap) lock(o *owner, k format.Kind, flags format.Flags, addr uint64) {
	x, off := h.at(o, addr, 8, true)
	if x.variable || flags != 0 || k != format.Lock && k != format.Unlock || x.held[off] == (k == format.Lock) {
		throw("%v of an object of the alternative's own", k)
	}
	if x.held == nil {
		x.held = map[int]bool{}
	}
	x.held[off] = k == format.Lock
}
