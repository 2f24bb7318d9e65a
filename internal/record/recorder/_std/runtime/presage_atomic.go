package runtime

import (
	"internal/runtime/atomic"
	"unsafe"
)

// The operations of sync/atomic. Each takes effect and is stamped under the stripe
// of its address, so records tell the order and the values exactly.

// pgAtomic starts an operation on a word that can be read (a fault here is the program's own
// panic). The word is marked before the operation takes effect, not with the plain accesses
// before the next synchronisation (SC4): a goroutine that learns of the operation by the
// operation itself must find the mark.
func pgAtomic32(p *uint32) (*PresageG, *pgStripe) {
	s := pgAt(uintptr(unsafe.Pointer(p)))
	if s == nil {
		return nil, nil
	}
	_ = atomic.Load(p)
	s.seen(uintptr(unsafe.Pointer(p)), 4)
	return s, pgEnter(s, uintptr(unsafe.Pointer(p)))
}

func pgAtomic64(p *uint64) (*PresageG, *pgStripe) {
	s := pgAt(uintptr(unsafe.Pointer(p)))
	if s == nil {
		return nil, nil
	}
	_ = atomic.Load64(p)
	s.seen(uintptr(unsafe.Pointer(p)), 8)
	return s, pgEnter(s, uintptr(unsafe.Pointer(p)))
}

// read, write and rmw record the operation and end it.

func (s *PresageG) read(st *pgStripe, p unsafe.Pointer, size, v uint64) {
	s.put2(st, s.take(pgAtomicRead, 0, size), uintptr(p), v)
	pgLeave(st)
	s.woken()
}

// readFailed records a CompareAndSwap that met another value: pgFlagTry tells it from a load.
func (s *PresageG) readFailed(st *pgStripe, p unsafe.Pointer, size, v uint64) {
	s.put2(st, s.take(pgAtomicRead, pgFlagTry, size), uintptr(p), v)
	pgLeave(st)
	s.woken()
}

func (s *PresageG) write(st *pgStripe, p unsafe.Pointer, size, v uint64) {
	s.wrote(p, size)
	s.put2(st, s.take(pgAtomicWrite, 0, size), uintptr(p), v)
	pgLeave(st)
}

func (s *PresageG) rmw(st *pgStripe, p unsafe.Pointer, size, old, new uint64) {
	s.wrote(p, size)
	s.put3(st, s.take(pgAtomicRMW, 0, size), uintptr(p), old, new)
	pgLeave(st)
	s.woken()
}

// wrote makes the bytes of an operation dirty that emitted code has called (SC7).
func (s *PresageG) wrote(p unsafe.Pointer, size uint64) {
	if s.site != 0 {
		pgWrote(uintptr(p), uintptr(size))
	}
}

//go:linkname sync_atomic_presageLoad32 sync/atomic.presageLoad32
func sync_atomic_presageLoad32(p *uint32) uint32 {
	s, st := pgAtomic32(p)
	v := atomic.Load(p)
	if s != nil {
		s.read(st, unsafe.Pointer(p), 4, uint64(v))
	}
	return v
}

//go:linkname sync_atomic_presageLoad64 sync/atomic.presageLoad64
func sync_atomic_presageLoad64(p *uint64) uint64 {
	s, st := pgAtomic64(p)
	v := atomic.Load64(p)
	if s != nil {
		s.read(st, unsafe.Pointer(p), 8, v)
	}
	return v
}

//go:linkname sync_atomic_presageStore32 sync/atomic.presageStore32
func sync_atomic_presageStore32(p *uint32, v uint32) {
	s, st := pgAtomic32(p)
	atomic.Store(p, v)
	if s != nil {
		s.write(st, unsafe.Pointer(p), 4, uint64(v))
	}
}

//go:linkname sync_atomic_presageStore64 sync/atomic.presageStore64
func sync_atomic_presageStore64(p *uint64, v uint64) {
	s, st := pgAtomic64(p)
	atomic.Store64(p, v)
	if s != nil {
		s.write(st, unsafe.Pointer(p), 8, v)
	}
}

//go:linkname sync_atomic_presageSwap32 sync/atomic.presageSwap32
func sync_atomic_presageSwap32(p *uint32, new uint32) uint32 {
	s, st := pgAtomic32(p)
	old := atomic.Xchg(p, new)
	if s != nil {
		s.rmw(st, unsafe.Pointer(p), 4, uint64(old), uint64(new))
	}
	return old
}

//go:linkname sync_atomic_presageSwap64 sync/atomic.presageSwap64
func sync_atomic_presageSwap64(p *uint64, new uint64) uint64 {
	s, st := pgAtomic64(p)
	old := atomic.Xchg64(p, new)
	if s != nil {
		s.rmw(st, unsafe.Pointer(p), 8, old, new)
	}
	return old
}

//go:linkname sync_atomic_presageCompareAndSwap32 sync/atomic.presageCompareAndSwap32
func sync_atomic_presageCompareAndSwap32(p *uint32, old, new uint32) bool {
	s, st := pgAtomic32(p)
	if s == nil {
		return atomic.Cas(p, old, new)
	}
	for {
		v := atomic.Load(p)
		if v != old {
			s.readFailed(st, unsafe.Pointer(p), 4, uint64(v))
			return false
		}
		if atomic.Cas(p, old, new) {
			s.rmw(st, unsafe.Pointer(p), 4, uint64(old), uint64(new))
			return true
		}
	}
}

