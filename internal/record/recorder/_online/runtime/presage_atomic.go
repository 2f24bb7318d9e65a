package runtime

import (
	"internal/runtime/atomic"
	"internal/runtime/sys"
	"unsafe"
)

// The operations of sync/atomic. Each takes effect between pgBegin and end, which hold its cell
// (internal/record/recorder/online/atomic.go), so the order of clocks is that of the effects.

// pgBegin begins an operation on the word at p; nil: nothing is to be noted. makes: it may release.
// Where p may be no memory it is read first: a fault is the program's own panic. Elsewhere it is
// not, since a line of cache that is read first comes twice from the core that has it.
func pgBegin(p unsafe.Pointer, makes bool) *PresageG {
	s := pgHere()
	if gp := getg(); s == nil || uintptr(p)-gp.stack.lo < gp.stack.hi-gp.stack.lo {
		return nil // no other goroutine has pointers into a stack
	}
	c := ftCellAt(uintptr(p) &^ 7)
	if c == nil || uintptr(p) < 1<<ftBlockShift {
		_ = *(*byte)(p)
	}
	s.at.addr = uintptr(p)
	// the caller's frame
	s.callerFrom(&s.at, *(*uintptr)(unsafe.Pointer(sys.GetCallerSP() - 16)))
	acquirem()
	s.ft.opens(&s.at, c, makes)
	return s
}

// end ends one of the kind.
func (s *PresageG) end(kind uint8, acquires, releases bool) {
	s.at.kind = kind
	s.ft.completes(&s.at, acquires, releases)
	releasem(getg().m)
	if s.ft.n != 0 {
		s.report(getg())
	}
}

func (s *PresageG) read()  { s.end(ftAtomicReads, true, false) }
func (s *PresageG) write() { s.end(ftAtomicWrites, false, true) }
func (s *PresageG) rmw()   { s.end(ftAtomicWrites, true, true) }

// swapped ends a CompareAndSwap. It is write-like, also one that has met another value, which
// releases nothing.
func (s *PresageG) swapped(ok bool) { s.end(ftAtomicWrites, true, ok) }

//go:linkname sync_atomic_presageLoad32 sync/atomic.presageLoad32
func sync_atomic_presageLoad32(p *uint32) uint32 {
	s := pgBegin(unsafe.Pointer(p), false)
	v := atomic.Load(p)
	if s != nil {
		s.read()
	}
	return v
}

//go:linkname sync_atomic_presageStore32 sync/atomic.presageStore32
func sync_atomic_presageStore32(p *uint32, v uint32) {
	s := pgBegin(unsafe.Pointer(p), true)
	atomic.Store(p, v)
	if s != nil {
		s.write()
	}
}

//go:linkname sync_atomic_presageSwap32 sync/atomic.presageSwap32
func sync_atomic_presageSwap32(p *uint32, new uint32) uint32 {
	s := pgBegin(unsafe.Pointer(p), true)
	v := atomic.Xchg(p, new)
	if s != nil {
		s.rmw()
	}
	return v
}

//go:linkname sync_atomic_presageCompareAndSwap32 sync/atomic.presageCompareAndSwap32
func sync_atomic_presageCompareAndSwap32(p *uint32, old, new uint32) bool {
	s := pgBegin(unsafe.Pointer(p), true)
	ok := atomic.Cas(p, old, new)
	if s != nil {
		s.swapped(ok)
	}
	return ok
}

//go:linkname sync_atomic_presageAdd32 sync/atomic.presageAdd32
func sync_atomic_presageAdd32(p *uint32, d uint32) uint32 {
	s := pgBegin(unsafe.Pointer(p), true)
	v := atomic.Xadd(p, int32(d))
	if s != nil {
		s.rmw()
	}
	return v
}

//go:linkname sync_atomic_presageAnd32 sync/atomic.presageAnd32
func sync_atomic_presageAnd32(p *uint32, m uint32) uint32 {
	s := pgBegin(unsafe.Pointer(p), true)
	v := atomic.And32(p, m)
	if s != nil {
		s.rmw()
	}
	return v
}

//go:linkname sync_atomic_presageOr32 sync/atomic.presageOr32
func sync_atomic_presageOr32(p *uint32, m uint32) uint32 {
	s := pgBegin(unsafe.Pointer(p), true)
	v := atomic.Or32(p, m)
	if s != nil {
		s.rmw()
	}
	return v
}

