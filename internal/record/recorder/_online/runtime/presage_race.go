package runtime

import (
	"internal/runtime/sys"
	"unsafe"
)

// What code compiled with -race calls, and the runtime for what it does itself: not TSan, but the
// detector.

const raceenabled = false

// raceread and racewrite are in presage_race_amd64.s: the rules of the same epoch, for what begins
// at addr. All else goes on here.
//
// The compiler puts its calls where a variable may be declared and not yet filled, since TSan's
// hooks neither grow the stack nor let the goroutine be preempted. So nothing here may: what is not
// nosplit runs on the system's stack.
func raceread(addr uintptr)
func racewrite(addr uintptr)
func racereadrange(addr, size uintptr)
func racewriterange(addr, size uintptr)

// What package compiler's compiler calls, with registers of their own.
func ftHookRead()
func ftHookWrite()
func ftHookReadRange()
func ftHookWriteRange()

//go:nosplit
func racefuncenter(pc uintptr) {}

//go:nosplit
func racefuncexit() {}

// ftOne takes an access of the running goroutine, of what begins at addr, which is not ftOwn.
//
//go:nosplit
func ftOne(addr uintptr, kind uint8, pc, sp uintptr) {
	if s := getg().presage; s != nil {
		s.ft.uncut()
		if addr&7 == 0 && s.ft.quick(addr, ftSite(pc), kind) || addr&7 != 0 && s.ft.quickPart(addr&^7, ftLocOf(addr), ftSite(pc), kind) {
			return
		}
	}
	ftSwitch(ftAccess{addr: addr, pc: pc, kind: kind}, 1, sp)
}

// ftOwn reports whether only the running goroutine can write to addr: no other one has pointers
// into its stack, and constants are not written. The hooks check that themselves.
//
//go:nosplit
func ftOwn(addr uintptr) bool {
	gp := getg()
	return addr-gp.stack.lo < gp.stack.hi-gp.stack.lo || addr-ftCode < ftConstants || !presage.on || addr == 0
}

// ftShortRange is the bytes up to which assembly has the loop of a range (sameWords).
const ftShortRange = 128

// ftRun takes an access of n bytes.
//
//go:nosplit
func ftRun(addr, n uintptr, kind uint8, pc, sp uintptr) {
	if s := getg().presage; s != nil {
		s.ft.uncut()
		k := s.ft.quickSpan(addr, n, ftSite(pc), kind)
		addr, n = addr+k, n-k
	}
	if n != 0 {
		ftSwitch(ftAccess{addr: addr, pc: pc, kind: kind}, n, sp)
	}
}

// ftOneTight and ftRunTight are ftOne and ftRun where the stack has little room: all is for the
// system's.

//go:nosplit
func ftOneTight(addr uintptr, kind uint8, pc, sp uintptr) {
	ftSwitch(ftAccess{addr: addr, pc: pc, kind: kind}, 1, sp)
}

//go:nosplit
func ftRunTight(addr, n uintptr, kind uint8, pc, sp uintptr) {
	ftSwitch(ftAccess{addr: addr, pc: pc, kind: kind}, n, sp)
}

// ftFirst makes the state of a goroutine that has none.
//
//go:nosplit
func ftFirst() {
	gp := getg()
	if !presage.on || gp.throwsplit {
		return
	}
	systemstack(func() { pgState(gp) })
}

// ftSwitch goes on on the system's stack. What is to be done lies in the state, since there is
// little room here.
//
//go:nosplit
func ftSwitch(a ftAccess, n, sp uintptr) {
	gp := getg()
	if gp.throwsplit {
		return
	}
	if gp.presage == nil {
		systemstack(func() { pgState(gp) })
	}
	if s := gp.presage; s != nil {
		s.at, s.left, s.pc, s.sp = a, n, a.pc, sp
		systemstack(func() { gp.presage.split(gp) })
	}
}

func (s *PresageG) split(gp *g) {
	s.at.site = ftSite(s.pc)
	if s.left == 1 {
		s.ft.rules(&s.at)
	} else {
		s.ft.span(s.at, s.left)
	}
	s.report(gp)
}

// Of the runtime. callerpc is in the program.

func ftFrom(addr unsafe.Pointer, n uintptr, kind uint8, callerpc uintptr) {
	gp := getg()
	if gp != gp.m.curg || ftOwn(uintptr(addr)) {
		return
	}
	if n == 1 {
		ftOne(uintptr(addr), kind, callerpc, 0)
		return
	}
	ftRun(uintptr(addr), n, kind, callerpc, 0)
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

// Of assembly that reads its arguments (argumentPatches).

//go:linkname race_ReadBytes internal/race.ReadBytes
func race_ReadBytes(b []byte) { ftBytes(b, ftReads, sys.GetCallerPC()) }

//go:linkname race_WriteBytes internal/race.WriteBytes
func race_WriteBytes(b []byte) { ftBytes(b, ftWrites, sys.GetCallerPC()) }

//go:linkname race_ReadFound internal/race.ReadFound
func race_ReadFound(b []byte, i, n int) {
	if i >= 0 {
		b = b[:i+n]
	}
	ftBytes(b, ftReads, sys.GetCallerPC())
}

func ftBytes(b []byte, kind uint8, callerpc uintptr) {
	if len(b) > 0 {
		ftFrom(unsafe.Pointer(unsafe.SliceData(b)), uintptr(len(b)), kind, callerpc)
	}
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
