package runtime

import (
	"internal/runtime/atomic"
	"internal/runtime/sys"
	"unsafe"
)

// What code compiled with the compiler's access hooks calls, and the runtime for what it does on
// behalf of its callers (maps, slices, copies). The compiler puts the calls where a variable may be
// declared and not yet filled: no stack may grow here and nothing may be preempted. What is not
// nosplit runs on the system's stack.

const raceenabled = false

//go:nosplit
func raceread(addr uintptr) {
	gp := getg()
	if addr-gp.stack.lo < gp.stack.hi-gp.stack.lo {
		return
	}
	if s := gp.presage; s != nil && addr < presageCells.quick && s.pos == s.scanned {
		m := uint64(1) << (pgByteShift + addr&7)
		if c := pgCellOf(addr); !pgIsDirty(addr, m) { // (SC7)
			if r := c.r; r-s.base < s.width && r&m != 0 {
				return
			}
			if w := c.w; w-s.base < s.width && w&m != 0 {
				return
			}
			if !pgHasCell(addr) {
				return
			}
		}
	}
	pgReadHook(gp, addr, sys.GetCallerPC())
}

// pgReadHook is the rest of raceread, which saves no register for it.
//
//go:nosplit
//go:noinline
func pgReadHook(gp *g, addr, pc uintptr) {
	if addr >= presageCells.quick && !pgFull(gp, addr, 1, pc, false) {
		return
	}
	if s := gp.presage; s != nil {
		if s.pos != s.scanned {
			pgCatchUp(gp)
		}
		m := uint64(1) << (pgByteShift + addr&7)
		if c := pgCellOf(addr); !pgIsDirty(addr, m) {
			if s.noted(c, m, false) || !pgHasCell(addr) || s.ownTurn(c, addr, m|pgPCEntry(pc), false) {
				return
			}
		}
	}
	pgSlow(gp, addr, 1, pc, false)
}

//go:nosplit
func racewrite(addr uintptr) {
	gp := getg()
	if addr-gp.stack.lo < gp.stack.hi-gp.stack.lo {
		return
	}
	if addr >= presageCells.quick && !pgFull(gp, addr, 1, sys.GetCallerPC(), true) {
		return
	}
	if s := gp.presage; s != nil && s.pos == s.scanned {
		m := uint64(1) << (pgByteShift + addr&7)
		if c := pgCellOf(addr); !pgWritesDirty(addr, m) { // (SC7)
			if w, r := c.w, c.r; w-s.base < s.width && w&m != 0 && (r == 0 || r-s.base < s.width) {
				return
			}
			if !pgHasCell(addr) {
				return
			}
		}
	}
	pgWriteHook(gp, addr, sys.GetCallerPC())
}

// pgWriteHook is the rest of racewrite, which saves no register for it.
//
//go:nosplit
//go:noinline
func pgWriteHook(gp *g, addr, pc uintptr) {
	if s := gp.presage; s != nil {
		if s.pos != s.scanned {
			pgCatchUp(gp)
		}
		m := uint64(1) << (pgByteShift + addr&7)
		if c := pgCellOf(addr); !pgWritesDirty(addr, m) {
			if s.noted(c, m, true) || !pgHasCell(addr) || s.ownTurn(c, addr, m|pgPCEntry(pc), true) {
				return
			}
		}
	}
	pgSlow(gp, addr, 1, pc, true)
}

//go:nosplit
func racereadrange(addr, size uintptr) { pgRun(addr, size, sys.GetCallerPC(), false, true) }

//go:nosplit
func racewriterange(addr, size uintptr) { pgRun(addr, size, sys.GetCallerPC(), true, true) }

//go:nosplit
func racefuncenter(pc uintptr) {}

//go:nosplit
func racefuncexit() {}

