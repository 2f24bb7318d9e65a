package runtime

import (
	"internal/runtime/atomic"
	"unsafe"
)

// Mutex. state is its first word. Who has it is the only one to use the lock's clocks, from when it has taken it to before it gives it away: so the operation
// need not be one step with what is noted of it. Somebody else may give it away before it is noted that it was taken (ftObject.given): the clocks are used under the lock of
// their table then.

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
	if s := pgHere(); s != nil && *state&1 != 0 && !s.ft.reunlocks(uintptr(unsafe.Pointer(state))) {
		s.put1(nil, pgHead(pgUnlock, 0, 0, 0), uintptr(unsafe.Pointer(state)))
	}
	return atomic.Xaddint32(state, -1)
}

//go:linkname isync_presageTryFail internal/sync.presageTryFail
func isync_presageTryFail(state *int32, locked, starving int32) bool {
	return true // it makes no order
}

// ftTakes notes that the running goroutine has taken a lock.
func ftTakes(state *int32) {
	if s := pgHere(); s != nil && !s.ft.relocks(uintptr(unsafe.Pointer(state))) {
		s.put1(nil, pgHead(pgLock, 0, 0, 0), uintptr(unsafe.Pointer(state)))
	}
}
