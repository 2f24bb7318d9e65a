package runtime

import (
	"internal/runtime/sys"
	"unsafe"
)

// Package-level variables. Their initialisers are not rewritten, so nothing records what they
// write; nor does the loader, which has the constant ones in the file. Between the last initialiser
// and main.main the main goroutine records what is there (MO12).

// A PresageVar is a variable: N bytes at P, which is not in the heap.
type PresageVar struct {
	P unsafe.Pointer
	N uintptr
}

// A pgVarList is the variables of a package. It is outside the heap; what it points to is a
// variable itself.
type pgVarList struct {
	_     sys.NotInHeap
	vars  uintptr
	n     int
	first uint32 // number of the first variable; those of the others follow
	next  *pgVarList
}

// presageVars are the packages that have been initialised.
var presageVars struct {
	last  *pgVarList
	chans *pgVarList // pointers to variables of channel type,
	funcs *pgVarList // of function type,
	conds *pgVarList // and of type *sync.Cond
	over  bool       // main.main has begun: what a plugin brings is not recorded
}

// presageConsts records the read-only data of the program. What string constants say is there, and
// nowhere else in a recording, which has their addresses and lengths.
func presageConsts() {
	s := pgHere()
	if s == nil || s.off {
		return
	}
	from, to := pgConstants(&firstmoduledata)
	end := min(to, from+pgMaxConsts)
	for x := from; x < end; x += pgMaxVar {
		s.constant(x, min(pgMaxVar, end-x))
	}
	if end < to {
		p := s.room(3)
		pgStore(p+8, 0)
		pgStore(p+16, uint64(to-end))
		pgStore(p, pgHead(pgRawConst, 0, 8, 0))
		s.pos = p + 24
	}
}

// constant writes a RawConst with size bytes.
func (s *PresageG) constant(x, size uintptr) {
	words := (size + 7) / 8
	p := s.room(2 + int(words))
	pgStore(p+8, uint64(x))
	memmove(unsafe.Pointer(p+16), unsafe.Pointer(x), size)
	pgStore(p, pgHead(pgRawConst, 0, uint64(size), 0))
	s.pos = p + 16 + words*8
}

// PresageVars is called by the init functions of emitted files, at pc: one after the other, and
// before main.main. whole says that no function of the package was left as written.
func PresageVars(list []PresageVar, first uint32, whole bool, pc uintptr) {
	v := &presageVars
	if !presage.on {
		return
	}
	pgEmits(pc, whole)
	if v.over || len(list) == 0 {
		return
	}
	if v.last == nil {
		presageConsts()
	}
	l := (*pgVarList)(persistentalloc(unsafe.Sizeof(pgVarList{}), 8, &memstats.other_sys))
	*l = pgVarList{vars: uintptr(unsafe.Pointer(&list[0])), n: len(list), first: first, next: v.last}
	v.last = l
}

// PresageChans, PresageFuncs and PresageConds are called by the init functions of emitted files,
// after PresageVars.
func PresageChans(list []unsafe.Pointer) { pgPointers(&presageVars.chans, list) }
func PresageFuncs(list []unsafe.Pointer) { pgPointers(&presageVars.funcs, list) }
func PresageConds(list []unsafe.Pointer) { pgPointers(&presageVars.conds, list) }

func pgPointers(to **pgVarList, list []unsafe.Pointer) {
	if !presage.on || presageVars.over || len(list) == 0 {
		return
	}
	l := (*pgVarList)(persistentalloc(unsafe.Sizeof(pgVarList{}), 8, &memstats.other_sys))
	*l = pgVarList{vars: uintptr(unsafe.Pointer(&list[0])), n: len(list), next: *to}
	*to = l
}

// each calls f with what the variables of a list hold, if that is not nil.
func (l *pgVarList) each(f func(p unsafe.Pointer)) {
	for ; l != nil; l = l.next {
		for i := range l.n {
			if p := **(**unsafe.Pointer)(unsafe.Pointer(l.vars + uintptr(i)*unsafe.Sizeof(l))); p != nil {
				f(p)
			}
		}
	}
}