// pgRun takes an access of n bytes. dirty says that (SC7) may ask for it.
//
//go:nosplit
func pgRun(addr, n, pc uintptr, write, dirty bool) {
	gp := getg()
	if n == 0 || addr-gp.stack.lo < gp.stack.hi-gp.stack.lo {
		return
	}
	if addr >= presageCells.quick && !pgFull(gp, addr, n, pc, write) {
		return
	}
	if s := gp.presage; s != nil {
		if !pgHasCell(addr) {
			return
		}
		if dirty && s.pos != s.scanned {
			pgCatchUp(gp)
		}
		e := pgPCEntry(pc)
		for {
			k := min(8-addr&7, n)
			m := pgBytes(addr&7, k)
			c := pgCellOf(addr)
			if dirty && (!write && pgIsDirty(addr, m) || write && pgWritesDirty(addr, m)) || !s.noted(c, m, write) && !s.ownTurn(c, addr, m|e, write) {
				break
			}
			addr, n = addr+k, n-k
			if n == 0 {
				return
			}
		}
	}
	pgSlow(gp, addr, n, pc, write)
}

// noted is (SC2): the access is left out.
//
//go:nosplit
func (s *PresageG) noted(c *pgCell, m uint64, write bool) bool {
	w, r := c.w, c.r
	if write {
		return w-s.base < s.width && m&^w == 0 && (r == 0 || r-s.base < s.width)
	}
	return r-s.base < s.width && m&^r == 0 || w-s.base < s.width && m&^w == 0
}

// settled reports whether the entry that stands for a noted access may stay as it is. It may not
// if a hook has just made it and then met the write of another goroutine (SC6): that goroutine
// has not seen the entry.
func (s *PresageG) settled(c *pgCell, write bool) bool {
	w, r := atomic.Load64(&c.w), atomic.Load64(&c.r)
	return write || r&pgRecorded != 0 || w == 0 || s.owns(w)
}

// pgBytes are n bytes of a word from the given one on, as in an entry.
//
//go:nosplit
func pgBytes(from, n uintptr) uint64 { return (1<<n - 1) << from << pgByteShift }

// pgFull writes an access down where every one is asked for, and where memory has no cells: files
// and other memory that the program has mapped. It returns false if the access has no cell, and in
// an audit; else the hook goes on with the access.
//
//go:nosplit
func pgFull(gp *g, addr, n, pc uintptr, write bool) bool {
	if !pgHasCell(addr) && !pgIsFar(addr) || gp.m.curg != gp || !presage.on {
		return false
	}
	if gp.throwsplit {
		presageCells.lost.Add(1)
		return false
	}
	if gp.presage == nil {
		systemstack(func() { pgState(gp) })
	}
	s := gp.presage
	s.outAddr, s.outSize, s.outPC, s.outWrite, s.outAnnounced = addr, n, pc, write, false
	systemstack(func() { gp.presage.outsideFull() })
	return !presageCells.audit && addr < presageCells.limit
}

// pgIsFar reports whether memory is above the cells, and not the program's own that is never
// written.
//
//go:nosplit
func pgIsFar(addr uintptr) bool {
	m := &firstmoduledata
	return presageCells.limit != 0 && addr >= presageCells.limit && addr-m.text >= m.noptrdata-m.text
}

func (s *PresageG) outsideFull() {
	switch {
	case s.off:
	case presageCells.audit:
		s.audit()
	default:
		looked, far := s.pos == s.scanned, s.outAddr >= presageCells.limit
		if s.context() {
			if far {
				s.outsideRecord(s.outAddr, s.outSize, pgPCEntry(s.outPC), 0, s.outWrite)
			}
			if !far || presageCells.full {
				s.outsideRecord(s.outAddr, s.outSize, pgPCEntry(s.outPC), pgFlagFull, s.outWrite)
			}
		}
		if looked {
			s.scanned = s.pos
		}
	}
}

// pgSlow goes on on the system's stack. What is to be done stands in the state, since there is
// little room here.
//
//go:nosplit
func pgSlow(gp *g, addr, n, pc uintptr, write bool) {
	if gp.m.curg != gp || !presage.on {
		return
	}
	if gp.throwsplit {
		presageCells.lost.Add(1)
		return
	}
	if gp.presage == nil {
		systemstack(func() { pgState(gp) })
	}
	s := gp.presage
	s.outAddr, s.outSize, s.outPC, s.outWrite = addr, n, pc, write
	systemstack(func() { gp.presage.outside1() })
}

