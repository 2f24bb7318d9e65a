package runtime

import (
	"internal/runtime/sys"
	"unsafe"
)

// What code compiled with -race calls, and the runtime for what it does itself: not TSan, but the detector.

const raceenabled = false

// raceread and racewrite are in presage_race_amd64.s: the rules of the same epoch, for what begins at addr. All else goes on here.
func raceread(addr uintptr)
func racewrite(addr uintptr)

//go:nosplit
func ftReadSlow(addr uintptr) {
	gp := getg()
	if s := gp.presage; s != nil && addr>>47 == 0 {
		if p := ftCells[addr>>ftBlockShift&(1<<ftPlaneShift-1)|(addr&7)<<ftPlaneShift]; p != nil {
			if d := ftCrowdOf(p[addr>>3&(ftWords-1)].r); d != nil && d.has(&s.ft, false) {
				s.ft.stats.readSameEpoch++
				return
			}
		}
	}
	ftSlow(addr, 1, ftReads, sys.GetCallerPC(), sys.GetCallerSP())
}

//go:nosplit
func ftWriteSlow(addr uintptr) {
	ftSlow(addr, 1, ftWrites, sys.GetCallerPC(), sys.GetCallerSP())
}

//go:nosplit
func racereadrange(addr, size uintptr) {
	ftSlow(addr, size, ftReads, sys.GetCallerPC(), sys.GetCallerSP())
}

//go:nosplit
func racewriterange(addr, size uintptr) {
	ftSlow(addr, size, ftWrites, sys.GetCallerPC(), sys.GetCallerSP())
}

//go:nosplit
func racefuncenter(pc uintptr) {}

//go:nosplit
func racefuncexit() {}

// ftSlow takes an access of n bytes (1: of what begins at addr) of the running goroutine.
//
//go:nosplit
func ftSlow(addr, n uintptr, kind uint8, pc, sp uintptr) {
	gp := getg()
	if addr-gp.stack.lo < gp.stack.hi-gp.stack.lo || gp.throwsplit || !presage.on || n == 0 || addr == 0 {
		return // nobody else has pointers into a stack
	}
	if s := gp.presage; s != nil && addr&7 == 0 && n&7 == 0 && n <= 64 {
		i := uintptr(0)
		for i < n && s.ft.seen(addr+i, kind) {
			i += 8
		}
		if i == n {
			s.ft.stats.same(kind)
			return
		}
	}
	ftSplit(addr, n, kind, pc, sp)
}

func ftSplit(addr, n uintptr, kind uint8, pc, sp uintptr) {
	gp := getg()
	s := pgState(gp)
	if s == nil {
		return
	}
	gp.m.locks++
	a := ftAccess{addr: addr, pc: pc, site: ftSite(pc), kind: kind}
	s.pc, s.sp = pc, sp
	if n == 1 {
		s.ft.access(&a)
	} else {
		s.ft.span(a, n)
	}
	gp.m.locks--
	if s.ft.n != 0 {
		s.report()
	}
}

// Of the runtime. callerpc is in the program.

func ftFrom(addr unsafe.Pointer, n uintptr, kind uint8, callerpc uintptr) {
	gp := getg()
	if gp != gp.m.curg || addr == nil {
		return
	}
	ftSlow(uintptr(addr), n, kind, callerpc, 0)
}

func raceReadObjectPC(t *_type, addr unsafe.Pointer, callerpc, pc uintptr) {
	ftFrom(addr, ftExtent(t), ftReads, callerpc)
}

func raceWriteObjectPC(t *_type, addr unsafe.Pointer, callerpc, pc uintptr) {
	ftFrom(addr, ftExtent(t), ftWrites, callerpc)
}

// ftExtent is the bytes of an object, 1 if it is no struct and no array.
func ftExtent(t *_type) uintptr {
	if kind := t.Kind(); kind == 17 || kind == 25 { // abi.Array, abi.Struct
		return t.Size_
	}
	return 1
}

func racewritepc(addr unsafe.Pointer, callerpc, pc uintptr) { ftFrom(addr, 1, ftWrites, callerpc) }
func racereadpc(addr unsafe.Pointer, callerpc, pc uintptr)  { ftFrom(addr, 1, ftReads, callerpc) }
func racereadrangepc(addr unsafe.Pointer, sz, callerpc, pc uintptr) {
	ftFrom(addr, sz, ftReads, callerpc)
}
func racewriterangepc(addr unsafe.Pointer, sz, callerpc, pc uintptr) {
	ftFrom(addr, sz, ftWrites, callerpc)
}

func raceacquire(addr unsafe.Pointer)                     { pgRecord(pgAcquire, 0, addr) }
func racerelease(addr unsafe.Pointer)                     { pgRecord(pgRelease, 0, addr) }
func racereleasemerge(addr unsafe.Pointer)                { pgRecord(pgReleaseMerge, 0, addr) }
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

// For internal/race: what internal/runtime/maps, reflect and iter declare.

//go:linkname race_presageReadPC internal/race.presageReadPC
func race_presageReadPC(addr unsafe.Pointer, callerpc uintptr) { ftFrom(addr, 1, ftReads, callerpc) }

//go:linkname race_presageWritePC internal/race.presageWritePC
func race_presageWritePC(addr unsafe.Pointer, callerpc uintptr) { ftFrom(addr, 1, ftWrites, callerpc) }

//go:linkname race_presageReadObjectPC internal/race.presageReadObjectPC
func race_presageReadObjectPC(t *_type, addr unsafe.Pointer, callerpc uintptr) {
	ftFrom(addr, ftExtent(t), ftReads, callerpc)
}

//go:linkname race_presageWriteObjectPC internal/race.presageWriteObjectPC
func race_presageWriteObjectPC(t *_type, addr unsafe.Pointer, callerpc uintptr) {
	ftFrom(addr, ftExtent(t), ftWrites, callerpc)
}
