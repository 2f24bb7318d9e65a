package sync

import (
	"internal/runtime/atomic"
	_ "unsafe" // for linkname
)

// What the patches of Mutex call; the runtime implements it.

//go:linkname presageLock
//go:noescape
func presageLock(state *int32, old, new int32, flags uint64) bool

//go:linkname presageLockAdd
//go:noescape
func presageLockAdd(state *int32, delta int32)

//go:linkname presageUnlock
//go:noescape
func presageUnlock(state *int32) int32

//go:linkname presageTryFail
//go:noescape
func presageTryFail(state *int32, locked, starving int32) bool

// presageSlowCAS is a compare-and-swap that takes the lock if acquire is set.
func presageSlowCAS(state *int32, old, new int32, acquire bool) bool {
	if acquire {
		return presageLock(state, old, new, 0)
	}
	return atomic.Casint32(state, old, new)
}

// PresageSeed returns the seed of the map's hashes, which no other map has.
func (ht *HashTrieMap[K, V]) PresageSeed() uintptr {
	ht.init()
	return ht.seed
}

// PresageAt returns where the seed is.
func (ht *HashTrieMap[K, V]) PresageAt() *uintptr { return &ht.seed }

// PresageLoad and PresageStore are for package sync.

func PresageLoad(p *uint32) uint32     { return atomic.Load(p) }
func PresageStore(p *uint32, v uint32) { atomic.Store(p, v) }
