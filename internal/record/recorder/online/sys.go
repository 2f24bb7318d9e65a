package online

import (
	"math/bits"
	"runtime"
	"sync/atomic"
	"unsafe"
)

// What the detector needs of the system it stands in. In a program it is package runtime, and
// _online/runtime/presage_sys.go takes the place of this file.

type (
	ftOff = struct{}
)

func ftToInt(p unsafe.Pointer) uintptr        { return uintptr(p) }
func ftFromInt(p uintptr) unsafe.Pointer      { return *(*unsafe.Pointer)(unsafe.Pointer(&p)) }
func ftClear(p unsafe.Pointer, n uintptr)     { clear(unsafe.Slice((*byte)(p), n)) }
func ftLoad32(p *uint32) uint32               { return atomic.LoadUint32(p) }
func ftStore32(p *uint32, v uint32)           { atomic.StoreUint32(p, v) }
func ftCas32(p *uint32, old, new uint32) bool { return atomic.CompareAndSwapUint32(p, old, new) }
func ftAdd32(p *uint32, d int32) uint32       { return atomic.AddUint32(p, uint32(d)) }
func ftAdd64(p *uint64, d uint64) uint64      { return atomic.AddUint64(p, d) }
func ftLoad64(p *uint64) uint64               { return atomic.LoadUint64(p) }
func ftStore64(p *uint64, v uint64)           { atomic.StoreUint64(p, v) }
func ftCas64(p *uint64, old, new uint64) bool { return atomic.CompareAndSwapUint64(p, old, new) }
func ftSwap64(p *uint64, v uint64) uint64     { return atomic.SwapUint64(p, v) }
func ftOr64(p *uint64, v uint64)              { atomic.OrUint64(p, v) }
func ftAnd64(p *uint64, v uint64)             { atomic.AndUint64(p, v) }
func ftOr8(p *uint8, v uint8)                 { *p |= v } // one thread

// ftLowest is the place of the lowest bit of m, which has one.
func ftLowest(m uint32) uintptr { return uintptr(bits.TrailingZeros32(m)) }

// ftWanted asks for the lines of cache of four addresses, to be written to.
func ftWanted(p, q, r, s uintptr) {}

// ftProcessor is the number of the processor that this runs on, one of so many.
func ftProcessor() uint32  { return processor }
func ftProcessors() uint32 { return 2 }

// processor is set by tests.
var processor uint32

func ftYield(i int) {
	if i > 100 {
		runtime.Gosched()
	}
}

// ftReserve returns n bytes of addresses, which are zeros that cannot be written to until ftTake
// has taken them; 0: there are none.
func ftReserve(n uintptr) uintptr { return 0 }

// ftTake returns what it has taken.
func ftTake(p, n uintptr) unsafe.Pointer { return nil }

// ftMine reports whether the program's memory is at addr.
func ftMine(addr uintptr) bool { return true }

// ftLockTable returns the table of the objects at addr, locked.
func ftLockTable(addr uintptr) *ftTable { return &ftObjects }
func ftUnlockTable(addr uintptr)        {}

// ftForgetObjects removes the synchronisation objects of a word that are in [addr, addr+n).
func ftForgetObjects(word, addr, n uintptr) { ftObjects.forget(word, addr, n) }

var ftObjects ftTable
