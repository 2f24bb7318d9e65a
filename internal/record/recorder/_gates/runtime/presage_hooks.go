//go:build race

package runtime

import (
	"internal/abi"
	"internal/runtime/atomic"
	"internal/runtime/sys"
	"internal/stringslite"
	"unsafe"
)

// What the race detector's hooks do while a step of outside code is next (presage_outside.go).
//
// The compiler puts hooks where a variable may be declared and not yet filled, with a call that
// saves no more than any call does. So a goroutine that waits in one is treated as one that was
// preempted at this instruction (asyncPreempt): the frame of the access is scanned
// conservatively, and its stack neither grows nor shrinks. Nothing else is left to do on its
// own stack than to switch to the system's.

// presageHold is in presage_hooks_amd64.s and presage_hooks_arm64.s. It stands in the stack in
// place of a hook.
func presageHold()

// presageHolds reports whether a frame is that of presageHold, so that its caller is to be
// scanned conservatively.
func presageHolds(f funcInfo) bool { return f.entry() == gtHoldPC }

var gtHoldPC uintptr

// presageHooks is called when there is a schedule.
func presageHooks() { gtHoldPC = abi.FuncPCABI0(presageHold) }

// presageHeld is called by presageHold with the access in the hook. It reports whether the race
// detector is not to see it.
//
//go:nosplit
func presageHeld(addr, n uintptr, write bool, pc uintptr) bool {
	gp := getg()
	s := gp.presage
	if s == nil || gp != gp.m.curg || n == 0 {
		return false
	}
	if s.announced { // it has been here
		s.announced = false
		return false
	}
	s.access = gtAccess{addr: addr, n: n, pc: pc, write: write}
	systemstack(gtHeldFirst)
	for s.asked {
		gp.asyncSafePoint = true
		mcall(gosched_m)
		gp.asyncSafePoint = false
		systemstack(gtHeldAgain)
	}
	return gates.hides != 0 && gtHides(addr, n)
}

func gtHeldFirst() {
	s := getg().m.curg.presage
	if s.comes() && !canPreemptM(getg().m) {
		s.cannotWait()
	}
}

func gtHeldAgain() {
	s := getg().m.curg.presage
	if s.comes() {
		gtStalled(s.next)
	}
}

// cannotWait goes on without the step: what runs here may not be preempted.
func (s *presageGate) cannotWait() {
	s.asked = false
	atomic.Xadd64(gtWord(gates.base, gtMissed), 1)
	atomic.Store64(gtWord(gtStep(s.next), gtSState), 0)
}

// gtAnnounced is called for an access that the runtime makes for the code that it returns to at
// pc. Here a goroutine may wait as anywhere. It reports whether the race detector is not to see
// the access.
func gtAnnounced(addr unsafe.Pointer, n, pc uintptr, write bool) bool {
	return gtAnnouncedAt(addr, gtAccess{n: n, pc: pc, write: write})
}

func gtAnnouncedAt(addr unsafe.Pointer, a gtAccess) bool {
	gp := getg()
	s := gp.presage
	if s == nil || gp != gp.m.curg || a.n == 0 {
		return false
	}
	a.addr = uintptr(addr)
	s.access = a
	if s.comes() {
		if canPreemptM(gp.m) && !gp.throwsplit {
			for {
				gtPause(s.next)
				if !s.comes() {
					break
				}
			}
		} else {
			s.cannotWait()
		}
	}
	return gates.hides != 0 && gtHides(uintptr(addr), a.n)
}

// presageReads and presageWrites are accesses that the runtime makes for the goroutine that called
// it (argumentPatches).

func presageReads(p unsafe.Pointer, n uintptr) {
	if n > 0 {
		racereadrangepc(p, n, sys.GetCallerPC(), abi.FuncPCABIInternal(presageReads))
	}
}

func presageWrites(p unsafe.Pointer, n uintptr) {
	if n > 0 {
		racewriterangepc(p, n, sys.GetCallerPC(), abi.FuncPCABIInternal(presageWrites))
	}
}

// gtAsked is called for an access that a function of package internal/race makes for its caller.
// It comes to a hook behind it, which lets it pass.
func gtAsked(addr unsafe.Pointer, n int, write bool) bool {
	var pcs [16]uintptr
	for _, pc := range pcs[:callers(1, pcs[:])] {
		f := findfunc(pc - 1)
		if !f.valid() {
			break
		}
		u, at := newInlineUnwinder(f, pc-1)
		for ; at.valid(); at = u.next(at) {
			if name := u.srcFunc(at).name(); !stringslite.HasPrefix(name, "internal/race.") && !stringslite.HasPrefix(name, "runtime.") {
				_, line := u.fileLine(at)
				hidden := gtAnnouncedAt(addr, gtAccess{n: uintptr(n), place: presagePlace(name, line, write), write: write})
				if s := getg().presage; s != nil {
					s.announced = !hidden && n > 0 && s.watch != 0
				}
				return hidden
			}
		}
	}
	return false
}

//go:nosplit
func racereadpc(addr unsafe.Pointer, callpc, pc uintptr) {
	if s := getg().presage; s != nil && s.watch != 0 && gtAnnounced(addr, 1, callpc, false) {
		return
	}
	presageRaceReadPC(addr, callpc, pc)
}

//go:nosplit
func racewritepc(addr unsafe.Pointer, callpc, pc uintptr) {
	if s := getg().presage; s != nil && s.watch != 0 && gtAnnounced(addr, 1, callpc, true) {
		return
	}
	presageRaceWritePC(addr, callpc, pc)
}
