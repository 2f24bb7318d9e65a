package runtime

import (
	"internal/runtime/atomic"
	"unsafe"
)

// The steps of a schedule: when one is ready, what is noted when it is done, and how those wait
// that have to.

// finish notes that the step under way is done.
func (s *presageGate) finish() {
	if s.cur < 0 {
		return
	}
	i := uint64(s.cur)
	p := gtStep(i)
	s.cur = -1
	s.watches()
	if *gtWord(p, gtSPair) != 0 {
		gtLook(i, 1)
	}
	gtMove(p, gtDone)
	if other := *gtWord(p, gtSPair); other != 0 && atomic.Load64(gtWord(gtStep(other-1), gtSState)) == gtDone {
		atomic.Store64(gtWord(gates.base, gtLevel), gtOpen)
	}
}

// gtMove sets the state of a step. The order and time of its first passing stay.
func gtMove(p uintptr, state uint64) {
	now := uint64(nanotime())
	if *gtWord(p, gtSOrder) == 0 {
		*gtWord(p, gtSTime) = now
		*gtWord(p, gtSOrder) = uint64(atomic.Xadd64(gtWord(gates.base, gtSequence), 1))
	}
	atomic.Store64(gtWord(gates.base, gtMoved), now)
	atomic.Store64(gtWord(p, gtSState), state)
}

// gtReady reports whether all that has to be done before a step is done: of that, what is in
// force at the level that the schedule is at. An access of the pair waits for the other as well.
func gtReady(p uintptr) bool {
	level := gtLoose()
	if *gtWord(p, gtSSite)>>32&gtStop != 0 {
		return level > 0
	}
	v := *gtWord(p, gtSPreds)
	for k := v & 0xffffffff; k < v&0xffffffff+v>>32; k++ {
		pred := *gtWord(gates.preds, uintptr(k))
		if level < pred>>56 && !gtIsDone(gtStep(pred&(1<<56-1))) {
			return false
		}
	}
	if other := *gtWord(p, gtSPair); *gtWord(p, gtSSite)>>32&gtHeld != 0 {
		o := gtStep(other - 1)
		state := atomic.Load64(gtWord(o, gtSState))
		return state >= gtPassed || state == gtArrived && gtMeet(p, o)
	}
	return true
}

func gtIsDone(p uintptr) bool {
	switch atomic.Load64(gtWord(p, gtSState)) {
	case gtDone:
		return true
	case gtPassed:
		flags := *gtWord(p, gtSSite) >> 32
		if flags&gtOutside != 0 && uint64(nanotime()) > *gtWord(p, gtSTime)+gtSettles() {
			return true
		}
		if flags&(gtParks|gtOutside) != 0 {
			s := (*presageGate)(unsafe.Pointer(gates.state + uintptr(*gtWord(p, gtSG))*unsafe.Sizeof(presageGate{})))
			return readgstatus(s.gp.ptr())&^_Gscan == _Gwaiting
		}
	}
	return false
}

// gtFreeze holds a goroutine of the pair until the other one has made its access too.
func gtFreeze(s *presageGate) {
	for gtLoose() < gtOpen {
		gtPause(s.end - 1)
	}
}

// gtPause lets others run. Where nothing moves for too long, the schedule is loosened by a level.
// The more goroutines wait, the sooner each looks again: the others have had their turns.
func gtPause(step uint64) (level uint64) {
	n := atomic.Xadd64(&gates.waiting, 1)
	for i := int64(0); i < 16; i += int64(n) {
		procyield(10)
		Gosched()
	}
	level = gtStalled(step)
	atomic.Xadd64(&gates.waiting, -1)
	return level
}

