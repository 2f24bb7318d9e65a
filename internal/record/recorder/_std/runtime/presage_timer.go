package runtime

import (
	"internal/abi"
	"unsafe"
)

// Timers. The scheduler runs what a timer fires, on the system's stack of whatever thread comes by:
// that one timer fires after another says nothing about what happens before what. So each firing is
// a goroutine of its own, which begins with what arming and stopping the timer have released.

// presageTimer records that the running goroutine arms or stops t.
func presageTimer(t *timer) {
	if gp := getg(); gp.m.curg == gp {
		if s := pgState(gp); s != nil && presage.on {
			s.put1(nil, pgHead(pgReleaseMerge, pgFlagOpaque|pgFlagTimer, 0, 0), uintptr(unsafe.Pointer(t)))
		}
	}
}

// presageTimerFires makes what the running system stack does next, up to presageTimerFired, the
// goroutine of a firing of t. It returns the state from before. A firing that only wakes a
// goroutine up is not recorded: a goroutine that sleeps, or waits until a deadline, learns nothing
// from anybody.
func presageTimerFires(t *timer, bubble *synctestBubble) (was *PresageG, fires bool) {
	if !presage.on {
		return nil, false
	}
	pc := **(**uintptr)(unsafe.Pointer(&t.f))
	if bubble == nil {
		switch pc {
		case abi.FuncPCABIInternal(goroutineReady), abi.FuncPCABIInternal(netpollDeadline),
			abi.FuncPCABIInternal(netpollReadDeadline), abi.FuncPCABIInternal(netpollWriteDeadline):
			return nil, false
		}
	}
	gp := getg()
	was = pgState(gp)
	pgFiring(gp, pc)
	if gp.presage == was {
		return nil, false
	}
	presageHidden(gp, pgAcquire, unsafe.Pointer(t))
	return was, true
}

func presageTimerFired(was *PresageG, fires bool) {
	if fires {
		presageEnd()
		getg().presage = was
	}
}
