package runtime

import (
	"internal/abi"
	"internal/runtime/atomic"
	"internal/runtime/sys"
	"unsafe"
)

// The records of sync.Map (presage_map.go of package sync).

// sync_presageWord returns the word of a key: 12 bits of it depend on the map alone (MapTag of
// package format). Two keys of a map have the same one with a probability of 2^-47.
//
//go:linkname sync_presageWord sync.presageWord
func sync_presageWord(key any, seed uintptr) uintptr {
	h := nilinterhash(noescape(unsafe.Pointer(&key)), seed) // panics if it has none
	h = pgKeyHash(efaceOf(&key)._type, pgKeyData(&key), h)
	h = (h ^ seed) * 0x9E3779B97F4A7C15
	tag := uint64(seed) * 0x9E3779B97F4A7C15 >> 52
	return uintptr(pgMapWords|tag<<50) | (h^h>>32)&(1<<50-8)
}

// pgKeyData returns where the content of an interface is.
func pgKeyData(x *any) unsafe.Pointer {
	e := efaceOf(x)
	if t := e._type; t != nil && t.IsDirectIface() {
		return noescape(unsafe.Pointer(&e.data))
	}
	return e.data
}

// pgKeyHash is the hash of a value of type t, which may be nil, with the types of all interfaces in
// it: the hashes of Go's maps leave them out, so that int(1) and int64(1) have the same one.
func pgKeyHash(t *_type, p unsafe.Pointer, h uintptr) uintptr {
	if t == nil {
		return h
	}
	h = (h ^ uintptr(unsafe.Pointer(t))) * 0x9E3779B97F4A7C15
	switch t.Kind() {
	case abi.Interface:
		if toRType(t).pgEmpty() {
			return pgKeyHash((*eface)(p)._type, pgKeyData((*any)(p)), h)
		}
		i := (*iface)(p)
		if i.tab == nil {
			return h
		}
		e := eface{i.tab.Type, i.data}
		x := (*any)(noescape(unsafe.Pointer(&e)))
		return pgKeyHash(e._type, pgKeyData(x), h)
	case abi.Array:
		a := (*arraytype)(unsafe.Pointer(t))
		for i := uintptr(0); i < a.Len; i++ {
			h = pgKeyHash(a.Elem, add(p, i*a.Elem.Size_), h)
		}
		return h
	case abi.Struct:
		s := (*structtype)(unsafe.Pointer(t))
		for _, f := range s.Fields {
			if !f.Name.IsBlank() {
				h = pgKeyHash(f.Typ, add(p, f.Offset), h)
			}
		}
		return h
	}
	return typehash(t, p, h)
}

func (t rtype) pgEmpty() bool { return len((*interfacetype)(unsafe.Pointer(t.Type)).Methods) == 0 }

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
func sync_presageKeys(seed uintptr, kind uint64) {
	if !presage.on {
		return
	}
	if s := pgState(getg()); s != nil && !s.off {
		s.put1(nil, pgHead(kind, pgFlagOpaque, 0, 0), pgMapKeys|seed&(pgMapKeys-1))
	}
}

// sync_presageUsesMap records a read of the seed of a map. The value is 0, which an assignment
// leaves: that an operation sets the seed is not recorded, since any operation may be the first
// one.
//
//go:linkname sync_presageUsesMap sync.presageUsesMap
func sync_presageUsesMap(seed *uintptr) {
	if !presage.on {
		return
	}
	s := pgState(getg())
	if s == nil || s.mute > 0 || s.off {
		return
	}
	obj := uintptr(unsafe.Pointer(seed))
	s.seen(obj, 8)
	st := pgEnter(s, obj)
	s.put2(st, pgHead(pgAtomicRead, pgFlagOpaque, 8, 0), obj, 0)
	pgLeave(st)
}

// sync_presageReads is presageReads for package sync, which has no hooks.
//
//go:linkname sync_presageReads sync.presageReads
func sync_presageReads(p unsafe.Pointer, n uintptr) { pgArgument(pgRead, p, n, sys.GetCallerPC()) }

// sync_presagePooled records an operation on the word of an object in a sync.Pool (package format).
// Two objects of a pool have the same one with a probability of 2^-55. The remembered site stays.
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
	h = (h ^ h>>32 ^ uint64(uintptr(object))) * 0x9E3779B97F4A7C15
	word := uintptr(pgPoolWords | (h^h>>32)&(pgPoolWords-8))
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
