package runtime

import "unsafe"

// Function values and Conds that package-level variables hold before main.main. Their initialisers
// have no records, so the recording says what code they have, what runs once, and which lock a Cond
// has.

// A pgOnceMade is what a call of sync.OnceFunc or the like has made: the variable with the function
// that it runs, which its closure points to, and its Once. It is outside the heap; the objects may
// be freed, and others made in their place.
type pgOnceMade struct {
	f, once uintptr
	next    *pgOnceMade
}

// presageOnces are those that package initialisation has made, the last one first.
var presageOnces struct {
	lock mutex
	last *pgOnceMade
}

// sync_presageMade is called by OnceFunc and the like.
//
//go:linkname sync_presageMade sync.presageMade
func sync_presageMade(f, once unsafe.Pointer) {
	if !presage.on || presageVars.over {
		return
	}
	systemstack(func() {
		m := (*pgOnceMade)(persistentalloc(unsafe.Sizeof(pgOnceMade{}), 8, &memstats.other_sys))
		lock(&presageOnces.lock)
		*m = pgOnceMade{uintptr(f), uintptr(once), presageOnces.last}
		presageOnces.last = m
		unlock(&presageOnces.lock)
	})
}

// function records the function value at fv, if it captures nothing or has a Once. What it runs
// then is recorded as well.
func (s *PresageG) function(fv unsafe.Pointer, depth int) {
	code := *(*uintptr)(fv)
	f := findfunc(code)
	if !f.valid() || f.entry() != code || depth > 4 {
		return
	}
	name := funcname(f)
	if pgOnceFunc(name) {
		if m := pgOnceOf(fv); m != nil {
			runs := *(*unsafe.Pointer)(unsafe.Pointer(m.f))
			s.made(pgFlagMore, uintptr(fv), m.once, uintptr(runs))
			if runs != nil {
				s.function(runs, depth+1)
			}
		}
		return
	}
	if spanOf(uintptr(fv)) != nil { // it captures something
		return
	}
	file, line := funcline1(f, code, false)
	name, file = name[:min(len(name), 4000)], file[:min(len(file), 4000)]
	n := uintptr(len(name) + 1 + len(file))
	words := (n + 7) / 8
	p := s.room(3 + int(words))
	pgStore(p+8, uint64(uintptr(fv)))
	pgStore(p+16, uint64(uint32(line)))
	pgText(p+24, name, file)
	pgStore(p, pgHead(pgRawMade, 0, uint64(n), 0))
	s.pos = p + 24 + words*8
}

// pgOnceOf returns what a call of OnceFunc or the like has made for the closure at fv, whose second
// or third word points to it.
func pgOnceOf(fv unsafe.Pointer) *pgOnceMade {
	span := spanOf(uintptr(fv))
	if span == nil {
		return nil
	}
	for m := presageOnces.last; m != nil; m = m.next {
		for i := uintptr(8); i <= 16 && i+8 <= span.elemsize; i += 8 {
			if *(*uintptr)(add(fv, i)) == m.f {
				return m
			}
		}
	}
	return nil
}

// condition records a Cond. Its first field is its Locker.
func (s *PresageG) condition(p unsafe.Pointer) {
	l := (*iface)(p)
	if l.tab == nil {
		return
	}
	switch t := toRType(l.tab.Type).string(); t {
	case "*sync.Mutex", "*sync.RWMutex":
		s.made(pgFlagWrite, uintptr(p), uintptr(l.data), 0)
	case "*sync.rlocker":
		s.made(pgFlagWrite|pgFlagRead, uintptr(p), uintptr(l.data), 0)
	}
}

// made writes a RawMade of three words.
func (s *PresageG) made(flags uint64, x, y, z uintptr) {
	p := s.room(4)
	pgStore(p+8, uint64(x))
	pgStore(p+16, uint64(y))
	pgStore(p+24, uint64(z))
	pgStore(p, pgHead(pgRawMade, flags, 0, 0))
	s.pos = p + 32
}

// pgText writes a name and the name of a file, with a zero byte in between.
func pgText(q uintptr, name, file string) {
	memmove(unsafe.Pointer(q), unsafe.Pointer(unsafe.StringData(name)), uintptr(len(name)))
	*(*byte)(unsafe.Pointer(q + uintptr(len(name)))) = 0
	memmove(unsafe.Pointer(q+uintptr(len(name))+1), unsafe.Pointer(unsafe.StringData(file)), uintptr(len(file)))
}
