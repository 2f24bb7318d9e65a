package runtime

import (
	"internal/abi"
	"unsafe"
)

// What a call is given: each pointer in it begins a walk, and has a set if it leads anywhere
// (presage_sets.go).

// given adds a value of type t at p, which a call is given.
func (s *PresageG) given(p uintptr, t *_type) {
	if !t.Pointers() {
		return
	}
	x, c := pgTypeOf(t), &s.call
	for i := 0; i < x.n && !c.all; i++ {
		o := x.op(i)
		at, t := p+o.off, o.typ
		switch o.kind {
		case abi.Pointer:
			s.pointer(pgWord(at), o.of(), 1)
		case abi.Slice:
			s.pointer(pgWord(at), o.of(), pgWord(at+16))
		case abi.Map:
			s.root(pgKey{pgWord(at), uintptr(unsafe.Pointer(t)), 0, pgMapped})
		case abi.Chan:
			if ch := (*hchan)(unsafe.Pointer(pgWord(at))); ch != nil {
				s.root(pgKey{pgWord(at), uintptr(unsafe.Pointer(ch.elemtype)), 0, pgChannel})
			}
		case abi.Func:
			s.root(pgKey{pgWord(at), 0, 0, pgClosure})
		case abi.UnsafePointer:
			s.root(pgKey{pgWord(at), 0, 0, pgObject})
		case abi.Interface:
			s.boxed(at, o.some)
		case abi.Array:
			for i := range o.n {
				s.given(at+i*t.Size_, t)
			}
		}
	}
}

// boxed adds what an interface at p holds. What is in it never changes.
func (s *PresageG) boxed(p uintptr, methods bool) {
	typ := pgWord(p)
	if typ == 0 {
		return
	}
	t := pgBoxed(typ, methods)
	if pgDirectIface(t) {
		s.given(p+8, t)
	} else {
		s.given(pgWord(p+8), t)
	}
}

// pointer adds n values of type t at p.
func (s *PresageG) pointer(p uintptr, x *pgType, n uintptr) {
	if p == 0 || n == 0 || x.size == 0 {
		return
	}
	t := x.typ
	k := pgKey{p, uintptr(unsafe.Pointer(t)), n, pgValues}
	if x.n > 0 {
		s.root(k)
		return
	}
	s.begun(k)
	kind, _, end, _ := pgRegion(p)
	switch kind {
	case pgForeign:
		s.call.all = true
	case pgHeap, pgVariable:
		n = max(1, min(n, (end-p)/t.Size_))
		s.note(p, min(n*t.Size_, end-p))
	}
}

// note adds memory that leads nowhere.
func (s *PresageG) note(p, n uintptr) {
	c := &s.call
	for i := range c.own {
		if x := c.part[i]; x[0] == p && x[1] >= n {
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
		s.call.walk = pgNewWalk()
	}
	return s.call.walk
}
