package runtime

import (
	"internal/runtime/atomic"
	"internal/runtime/sys"
	"unsafe"
)

// What the detector (internal/record/recorder/online) needs of the system it stands in. Nothing
// here is preempted: the caller has raised m.locks.

type (
	ftOff = sys.NotInHeap
)

//go:nosplit
func ftToInt(p unsafe.Pointer) uintptr { return uintptr(p) }

//go:nosplit
func ftFromInt(p uintptr) unsafe.Pointer { return unsafe.Pointer(p) }

func ftClear(p unsafe.Pointer, n uintptr) { memclrNoHeapPointers(p, n) }

//go:nosplit
func ftLoad32(p *uint32) uint32 { return atomic.Load(p) }

//go:nosplit
func ftCas32(p *uint32, old, new uint32) bool { return atomic.Cas(p, old, new) }
func ftAdd32(p *uint32, d int32) uint32       { return atomic.Xadd(p, d) }
func ftAdd64(p *uint64, d uint64) uint64      { return atomic.Xadd64(p, int64(d)) }

//go:nosplit
func ftLoad64(p *uint64) uint64 { return *(*uint64)(unsafe.Pointer(p)) }

//go:nosplit
func ftCas64(p *uint64, old, new uint64) bool { return atomic.Cas64(p, old, new) }

//go:nosplit
func ftSwap64(p *uint64, v uint64) uint64 { return atomic.Xchg64(p, v) }
func ftOr64(p *uint64, v uint64)          { atomic.Or64(p, v) }
func ftAnd64(p *uint64, v uint64)         { atomic.And64(p, v) }

//go:nosplit
func ftOr8(p *uint8, v uint8) { atomic.Or8(p, v) }

// ftStore32 and ftStore64 need no fence: x86 keeps the order of stores.
//
//go:nosplit
func ftStore32(p *uint32, v uint32) { *(*uint32)(unsafe.Pointer(p)) = v }

//go:nosplit
func ftStore64(p *uint64, v uint64) { *(*uint64)(unsafe.Pointer(p)) = v }

// ftLowest is the place of the lowest bit of m, which has one.
//
//go:nosplit
func ftLowest(m uint32) uintptr { return uintptr(sys.TrailingZeros32(m)) }

// ftWanted asks for the lines of cache of four addresses, to be written to. None need be of memory.
func ftWanted(p, q, r, s uintptr)

// ftProcessor is the number of the processor that this runs on: not that of a P, which goes from
// one to another.
func ftProcessor() uint32

// ftTellsProcessor reports whether the processor has the instruction for that.
func ftTellsProcessor() bool

// ftProcessors is how many there are.
func ftProcessors() uint32 {
	if !ftTellsProcessor() {
		return 1
	}
	return uint32(numCPUStartup)
}

func ftYield(i int) {
	switch { // what is held is held for some hundred cycles: as much as one pause
	case i < 16:
		procyield(1)
	case i < 100:
		procyield(10)
	default:
		osyield()
	}
}

// ftDiscard makes pages zero, and gives back what they take.
func ftDiscard(p unsafe.Pointer, n uintptr) {
	if madvise(p, n, _MADV_DONTNEED) != 0 { // locked pages
		ftClear(p, n)
	}
}

// ftMap returns n bytes of zero memory that takes room only where it is used.
func ftMap(n uintptr) unsafe.Pointer {
	const noReserve = 0x4000
	p, err := mmap(nil, n, _PROT_READ|_PROT_WRITE, _MAP_ANON|_MAP_PRIVATE|noReserve, -1, 0)
	if err != 0 {
		ftRefused(n, err)
	}
	return p
}

// ftReserve returns n bytes of addresses, which are zeros that cannot be written to until ftTake
// has taken them; 0: the system refuses.
func ftReserve(n uintptr) uintptr {
	const noReserve = 0x4000
	p, err := mmap(nil, n, _PROT_READ, _MAP_ANON|_MAP_PRIVATE|noReserve, -1, 0)
	if err != 0 {
		return 0
	}
	return uintptr(p)
}

func ftTake(at, n uintptr) unsafe.Pointer {
	const noReserve = 0x4000
	p, err := mmap(unsafe.Pointer(at), n, _PROT_READ|_PROT_WRITE, _MAP_ANON|_MAP_FIXED|_MAP_PRIVATE|noReserve, -1, 0)
	if err != 0 {
		ftRefused(n, err)
	}
	return p
}

// ftRefused ends the process: the system does not give n bytes of address space.
func ftRefused(n uintptr, err int) {
	print("presage: the system refused ", n>>10, " KiB of address space for shadow memory (errno ", err, ").\n",
		"presage: -online needs four times the program's memory as address space.\n",
		"presage: look at `ulimit -v` (unlimited), /proc/sys/vm/overcommit_memory (0 or 1, not 2) and /proc/sys/vm/max_map_count.\n")
	exit(1)
}

// ftMine reports whether addr is in the program's heap or its variables. What C or mmap has
// allocated is not seen.
func ftMine(addr uintptr) bool {
	for md := &firstmoduledata; md != nil; md = md.next {
		if md.noptrdata <= addr && addr < md.enoptrbss {
			return true
		}
	}
	if ri := arenaIndex(addr); ri.l1() < uint(len(mheap_.arenas)) {
		if l2 := mheap_.arenas[ri.l1()]; l2 != nil && uint(ri.l2()) < uint(len(l2)) {
			if l2[ri.l2()] != nil {
				return true
			}
		}
	}
	for md := &firstmoduledata; md != nil; md = md.next {
		if md.text <= addr && addr < md.noptrdata { // a constant
			return false
		}
	}
	if addr >= uintptr(unsafe.Pointer(argv)) {
		// arguments and environment, as the system has left them
		return false
	}
	ftAdd64(&ftForeign, 1)
	return false
}

// ftForeign counts accesses to memory that is not Go's.
var ftForeign uint64

// ftLockTable returns the table of the objects at addr, locked.
func ftLockTable(addr uintptr) *ftTable { return &pgLockStripe(addr).objects }
func ftUnlockTable(addr uintptr)        { pgUnlockStripe(pgStripeOf(addr)) }

// ftForgetObjects removes the synchronisation objects of a word that are in [addr, addr+n).
func ftForgetObjects(word, addr, n uintptr) {
	st := pgLockStripe(word)
	st.objects.forget(word, addr, n)
	pgUnlockStripe(st)
}
