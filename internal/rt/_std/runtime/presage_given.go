package runtime

import (
	"internal/abi"
	"unsafe"
)

// What a call is given: each pointer in it begins a walk, and has a set if it leads anywhere (presage_sets.go).

// given adds a value of type t at p, which a call is given.
func (s *PresageG) given(p uintptr, t *_type) {
	if !t.Pointers() || pgOpaqueType(t) || s.call.all || s.call.unmask {
		return
	}
	switch t.Kind() {
	case abi.Pointer:
		s.pointer(pgWord(p), (*abi.PtrType)(unsafe.Pointer(t)).Elem, 1)
	case abi.Slice:
		s.pointer(pgWord(p), (*abi.SliceType)(unsafe.Pointer(t)).Elem, pgWord(p+16))
	case abi.Map:
		s.root(pgKey{pgWord(p), uintptr(unsafe.Pointer(t)), 0, pgMapped, s.call.mask})
	case abi.Chan:
		if c := (*hchan)(unsafe.Pointer(pgWord(p))); c != nil {
			s.root(pgKey{pgWord(p), uintptr(unsafe.Pointer(c.elemtype)), 0, pgChannel, s.call.mask})
		}
	case abi.Func:
		s.root(pgKey{pgWord(p), 0, 0, pgClosure, s.call.mask})
	case abi.UnsafePointer:
		s.root(pgKey{pgWord(p), 0, 0, pgObject, s.call.mask})
	case abi.Interface:
		typ := pgWord(p)
		if typ == 0 {
			return
		}
		u := pgBoxed(typ, len((*abi.InterfaceType)(unsafe.Pointer(t)).Methods) > 0)
		if s.call.mask.invokes(u) {
			s.call.unmask = true
			return
		}
		if pgDirectIface(u) {
			s.given(p+8, u)
		} else {
			s.given(pgWord(p+8), u) // what is in it never changes
		}
	case abi.Array:
		a := (*abi.ArrayType)(unsafe.Pointer(t))
		for i := range a.Len {
			s.given(p+i*a.Elem.Size_, a.Elem)
		}
	case abi.Struct:
		for i := range (*abi.StructType)(unsafe.Pointer(t)).Fields {
			f := &(*abi.StructType)(unsafe.Pointer(t)).Fields[i]
			s.given(p+f.Offset, f.Typ)
		}
	}
}

// pointer adds n values of type t at p.
func (s *PresageG) pointer(p uintptr, t *_type, n uintptr) {
	if p == 0 || n == 0 || t.Size_ == 0 {
		return
	}
	if t.Pointers() && !pgOpaqueType(t) {
		s.root(pgKey{p, uintptr(unsafe.Pointer(t)), n, pgValues, s.call.mask})
		return
	}
	if o := s.call.late; o != nil {
		o.begins(pgKey{p, uintptr(unsafe.Pointer(t)), n, pgValues, s.call.mask})
	}
	kind, _, end, _ := pgRegion(p)
	switch kind {
	case pgForeign:
		s.call.all = true
	case pgHeap, pgVariable:
		n = max(1, min(n, (end-p)/t.Size_))
		s.touched(p, t, n, min(n*t.Size_, end-p))
	}
}

// touched adds what the call can touch of n values of type t at p, which lead nowhere.
func (s *PresageG) touched(p uintptr, t *_type, n, size uintptr) {
	c := &s.call
	if c.mask.at == 0 {
		s.note(p, size)
		return
	}
	switch x := c.mask.of(t); {
	case x.both.is(t):
		s.note(p, size)
	case x.both.n == 0 && x.read.is(t):
		s.note(p, size|pgReads)
	case x.both.n > 0 || x.read.n > 0:
		r := s.walking()
		r.touch(p, t, n, size)
		c.all = c.all || r.all
	}
}

// note adds memory that leads nowhere.
func (s *PresageG) note(p, n uintptr) {
	c := &s.call
	for i := range c.own {
		if x := c.part[i]; x[0] == p && x[1]&^pgReads >= n&^pgReads && x[1]&pgReads <= n&pgReads {
			return
		}
	}
	if c.own < pgOwn {
		c.part[c.own] = [2]uintptr{p, n}
		c.own++
		return
	}
	r := s.walking()
	r.note(p, n)
	c.all = c.all || r.all
}

// walking returns the walk of what has no set.
func (s *PresageG) walking() *pgWalk {
	if s.call.walk == nil {
		s.call.walk = pgNewWalk(s.call.mask)
	}
	return s.call.walk
}