//go:linkname sync_atomic_presageCompareAndSwap64 sync/atomic.presageCompareAndSwap64
func sync_atomic_presageCompareAndSwap64(p *uint64, old, new uint64) bool {
	s, st := pgAtomic64(p)
	if s == nil {
		return atomic.Cas64(p, old, new)
	}
	for {
		v := atomic.Load64(p)
		if v != old {
			s.readFailed(st, unsafe.Pointer(p), 8, v)
			return false
		}
		if atomic.Cas64(p, old, new) {
			s.rmw(st, unsafe.Pointer(p), 8, old, new)
			return true
		}
	}
}

//go:linkname sync_atomic_presageAdd32 sync/atomic.presageAdd32
func sync_atomic_presageAdd32(p *uint32, d uint32) uint32 {
	s, st := pgAtomic32(p)
	new := atomic.Xadd(p, int32(d))
	if s != nil {
		s.rmw(st, unsafe.Pointer(p), 4, uint64(new-d), uint64(new))
	}
	return new
}

//go:linkname sync_atomic_presageAdd64 sync/atomic.presageAdd64
func sync_atomic_presageAdd64(p *uint64, d uint64) uint64 {
	s, st := pgAtomic64(p)
	new := atomic.Xadd64(p, int64(d))
	if s != nil {
		s.rmw(st, unsafe.Pointer(p), 8, new-d, new)
	}
	return new
}

//go:linkname sync_atomic_presageAnd32 sync/atomic.presageAnd32
func sync_atomic_presageAnd32(p *uint32, m uint32) uint32 {
	s, st := pgAtomic32(p)
	old := atomic.And32(p, m)
	if s != nil {
		s.rmw(st, unsafe.Pointer(p), 4, uint64(old), uint64(old&m))
	}
	return old
}

//go:linkname sync_atomic_presageAnd64 sync/atomic.presageAnd64
func sync_atomic_presageAnd64(p *uint64, m uint64) uint64 {
	s, st := pgAtomic64(p)
	old := atomic.And64(p, m)
	if s != nil {
		s.rmw(st, unsafe.Pointer(p), 8, old, old&m)
	}
	return old
}

//go:linkname sync_atomic_presageOr32 sync/atomic.presageOr32
func sync_atomic_presageOr32(p *uint32, m uint32) uint32 {
	s, st := pgAtomic32(p)
	old := atomic.Or32(p, m)
	if s != nil {
		s.rmw(st, unsafe.Pointer(p), 4, uint64(old), uint64(old|m))
	}
	return old
}

//go:linkname sync_atomic_presageOr64 sync/atomic.presageOr64
func sync_atomic_presageOr64(p *uint64, m uint64) uint64 {
	s, st := pgAtomic64(p)
	old := atomic.Or64(p, m)
	if s != nil {
		s.rmw(st, unsafe.Pointer(p), 8, old, old|m)
	}
	return old
}

// Pointers: as the integers, with a write barrier before.

//go:linkname sync_atomic_presageLoadPointer sync/atomic.presageLoadPointer
func sync_atomic_presageLoadPointer(p *unsafe.Pointer) unsafe.Pointer {
	s, st := pgAtomic64((*uint64)(unsafe.Pointer(p)))
	v := atomic.Loadp(unsafe.Pointer(p))
	if s != nil {
		s.read(st, unsafe.Pointer(p), 8, uint64(uintptr(v)))
		s.loaded(v)
	}
	return v
}

//go:linkname sync_atomic_presageStorePointer sync/atomic.presageStorePointer
func sync_atomic_presageStorePointer(p *unsafe.Pointer, v unsafe.Pointer) {
	s, st := pgAtomic64((*uint64)(unsafe.Pointer(p)))
	atomicstorep(unsafe.Pointer(p), v)
	if s != nil {
		s.write(st, unsafe.Pointer(p), 8, uint64(uintptr(v)))
	}
}

//go:linkname sync_atomic_presageSwapPointer sync/atomic.presageSwapPointer
func sync_atomic_presageSwapPointer(p *unsafe.Pointer, new unsafe.Pointer) unsafe.Pointer {
	s, st := pgAtomic64((*uint64)(unsafe.Pointer(p)))
	old := pgSwapPointer(p, new)
	if s != nil {
		s.rmw(st, unsafe.Pointer(p), 8, uint64(uintptr(old)), uint64(uintptr(new)))
		s.loaded(old)
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
	s, st := pgAtomic64((*uint64)(unsafe.Pointer(p)))
	if s == nil {
		return atomic_casPointer(p, old, new)
	}
	for {
		v := atomic.Loadp(unsafe.Pointer(p))
		if v != old {
			s.readFailed(st, unsafe.Pointer(p), 8, uint64(uintptr(v)))
			return false
		}
		if atomic_casPointer(p, old, new) {
			s.rmw(st, unsafe.Pointer(p), 8, uint64(uintptr(old)), uint64(uintptr(new)))
			return true
		}
	}
}
