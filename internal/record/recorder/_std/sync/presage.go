package sync

import (
	isync "internal/sync"
	"sync/atomic"
	"unsafe"
)

// What the patches of this package call; the runtime implements it.

const (
	_ = uint(unsafe.Offsetof(Cond{}.notify) - 16) // pgCondOffset
	_ = uint(16 - unsafe.Offsetof(Cond{}.notify))
	_ = uint(unsafe.Offsetof(WaitGroup{}.sema) - 8) // pgSemaOffset
	_ = uint(8 - unsafe.Offsetof(WaitGroup{}.sema))
)

//go:noescape
func presageRecord(kind, flags uint64, obj unsafe.Pointer)
func presageMute(d int32)
func presageTake() uint32
func presageSite(site uint32)

//go:noescape
func presageStarts(f func())

//go:noescape
func presageAwaits(obj unsafe.Pointer)
func presageRunner(site uint32)

//go:noescape
func presageRuns(f unsafe.Pointer) uint64
func presageRan(run uint64)

//go:noescape
func presageMade(f, once unsafe.Pointer)

//go:noescape
func presageRLock(rw unsafe.Pointer, readers *int32) int32

//go:noescape
func presageTryRLock(rw unsafe.Pointer, readers *int32) (ok, tried bool)

//go:noescape
func presageRUnlock(rw unsafe.Pointer, readers *int32) int32

//go:noescape
func presageTryRW(rw unsafe.Pointer, readers *int32) bool

//go:noescape
func presageAdd(wg unsafe.Pointer, state *uint64, delta int) uint64

//go:noescape
func presageWait(wg unsafe.Pointer, state *uint64) bool

//go:noescape
func presageWaits(wg unsafe.Pointer)

// The words inside atomics, for operations that are not records of their own.

func presageInt32(p *atomic.Int32) *int32    { return (*int32)(unsafe.Pointer(p)) }
func presageUint64(p *atomic.Uint64) *uint64 { return (*uint64)(unsafe.Pointer(p)) }
func presageDone(o *Once) bool               { return isync.PresageLoad((*uint32)(unsafe.Pointer(&o.done))) != 0 }

func presageOnceUnlock(o *Once) {
	presageMute(1)
	o.m.Unlock()
	presageMute(-1)
}

func presageOnceEnd(o *Once, site uint32) {
	presageSite(site)
	presageRecord(presageKindOnceEnd, 0, unsafe.Pointer(o))
	isync.PresageStore((*uint32)(unsafe.Pointer(&o.done)), 1)
}

// presageLocker reports whether l is a lock of this package: its operations are
// those of the Wait that calls them.
func presageLocker(l Locker) bool {
	switch l.(type) {
	case *Mutex, *RWMutex, *rlocker:
		return true
	}
	return false
}

// presagePooled records that an object is put into a pool, or was taken.
//
//go:noescape
func presagePooled(pool, object unsafe.Pointer, put bool)

// presageReads records that the caller reads n bytes.
//
//go:noescape
func presageReads(p unsafe.Pointer, n uintptr)

// presageData returns the address of the object in an interface.
func presageData(x any) unsafe.Pointer { return (*[2]unsafe.Pointer)(unsafe.Pointer(&x))[1] }
