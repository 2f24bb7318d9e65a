package runtime

import (
	"internal/runtime/atomic"
	"unsafe"
)

// Gates of outside code: packages and functions that are compiled as they are written. The race
// detector's hooks, which the compiler puts in front of each access, are their gates
// (presage_hooks.go). A step of outside code is known by the function and line of its access
// and by its kind, not by a site.
//
// Such a step is next in its goroutine's part of the schedule until an access comes that
// matches. How many others match before it is not recorded. So the addresses decide: where both
// goroutines of the pair stand at accesses of different memory, both go on.

// gtAccess is an access in a hook.
type gtAccess struct {
	addr, n uintptr
	pc      uintptr // return address of the hook, 0: place is known
	place   uint64
	write   bool
}

// gtPlace is what a program counter is known to be.
type gtPlace struct {
	pc    uintptr
	place uint64
}

// gtKnown is how many of them a goroutine remembers.
const gtKnown = 32

// watches decides whether the hooks of the race detector are looked at: while a step of outside
// code is next, or under way.
func (s *presageGate) watches() {
	s.watch = gates.hides
	if s.next < s.end && *gtWord(gtStep(s.next), gtSSite)>>32&gtOutside != 0 || s.cur >= 0 && *gtWord(gtStep(uint64(s.cur)), gtSSite)>>32&gtOutside != 0 {
		s.watch = 1
	}
}

// presagePlace is the number of a place in the source, as package replay has it: of the
// function's name and the line, and of the kind of access.
func presagePlace(name string, line int, write bool) uint64 {
	h := uint64(14695981039346656037)
	for i := 0; i < len(name); i++ {
		h = (h ^ uint64(name[i])) * 1099511628211
	}
	k := uint64(line) << 1
	if write {
		k++
	}
	return presageMix(h + k)
}

// gtPlaceOf is the place of the access whose hook returns to pc: of the innermost inlined
// function there.
func (s *presageGate) gtPlaceOf(pc uintptr, write bool) uint64 {
	k := &s.known[pc>>2%gtKnown]
	if k.pc == pc {
		return k.place
	}
	place := uint64(0)
	if f := findfunc(pc - 1); f.valid() {
		u, at := newInlineUnwinder(f, pc-1)
		_, line := u.fileLine(at)
		place = presagePlace(u.srcFunc(at).name(), line, write)
	}
	k.pc, k.place = pc, place
	return place
}

// comes takes the access in s.access to the schedule, and reports whether its goroutine has to
// wait. It may run on the system's stack.
func (s *presageGate) comes() bool {
	if gtLoose() >= gtOpen {
		s.asked, s.watch, gates.hides = false, 0, 0
		return false
	}
	if !s.asked {
		if s.cur >= 0 && *gtWord(gtStep(uint64(s.cur)), gtSSite)>>32&gtOutside != 0 {
			s.finish() // its access was made before this one
		}
		if !s.matches() {
			return false
		}
	}
	return s.waits()
}

// matches reports whether the access in s.access is one of the next step.
func (s *presageGate) matches() bool {
	if s.next >= s.end {
		return false
	}
	p := gtStep(s.next)
	if *gtWord(p, gtSSite)>>32&gtOutside == 0 {
		return false
	}
	a := &s.access
	if a.pc != 0 {
		a.place = s.gtPlaceOf(a.pc, a.write)
	}
	if a.place != *gtWord(p, gtSPlace) {
		return false
	}
	gtLog(s.next, a.addr, a.n)
	if atomic.Load64(gtWord(p, gtSState)) >= gtPassed { // gtLooks
		return false
	}
	if s.skip > 0 {
		s.skip--
		return false
	}
	*gtWord(p, gtSAddr), *gtWord(p, gtSSize) = uint64(a.addr), uint64(a.n)
	if *gtWord(p, gtSPair) != 0 {
		gtCame(s.next)
	}
	atomic.Store64(gtWord(p, gtSState), gtArrived)
	s.asked = true
	return true
}

// waits reports whether the access has to wait. If not, its step is passed, or another access
// is to be it.
func (s *presageGate) waits() bool {
	i := s.next
	p := gtStep(i)
	switch {
	case gtReady(p):
		s.passes(i, p)
	case gtElsewhere(p):
		atomic.Store64(gtWord(p, gtSState), 0)
	default:
		return true
	}
	s.asked = false
	return false
}