// channels records the channels that variables point to, if they are empty and open. An operation
// that changes one meanwhile has a stamp before the one that follows.
func (s *PresageG) channels() {
	presageVars.chans.each(func(p unsafe.Pointer) {
		c := (*hchan)(p)
		if c.timer != nil {
			return
		}
		lock(&c.lock)
		fresh, size := c.qcount == 0 && c.closed == 0, uintptr(c.dataqsiz)
		unlock(&c.lock)
		if fresh {
			s.variable(pgHead(pgRawVar, pgFlagMore, 0, 0), uintptr(p), size, 0)
		}
	})
}

// pgMaxZero bounds the size of a variable that is looked at, pgMaxVars the bytes that are written
// of all of them.
const (
	pgMaxZero = 1 << 18
	pgMaxVars = 1 << 20
)

// presageMain records the variables. Called by the main goroutine before main.main.
func presageMain() {
	getg().presageRands = presageMain1
	defer presageSteerBegin()
	v := &presageVars
	pgFence() // (pgReaderOf)
	v.over = true
	s := pgHere()
	if s == nil || s.off || v.last == nil {
		return
	}
	s.room(2)
	s.stampAlone() // what others have written since their last stamp may be in the variables
	budget := uintptr(pgMaxVars)
	for l := v.last; l != nil; l = l.next {
		for i := range l.n {
			x := (*PresageVar)(unsafe.Pointer(l.vars + uintptr(i)*unsafe.Sizeof(PresageVar{})))
			size, flags := uintptr(0), uint64(0)
			if x.N > 0 && x.N <= pgMaxZero && s.watch(uintptr(x.P), x.N) {
				flags = pgFlagFirst
			}
			switch {
			case x.N == 0: // other variables may have the same address
				continue
			case x.N > pgMaxZero:
				flags = pgFlagNoValue
			case pgIsZero(x.P, x.N):
			case x.N > pgMaxVar || x.N > budget:
				flags |= pgFlagNoValue
			default:
				budget -= x.N
				size = x.N
			}
			s.variable(pgHead(pgRawVar, flags, uint64(size), uint64(l.first)+uint64(i)), uintptr(x.P), x.N, size)
		}
	}
	s.channels()
	presageVars.funcs.each(func(p unsafe.Pointer) { s.function(p, 0) })
	presageVars.conds.each(s.condition)
	s.room(2)
	s.stampAlone()
}

// watch makes the n bytes of a variable count as written by emitted code, before they are read. So
// the next read and the next write of each byte by outside code are written down (SC7), and now the
// last ones that outside code of other goroutines has made (SC4). A granule that outside code has
// not used takes one step. watch returns false if accesses to the variable have no cells.
func (s *PresageG) watch(addr, n uintptr) bool {
	if !pgHasCell(addr) || !pgHasCell(addr+n-1) || s.inside == 0 && !s.takeInside() {
		return false
	}
	mp := acquirem() // as in scan
	s.scanning = true
	for end := addr + n; addr < end; {
		next := min(addr&^(pgGranule-1)+pgGranule, end)
		if !s.useInside(addr) {
			s.seen(addr, next-addr)
		}
		pgWrote(addr, next-addr)
		addr = next
	}
	s.scanning = false
	releasem(mp)
	return true
}

// pgIsZero reports whether the n bytes at p are zero.
func pgIsZero(p unsafe.Pointer, n uintptr) bool {
	for i := range n {
		if *(*byte)(add(p, i)) != 0 {
			return false
		}
	}
	return true
}

// variable writes a RawVar with the header h and size bytes.
func (s *PresageG) variable(h uint64, x, n, size uintptr) {
	words := (size + 7) / 8
	p := s.room(3 + int(words))
	pgStore(p+8, uint64(x))
	pgStore(p+16, uint64(n))
	memmove(unsafe.Pointer(p+24), unsafe.Pointer(x), size)
	pgStore(p, h)
	s.pos = p + 24 + words*8
}
