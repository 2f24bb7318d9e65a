package runtime

import (
	"internal/runtime/atomic"
	"unsafe"
)

// The records of sync.Map (presage_map.go of package sync).

// sync_presageWord returns the word of a key: 12 bits of it depend on the map alone (MapTag of
// package format). Two keys of a map have the same one with a probability of 2^-47.
//
//go:linkname sync_presageWord sync.presageWord
func sync_presageWord(key any, seed uintptr) uintptr {
	h := uint64(nilinterhash(noescape(unsafe.Pointer(&key)), seed))
	h = (h ^ uint64(seed)) * 0x9E3779B97F4A7C15
	tag := uint64(seed) * 0x9E3779B97F4A7C15 >> 52
	return uintptr(pgMapWords | tag<<50 | (h^h>>32)&(1<<50-8))
}

//go:linkname sync_presagePoint sync.presagePoint
func sync_presagePoint(word uintptr) bool { return pgAt(word) != nil }

// pgMapNumber is the number of the last value that was stored in a sync.Map.
var pgMapNumber atomic.Uint64

//go:linkname sync_presageNumber sync.presageNumber
func sync_presageNumber() uint64 { return pgMapNumber.Add(1) }

//go:linkname sync_presageWordRead sync.presageWordRead
func sync_presageWordRead(word uintptr, site uint32, flags, number uint64) {
	if s := pgState(getg()); s != nil {
		s.site = site
		st := pgEnter(s, word)
		s.put2(st, s.take(pgAtomicRead, flags, 8), word, number)
		pgLeave(st)
		s.woken()
	}
}

//go:linkname sync_presageWordWritten sync.presageWordWritten
func sync_presageWordWritten(word uintptr, site uint32, store bool, old, new uint64) {
	s := pgState(getg())
	if s == nil {
		return
	}
	s.site = site
	st := pgEnter(s, word)
	if store {
		s.put2(st, s.take(pgAtomicWrite, 0, 8), word, new)
		pgLeave(st)
		return
	}
	s.put3(st, s.take(pgAtomicRMW, 0, 8), word, old, new)
	pgLeave(st)
	s.woken()
}

//go:linkname sync_presageKeys sync.presageKeys
func sync_presageKeys(seed uintptr, flags uint64) {
	if !presage.on {
		return
	}
	if s := pgState(getg()); s != nil && !s.off {
		s.observe(pgMapKeys|uint64(seed)&(pgMapKeys-1), flags)
	}
}

// sync_presagePooled records an operation on the word of an object in a sync.Pool (package format).
// The remembered site stays.
//
//go:linkname sync_presagePooled sync.presagePooled
func sync_presagePooled(pool, object unsafe.Pointer, put bool) {
	if !presage.on {
		return
	}
	s := pgState(getg())
	if s == nil || s.mute > 0 {
		return
	}
	h := uint64(uintptr(pool)) * 0x9E3779B97F4A7C15
	word := uintptr(pgPoolWords | (h^h>>32^uint64(uintptr(object)))&(pgPoolWords-8))
	site := s.site
	s.site = 0
	st := pgEnter(s, word)
	if put {
		s.put2(st, s.take(pgAtomicWrite, 0, 8), word, 1)
	} else {
		s.put3(st, s.take(pgAtomicRMW, 0, 8), word, 1, 0)
	}
	pgLeave(st)
	s.site = site
}