func (s *presageGate) passes(i uint64, p uintptr) {
	if other := *gtWord(p, gtSPair); other != 0 {
		if atomic.Load64(gtWord(gtStep(other-1), gtSState)) <= gtArrived {
			gtForget(s.access.addr, s.access.n)
		} else {
			*gtWord(gates.base, gtOver) = 1
		}
		gtLook(i, 0)
	}
	if *gtWord(gates.base, gtLooks) != 0 { // those behind it are written down too
		gtMove(p, gtPassed)
		return
	}
	s.next++
	s.turn()
	s.cur = int64(i)
	s.watches()
	gtMove(p, gtPassed)
}

// gtLog writes down the address of an access that matches a step of the pair.
func gtLog(i uint64, addr, n uintptr) {
	if *gtWord(gtStep(i), gtSPair) == 0 {
		return
	}
	log := gates.logs + gtWhich(i)*gtLogWords*8
	k := *gtWord(log, 0)
	if k < gtLogged {
		*gtWord(log, uintptr(1+2*k)), *gtWord(log, uintptr(2+2*k)) = uint64(addr), uint64(n)
	}
	*gtWord(log, 0) = k + 1
	atomic.Store64(gtWord(gates.base, gtMoved), uint64(nanotime()))
}

// gtMeet reports whether two accesses of a pair are of one place in memory, as far as is known.
// Of two that both have gates of their own the schedule says so.
func gtMeet(p, o uintptr) bool {
	if (*gtWord(p, gtSSite)|*gtWord(o, gtSSite))>>32&gtOutside == 0 {
		return true
	}
	a, n := *gtWord(p, gtSAddr), *gtWord(p, gtSSize)
	b, m := *gtWord(o, gtSAddr), *gtWord(o, gtSSize)
	return a == 0 || b == 0 || a < b+m && b < a+n
}

// gtElsewhere reports whether the other access of the pair stands before other memory.
func gtElsewhere(p uintptr) bool {
	other := *gtWord(p, gtSPair)
	if other == 0 || *gtWord(p, gtSSite)>>32&gtHeld == 0 {
		return false
	}
	o := gtStep(other - 1)
	return atomic.Load64(gtWord(o, gtSState)) == gtArrived && !gtMeet(p, o)
}

// gtSettles is how long after its step an access of outside code is made for sure, in
// nanoseconds: its goroutine does nothing else. Most are known to be made before, by what the
// goroutine comes to next.
func gtSettles() uint64 {
	if *gtWord(gates.base, gtLooks) != 0 {
		return 20e6 // with others of the place
	}
	return 1e6
}

// leaves goes on to the next step where its gate comes, in a run that only looks: the goroutine
// stays at a step of outside code for the passages behind it.
func (s *presageGate) leaves(site uint32) {
	if *gtWord(gates.base, gtLooks) == 0 || s.next+1 >= s.end {
		return
	}
	p := gtStep(s.next)
	if *gtWord(p, gtSSite)>>32&gtOutside != 0 && *gtWord(p, gtSState) >= gtPassed && uint32(*gtWord(gtStep(s.next+1), gtSSite)) == site {
		s.next++
		s.turn()
	}
}

// gtLooked reports whether a run that only looks has seen what it is for: both accesses of the
// pair were made, and the goroutine of one of outside code, which makes more of the place, waits
// or has ended.
func gtLooked() bool {
	if *gtWord(gates.base, gtLooks) == 0 {
		return false
	}
	last := gtStep(*gtWord(gates.base, gtSteps) - 1)
	return gtSaw(last) && gtSaw(gtStep(*gtWord(last, gtSPair)-1))
}

// gtSaw is gtLooked for one of the two accesses.
func gtSaw(p uintptr) bool {
	state := atomic.Load64(gtWord(p, gtSState))
	if state < gtPassed || *gtWord(p, gtSSite)>>32&gtOutside == 0 {
		return state >= gtPassed
	}
	g := uintptr(*gtWord(p, gtSG))
	if atomic.Load64(gtWord(gates.gs+g*gtGWords*8, gtGState)) == 2 {
		return true
	}
	s := (*presageGate)(unsafe.Pointer(gates.state + g*unsafe.Sizeof(presageGate{})))
	return readgstatus(s.gp.ptr())&^_Gscan == _Gwaiting
}
