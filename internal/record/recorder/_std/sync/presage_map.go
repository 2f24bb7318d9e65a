//go:build go1.26 || goexperiment.synchashtriemap

package sync

import isync "internal/sync"

// The operations of Map. A key of a map is a word of memory, at an address that stands for both,
// and each operation on the key is an atomic operation on this word. The word has the number of
// the value: each store takes a new one, and 0 says that there is none. What the map does itself
// has no records.
//
// Range and Clear act on all keys. What adds or removes a key has a ReleaseMerge of an object that
// stands for the keys before it and behind it, Range an Acquire before and behind each call of its
// function. Range reads the word of each key that it finds.
//
// Each operation reads a word of the map, as if it were always 0: an assignment to the map races
// with that, and keeps its order with all operations (package merge).

// A presageMapValue is what a Map has for a key.
type presageMapValue struct {
	v      any
	number uint64
}

// presageMapLocks are held by operations on a key: by the address of its word.
var presageMapLocks [64]isync.Mutex

// A presageKey is an operation on a key under way.
type presageKey struct {
	m     *Map
	word  uintptr
	site  uint32
	quiet bool // nothing is recorded
	value presageMapValue
	has   bool
}

// presageOn begins an operation, and finds what the map has for the key. It panics as the operation
// does for a nil map, or a key without a hash. The caller defers end.
func (m *Map) presageOn(key any) presageKey {
	if m == nil {
		m.m.Load(key)
	}
	k := presageKey{m: m, site: presageTake()}
	seed := m.presageSeed()
	k.word = presageWord(key, seed)
	k.quiet = !presagePoint(k.word)
	presageMute(1)
	presageMapLocks[k.word/8%uintptr(len(presageMapLocks))].Lock()
	k.value, k.has = m.m.Load(key)
	return k
}

func (k *presageKey) end() {
	presageMapLocks[k.word/8%uintptr(len(presageMapLocks))].Unlock()
	presageMute(-1)
}

// found records that the operation does not change the map.
func (k *presageKey) found(flags uint64) {
	if !k.quiet {
		presageWordRead(k.word, k.site, flags, k.value.number)
	}
}

// becomes stores a value, or removes the key if has is false. store says that the operation does
// not depend on what was there.
func (k *presageKey) becomes(key, v any, has, store bool) {
	keys := has != k.has && !k.quiet
	if keys {
		presageKeys(k.m.m.PresageSeed(), presageKindReleaseMerge)
	}
	was, now := k.value.number, uint64(0)
	if has {
		now = presageNumber()
		k.m.m.Store(key, presageMapValue{v, now})
	} else {
		k.m.m.Delete(key)
	}
	if !k.quiet {
		presageWordWritten(k.word, k.site, store, was, now)
	}
	if keys {
		presageKeys(k.m.m.PresageSeed(), presageKindReleaseMerge)
	}
}

func (m *Map) presageLoad(key any) (value any, ok bool) {
	k := m.presageOn(key)
	defer k.end()
	k.found(0)
	return k.value.v, k.has
}

func (m *Map) presageLoadOrStore(key, value any) (actual any, loaded bool) {
	k := m.presageOn(key)
	defer k.end()
	if k.has {
		k.found(presageFlagTry)
		return k.value.v, true
	}
	k.becomes(key, value, true, false)
	return value, false
}

func (m *Map) presageSwap(key, value any, store bool) (previous any, loaded bool) {
	k := m.presageOn(key)
	defer k.end()
	k.becomes(key, value, true, store)
	return k.value.v, k.has
}

func (m *Map) presageDelete(key any) (value any, loaded bool) {
	k := m.presageOn(key)
	defer k.end()
	if k.has {
		k.becomes(key, nil, false, false)
	} else {
		k.found(presageFlagTry)
	}
	return k.value.v, k.has
}

func (m *Map) presageCompareAndSwap(key, old, new any) bool {
	k := m.presageOn(key)
	defer k.end()
	if !k.has || k.value.v != old {
		k.found(presageFlagTry)
		return false
	}
	k.becomes(key, new, true, false)
	return true
}

func (m *Map) presageCompareAndDelete(key, old any) bool {
	k := m.presageOn(key)
	defer k.end()
	if !k.has || k.value.v != old {
		k.found(presageFlagTry)
		return false
	}
	k.becomes(key, nil, false, false)
	return true
}

// presageRange calls f outside of the lock, and with records.
func (m *Map) presageRange(f func(key, value any) bool) {
	if m == nil {
		m.m.Range(nil)
	}
	presageTake()
	seed := m.presageSeed()
	presageKeys(seed, presageKindAcquire)
	muted := false
	defer func() {
		if muted {
			presageMute(-1)
		}
	}()
	presageMute(1)
	muted = true
	m.m.Range(func(key any, found presageMapValue) bool {
		presageMute(-1)
		muted = false
		v, ok := m.presageLoad(key)
		if key != key { // no Load finds a key with a NaN
			v, ok = found.v, true
		}
		presageKeys(seed, presageKindAcquire)
		goes := !ok || f(key, v)
		presageKeys(seed, presageKindAcquire)
		presageMute(1)
		muted = true
		return goes
	})
	presageMute(-1)
	muted = false
	presageKeys(seed, presageKindAcquire)
}

// presageClear excludes all other operations, so that it takes effect at one moment.
func (m *Map) presageClear() {
	if m == nil {
		m.m.Clear()
	}
	presageTake()
	seed := m.presageSeed()
	quiet := !presagePoint(presageWord(nil, seed))
	presageMute(1)
	for i := range presageMapLocks {
		presageMapLocks[i].Lock()
	}
	if !quiet {
		presageKeys(seed, presageKindAcquire)
		presageKeys(seed, presageKindReleaseMerge)
	}
	m.m.Range(func(key any, v presageMapValue) bool {
		if !quiet {
			presageWordWritten(presageWord(key, seed), 0, false, v.number, 0)
		}
		return true
	})
	m.m.Clear()
	if !quiet {
		presageKeys(seed, presageKindAcquire)
		presageKeys(seed, presageKindReleaseMerge)
	}
	for i := range presageMapLocks {
		presageMapLocks[i].Unlock()
	}
	presageMute(-1)
}

// presageWord returns the address that stands for a key of the map with a seed. It panics if the
// key has no hash.
//
//go:noescape
func presageWord(key any, seed uintptr) uintptr

// presagePoint comes before an operation on a word. It reports whether it is recorded.
func presagePoint(word uintptr) bool

// presageNumber returns the number of a value that is stored.
func presageNumber() uint64

func presageWordRead(word uintptr, site uint32, flags, number uint64)
func presageWordWritten(word uintptr, site uint32, store bool, old, new uint64)

// presageKeys records an Acquire or a ReleaseMerge of the keys of the map with a seed.
func presageKeys(seed uintptr, kind uint64)

// presageSeed returns the seed of the map, and records that the operation uses the map.
func (m *Map) presageSeed() uintptr {
	presageMute(1)
	seed := m.m.PresageSeed()
	presageMute(-1)
	presageUsesMap(m.m.PresageAt())
	return seed
}

// presageUsesMap records the use of the map whose seed is at an address.
//
//go:noescape
func presageUsesMap(seed *uintptr)
