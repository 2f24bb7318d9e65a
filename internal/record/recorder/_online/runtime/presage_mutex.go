package runtime

import (
	"internal/runtime/atomic"
	"unsafe"
)

// Mutex. state is its first word. Only its holder uses the lock's clocks, from when it has taken
// the lock to before it gives it away: so the operation need not be one step with what is noted of
// it. Another goroutine may give it away before it is noted that it was taken (ftObject.given): the
// clocks are used under the lock of their table then.

//go:linkname isync_presageLock internal/sync.presageLock
func isync_presageLock(state *int32, old, new int32, flags uint64) bool {
	ok := atomic.Casint32(state, old, new)
	if ok {
		ftTakes(state)
	}
	return ok
}

//go:linkname isync_presageLockAdd internal/sync.presageLockAdd
func isync_presageLockAdd(state *int32, delta int32) {
	atomic.Xaddint32(state, delta)
	ftTakes(state)
}

//go:linkname isync_presageUnlock internal/sync.presageUnlock
func isync_presageUnlock(state *int32) int32 {
	if s := pgHere(); s != nil && *state&1 != 0 {
		s.gives(uintptr(unsafe.Pointer(state)))
	}
	return atomic.Xaddint32(state, -1)
}

//go:linkname isync_presageTryFail internal/sync.presageTryFail
func isync_presageTryFail(state *int32, locked, starving int32) bool {
	return true // it makes no order
}

// ftTakes notes that the running goroutine has taken a lock.
func ftTakes(state *int32) {
	if s := pgHere(); s != nil {
		s.takes(uintptr(unsafe.Pointer(state)))
	}
}

// takes is Lock, of a lock that t holds by now.
func (s *PresageG) takes(obj uintptr) {
	switch o, accesses := s.ft.relocks(obj); {
	case o == nil:
		s.locks(nil, obj, true, false)
	case accesses:
		getg().m.locks++
		s.accessLock(obj, ftAtomicWrites)
		getg().m.locks--
		s.report(getg())
	}
}

// gives is Unlock, of a lock that t still holds.
func (s *PresageG) gives(obj uintptr) {
	if !s.ft.reunlocks(obj) {
		s.locks(nil, obj, false, false)
	}
}

// locks is CL2 by the lock's place in the table.
func (s *PresageG) locks(held *pgStripe, obj uintptr, acquire, read bool) {
	st, o := s.object(held, ftLockClass, obj)
	if o.lock(&s.ft.ftThread, acquire, read); acquire {
		kind := uint8(ftAtomicWrites)
		if read {
			kind = ftAtomicReads
		}
		if o.again(&s.ft.ftThread, obj, kind) {
			o.seen = s.ft.base
		} else {
			s.accessLock(obj, kind)
			o.seen = s.ft.epoch
		}
	}
	s.done(st, held)
	s.report(getg())
}

// accessLock is the access of a lock by the goroutine that takes it: one that copies the lock, or
// writes over it, races.
func (s *PresageG) accessLock(obj uintptr, kind uint8) {
	a := ftAccess{addr: obj, kind: kind}
	s.caller(&a)
	s.ft.access(&a)
}

// sync_presageAwaits is for steered runs alone.
//
//go:linkname sync_presageAwaits sync.presageAwaits
func sync_presageAwaits(unsafe.Pointer) {}