// outside1 takes the access that pgSlow has left in the state.
func (s *PresageG) outside1() {
	if s.pos != s.scanned {
		s.scan()
	}
	s.outside2()
	s.scanned = s.pos // these are records of outside code
}

func (s *PresageG) outside2() {
	addr, n, write := s.outAddr, s.outSize, s.outWrite
	if s.off || !pgHasCell(addr) || s.inside == 0 && !s.takeInside() || !s.context() {
		return
	}
	e := pgPCEntry(s.outPC)
	from, bytes := uintptr(0), uintptr(0)
	for n > 0 && addr < presageCells.limit {
		k := min(8-addr&7, n)
		m := pgBytes(addr&7, k)
		c := pgCellOf(addr)
		s.useCells(addr)
		down := !(s.noted(c, m, write) && s.settled(c, write)) && s.taken(c, addr&^7, m|e, write)
		if s.takesDirty(addr, m, write) {
			down = true
		}
		if down {
			if bytes == 0 {
				from = addr
			}
			bytes = addr + k - from
		} else if bytes > 0 {
			s.outsideRecord(from, bytes, e, 0, write)
			bytes = 0
		}
		addr, n = addr+k, n-k
	}
	if bytes > 0 {
		s.outsideRecord(from, bytes, e, 0, write)
	}
}

// outsideRecord writes an access down.
func (s *PresageG) outsideRecord(addr, n uintptr, pc, flags uint64, write bool) {
	s.knowPC(pc)
	kind := uint64(pgRead)
	if write {
		kind = pgWrite
	}
	s.touch(pgHead(kind, flags|pgFlagOpaque|pgFlagNoValue, 0, pc|pgOutsidePC), addr, uint64(n))
}

// touchKernel writes down what the kernel does to n bytes at p: where every access of outside code
// is asked for, as one of those as well. No cell decides on it, so the words are marked as those of
// emitted code are (SC4).
func (s *PresageG) touchKernel(h uint64, p uintptr, n uint64) {
	s.touch(h, p, n)
	if presageCells.full || presageCells.audit {
		s.touch(h|pgFlagFull<<48, p, n)
	}
	mp := acquirem() // as in scan
	s.scanning = true
	s.seen(p, uintptr(n))
	s.scanning = false
	releasem(mp)
}

// Of the runtime, on behalf of the code at callerpc. Emitted code writes records of its own as
// well; merge leaves out those that are made here.

func pgFrom(addr unsafe.Pointer, n uintptr, write bool, callerpc uintptr) {
	gp := getg()
	if gp != gp.m.curg || presageCells.limit == 0 {
		return
	}
	if presageCells.audit {
		if uintptr(addr) < presageCells.limit {
			auditAnnounced(addr, n, write, callerpc)
		}
		return
	}
	if at := pgReaderOf(callerpc); at != pgReaderRuntime {
		pgRun(uintptr(addr), n, callerpc, write, at != pgReaderEmitted)
	}
}

// pgHeader is pgFrom for an operation on the map or channel with this header.
func pgHeader(addr unsafe.Pointer, write bool, callerpc uintptr) {
	n := uintptr(1)
	if uintptr(addr) >= presageCells.quick && presageCells.audit {
		n = 0
	}
	pgFrom(addr, n, write, callerpc)
}