// gtStalled loosens the schedule by a level where nothing has moved for too long.
func gtStalled(step uint64) (level uint64) {
	level = gtLoose()
	moved := atomic.Load64(gtWord(gates.base, gtMoved))
	now := uint64(nanotime())
	if level < gtOpen && now > moved && now-moved > gtSettles() && gtLooked() {
		atomic.Store64(gtWord(gates.base, gtLevel), gtOpen)
		return gtOpen
	}
	if level < gtOpen && now > moved && (gtIdles(now, moved) || gtStill(now, moved)) {
		if atomic.Cas64(gtWord(gates.base, gtMoved), moved, now) {
			if k := atomic.Xadd64(gtWord(gates.base, gtStalls), 1); k <= 8 {
				*gtWord(gates.base, gtStalls+uintptr(2*k-1)) = level | atomic.Load64(gtWord(gates.base, gtSequence))<<8
				*gtWord(gates.base, gtStalls+uintptr(2*k)) = step + 1
			}
			gtWhere(level == *gtWord(gates.base, gtBegan))
			atomic.Cas64(gtWord(gates.base, gtLevel), level, level+1)
		}
	} else if now-moved > 1000*1000 {
		gtRest()
	}
	return level
}

// gtRest gives the processor away while nothing moves. A goroutine that does so keeps its P, so of
// all that wait one does, for all: another one that comes next would come that much later.
func gtRest() {
	n := max(1, atomic.Load64(&gates.waiting))
	if uint64(atomic.Xadd64(&gates.looks, 1))%n == 0 {
		usleep(uint32(50 * min(max(1, n/8), 20)))
	}
}

// gtIdles reports whether no step has been made for as long as the limit, not counting the time in
// which a sleep or a timer was expected to end: a goroutine that has just woken needs time to come
// to its step.
func gtIdles(now, moved uint64) bool {
	limit := *gtWord(gates.base, gtLimit)
	if now-moved <= limit {
		return false
	}
	if gtExpects(now, moved) {
		atomic.Store64(&gates.expected, now)
		return false
	}
	expected := atomic.Load64(&gates.expected)
	return now > expected && now-expected > limit
}

// gtStill reports whether nothing can move any more, and has not for a while: each goroutine of
// the program waits for another one, or for the schedule.
func gtStill(now, moved uint64) bool {
	if s := getg().m.curg.presage; s != nil {
		s.spins = now
	}
	enough := min(*gtWord(gates.base, gtLimit)/20, 50e6)
	if now-moved < enough || now-atomic.Load64(&gates.looked) < enough/50 {
		return false
	}
	atomic.Store64(&gates.looked, now)
	expects := gtExpects(now, moved)
	if expects {
		atomic.Store64(&gates.expected, now)
	}
	if expects || !gtAllWait(now) {
		atomic.Store64(&gates.busy, now)
	}
	return now-max(moved, atomic.Load64(&gates.busy)) > enough
}

// gtAllWait reports whether no goroutine of the program runs, but for those that stand at a gate,
// and none waits for something from outside.
func gtAllWait(now uint64) bool {
	all, n := atomicAllG()
	for i := uintptr(0); i < n; i++ {
		gp := atomicAllGIndex(all, i)
		if isSystemGoroutine(gp, false) {
			continue
		}
		switch readgstatus(gp) &^ _Gscan {
		case _Gwaiting:
			if gp.waitreason == waitReasonIOWait {
				return false
			}
		case _Grunnable, _Grunning, _Gpreempted:
			if s := gp.presage; s == nil || now-s.spins > gtSpins && now > s.spins {
				return false
			}
		case _Gsyscall, _Gcopystack:
			return false
		}
	}
	return true
}

// gtSpins is how long a goroutine that stands at a gate may not have looked whether its turn has
// come, in nanoseconds.
const gtSpins = 10e6

// gtLost ends the schedule if an access of the pair can no longer come: its goroutine has ended.
func gtLost() {
	last := gtStep(*gtWord(gates.base, gtSteps) - 1)
	if !gtCannotCome(last) && !gtCannotCome(gtStep(*gtWord(last, gtSPair)-1)) {
		return
	}
	if level := gtLoose(); level < gtOpen && atomic.Cas64(gtWord(gates.base, gtLevel), level, gtOpen) {
		gtWhere(atomic.Load64(gtWord(gates.base, gtStalls)) == 0)
	}
}

func gtCannotCome(p uintptr) bool {
	entry := gates.gs + uintptr(*gtWord(p, gtSG))*gtGWords*8
	return atomic.Load64(gtWord(p, gtSState)) < gtPassed && atomic.Load64(gtWord(entry, gtGState)) == 2
}
