package runtime

import (
	"internal/runtime/atomic"
	"unsafe"
)

// Mutex. state is its first word.

//go:linkname isync_presageLock internal/sync.presageLock
func isync_presageLock(state *int32, old, new int32, flags uint64) bool {
	s := pgAt(uintptr(unsafe.Pointer(state)))
	if s == nil {
		return atomic.Casint32(state, old, new)
	}
	_ = *state
	st := pgEnter(s, uintptr(unsafe.Pointer(state)))
	ok := atomic.Casint32(state, old, new)
	if ok {
		s.put1(st, s.take(pgLock, flags, 0), uintptr(unsafe.Pointer(state)))
	}
	pgLeave(st)
	if ok {
		s.woken()
	}
	return ok
}

//go:linkname isync_presageLockAdd internal/sync.presageLockAdd
func isync_presageLockAdd(state *int32, delta int32) {
	s := pgAt(uintptr(unsafe.Pointer(state)))
	if s == nil {
		atomic.Xaddint32(state, delta)
		return
	}
	st := pgEnter(s, uintptr(unsafe.Pointer(state)))
	atomic.Xaddint32(state, delta)
	s.put1(st, s.take(pgLock, 0, 0), uintptr(unsafe.Pointer(state)))
	pgLeave(st)
	s.woken()
}

//go:linkname isync_presageUnlock internal/sync.presageUnlock
func isync_presageUnlock(state *int32) int32 {
	s := pgAt(uintptr(unsafe.Pointer(state)))
	if s == nil {
		return atomic.Xaddint32(state, -1)
	}
	_ = *state
	st := pgEnter(s, uintptr(unsafe.Pointer(state)))
	if *state&1 != 0 {
		s.put1(st, s.take(pgUnlock, 0, 0), uintptr(unsafe.Pointer(state)))
	}
	new := atomic.Xaddint32(state, -1)
	pgLeave(st)
	return new
}

// isync_presageTryFail reports whether TryLock fails. While a starving mutex is on its way from one
// goroutine to the next it is free as far as the records say; that moment is waited for.
//
//go:linkname isync_presageTryFail internal/sync.presageTryFail
func isync_presageTryFail(state *int32, locked, starving int32) bool {
	s := pgAt(uintptr(unsafe.Pointer(state)))
	if s == nil {
		return true
	}
	st := pgEnter(s, uintptr(unsafe.Pointer(state)))
	now := atomic.Loadint32(state)
	if now&locked != 0 {
		s.put1(st, s.take(pgTryFail, 0, 0), uintptr(unsafe.Pointer(state)))
	}
	pgLeave(st)
	if now&locked == 0 && now&starving != 0 {
		Gosched()
	}
	return now&locked != 0
}