func raceReadObjectPC(t *_type, addr unsafe.Pointer, callerpc, pc uintptr) {
	pgFrom(addr, t.Size_, false, callerpc)
}
func raceWriteObjectPC(t *_type, addr unsafe.Pointer, callerpc, pc uintptr) {
	pgFrom(addr, t.Size_, true, callerpc)
}
func racewritepc(addr unsafe.Pointer, callerpc, pc uintptr) { pgHeader(addr, true, callerpc) }
func racereadpc(addr unsafe.Pointer, callerpc, pc uintptr)  { pgHeader(addr, false, callerpc) }
func racereadrangepc(addr unsafe.Pointer, sz, callerpc, pc uintptr) {
	pgFrom(addr, sz, false, callerpc)
}
func racewriterangepc(addr unsafe.Pointer, sz, callerpc, pc uintptr) {
	pgFrom(addr, sz, true, callerpc)
}

//go:linkname race_presageReadPC internal/race.presageReadPC
func race_presageReadPC(addr unsafe.Pointer, callerpc uintptr) { pgHeader(addr, false, callerpc) }

//go:linkname race_presageWritePC internal/race.presageWritePC
func race_presageWritePC(addr unsafe.Pointer, callerpc uintptr) { pgHeader(addr, true, callerpc) }

//go:linkname race_presageReadObjectPC internal/race.presageReadObjectPC
func race_presageReadObjectPC(t *_type, addr unsafe.Pointer, callerpc uintptr) {
	pgFrom(addr, t.Size_, false, callerpc)
}

//go:linkname race_presageWriteObjectPC internal/race.presageWriteObjectPC
func race_presageWriteObjectPC(t *_type, addr unsafe.Pointer, callerpc uintptr) {
	pgFrom(addr, t.Size_, true, callerpc)
}

// Of code without hooks that reads or writes what its arguments lead to (argumentPatches).

//go:linkname race_ReadBytes internal/race.ReadBytes
func race_ReadBytes(b []byte) {
	pgFrom(unsafe.Pointer(unsafe.SliceData(b)), uintptr(len(b)), false, sys.GetCallerPC())
}

//go:linkname race_WriteBytes internal/race.WriteBytes
func race_WriteBytes(b []byte) {
	pgFrom(unsafe.Pointer(unsafe.SliceData(b)), uintptr(len(b)), true, sys.GetCallerPC())
}

//go:linkname race_ReadFound internal/race.ReadFound
func race_ReadFound(b []byte, i, n int) {
	if i >= 0 {
		b = b[:i+n]
	}
	pgFrom(unsafe.Pointer(unsafe.SliceData(b)), uintptr(len(b)), false, sys.GetCallerPC())
}

func raceacquire(addr unsafe.Pointer)                     { presageHidden(getg(), pgAcquire, addr) }
func racerelease(addr unsafe.Pointer)                     { presageHidden(getg(), pgRelease, addr) }
func racereleasemerge(addr unsafe.Pointer)                { presageHidden(getg(), pgReleaseMerge, addr) }
func raceacquireg(gp *g, addr unsafe.Pointer)             { throw("race") }
func raceacquirectx(racectx uintptr, addr unsafe.Pointer) { throw("race") }
func racereleaseg(gp *g, addr unsafe.Pointer)             { throw("race") }
func racereleaseacquire(addr unsafe.Pointer)              { throw("race") }
func racereleaseacquireg(gp *g, addr unsafe.Pointer)      { throw("race") }
func racereleasemergeg(gp *g, addr unsafe.Pointer)        { throw("race") }
func raceinit() (uintptr, uintptr)                        { throw("race"); return 0, 0 }
func racefini()                                           { throw("race") }
func raceproccreate() uintptr                             { throw("race"); return 0 }
func raceprocdestroy(ctx uintptr)                         { throw("race") }
func racemapshadow(addr unsafe.Pointer, size uintptr)     { throw("race") }
func racefingo()                                          { throw("race") }
func racemalloc(p unsafe.Pointer, sz uintptr)             { throw("race") }
func racefree(p unsafe.Pointer, sz uintptr)               { throw("race") }
func racegostart(pc uintptr) uintptr                      { throw("race"); return 0 }
func racegoend()                                          { throw("race") }
func racectxstart(spawnctx, racectx uintptr) uintptr      { throw("race"); return 0 }
func racectxend(racectx uintptr)                          { throw("race") }