//go:linkname sync_atomic_presageLoad64 sync/atomic.presageLoad64
func sync_atomic_presageLoad64(p *uint64) uint64 {
	s := pgBegin(unsafe.Pointer(p), false)
	v := atomic.Load64(p)
	if s != nil {
		s.read()
	}
	return v
}

//go:linkname sync_atomic_presageStore64 sync/atomic.presageStore64
func sync_atomic_presageStore64(p *uint64, v uint64) {
	s := pgBegin(unsafe.Pointer(p), true)
	atomic.Store64(p, v)
	if s != nil {
		s.write()
	}
}

//go:linkname sync_atomic_presageSwap64 sync/atomic.presageSwap64
func sync_atomic_presageSwap64(p *uint64, new uint64) uint64 {
	s := pgBegin(unsafe.Pointer(p), true)
	v := atomic.Xchg64(p, new)
	if s != nil {
		s.rmw()
	}
	return v
}

//go:linkname sync_atomic_presageCompareAndSwap64 sync/atomic.presageCompareAndSwap64
func sync_atomic_presageCompareAndSwap64(p *uint64, old, new uint64) bool {
	s := pgBegin(unsafe.Pointer(p), true)
	ok := atomic.Cas64(p, old, new)
	if s != nil {
		s.swapped(ok)
	}
	return ok
}

//go:linkname sync_atomic_presageAdd64 sync/atomic.presageAdd64
func sync_atomic_presageAdd64(p *uint64, d uint64) uint64 {
	s := pgBegin(unsafe.Pointer(p), true)
	v := atomic.Xadd64(p, int64(d))
	if s != nil {
		s.rmw()
	}
	return v
}

//go:linkname sync_atomic_presageAnd64 sync/atomic.presageAnd64
func sync_atomic_presageAnd64(p *uint64, m uint64) uint64 {
	s := pgBegin(unsafe.Pointer(p), true)
	v := atomic.And64(p, m)
	if s != nil {
		s.rmw()
	}
	return v
}

//go:linkname sync_atomic_presageOr64 sync/atomic.presageOr64
func sync_atomic_presageOr64(p *uint64, m uint64) uint64 {
	s := pgBegin(unsafe.Pointer(p), true)
	v := atomic.Or64(p, m)
	if s != nil {
		s.rmw()
	}
	return v
}

// Pointers: as the integers, with a write barrier before.

//go:linkname sync_atomic_presageLoadPointer sync/atomic.presageLoadPointer
func sync_atomic_presageLoadPointer(p *unsafe.Pointer) unsafe.Pointer {
	s := pgBegin(unsafe.Pointer(p), false)
	v := atomic.Loadp(unsafe.Pointer(p))
	if s != nil {
		s.read()
	}
	return v
}

//go:linkname sync_atomic_presageStorePointer sync/atomic.presageStorePointer
func sync_atomic_presageStorePointer(p *unsafe.Pointer, v unsafe.Pointer) {
	s := pgBegin(unsafe.Pointer(p), true)
	atomicstorep(unsafe.Pointer(p), v)
	if s != nil {
		s.write()
	}
}

//go:linkname sync_atomic_presageSwapPointer sync/atomic.presageSwapPointer
func sync_atomic_presageSwapPointer(p *unsafe.Pointer, new unsafe.Pointer) unsafe.Pointer {
	s := pgBegin(unsafe.Pointer(p), true)
	old := pgSwapPointer(p, new)
	if s != nil {
		s.rmw()
	}
	return old
}

//go:nosplit
func pgSwapPointer(p *unsafe.Pointer, new unsafe.Pointer) unsafe.Pointer {
	if writeBarrier.enabled {
		atomicwb(p, new)
	}
	return unsafe.Pointer(atomic.Xchguintptr((*uintptr)(noescape(unsafe.Pointer(p))), uintptr(new)))
}

//go:linkname sync_atomic_presageCompareAndSwapPointer sync/atomic.presageCompareAndSwapPointer
func sync_atomic_presageCompareAndSwapPointer(p *unsafe.Pointer, old, new unsafe.Pointer) bool {
	s := pgBegin(unsafe.Pointer(p), true)
	ok := atomic_casPointer(p, old, new)
	if s != nil {
		s.swapped(ok)
	}
	return ok
}
