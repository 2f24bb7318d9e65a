package runtime

import "unsafe"

// The end of a steered run. A process may end while goroutines could go on. What they would have
// done could have come earlier, so they go on first, and the goroutine that ends the process is
// held back, in os.Exit, at the return of main, or in a panic that nothing recovers. Of several
// such goroutines, the one with the largest exit code ends the process: so the code is a function
// of the order of operations.
//
// A goroutine that still waits then is written into the file of the schedule, with the channels or
// the lock that it waits for.

//go:linkname testing_presageSteered testing.presageSteered
func testing_presageSteered() bool { return presageSteer.on }

// steerExits is how many choices of goroutines there are at most once the process ends.
const steerExits = 20_000

// steerPanics is the exit code of a panic.
const steerPanics = 2

// steerExit lets all others run, before the process ends with an exit code, until they wait. It
// counts those that could still go on.
func steerExit(code int) {
	x := &presageSteer
	gp := getg()
	if gp != gp.m.curg || gp.m.locks != 0 {
		x.on = false
		return
	}
	if x.exits == nil {
		x.until = x.file.picked + steerExits
	}
	if x.exits == nil || int32(code) > x.rank {
		x.exits, x.rank = gp, int32(code)
	}
	if s := gp.presage; s != nil {
		s.steer.ends = true
	}
	timeSleep(1) // the clock stands still while another one is ready
	for x.exits != gp {
		timeSleep(1 << 60)
	}
	all, n := atomicAllG()
	for i := range n {
		gp := atomicAllGIndex(all, i)
		if gp == x.exits || isSystemGoroutine(gp, false) || steerAwaitsSignal(gp) {
			continue
		}
		switch readgstatus(gp) &^ _Gscan {
		case _Grunnable, _Gsyscall:
			x.file.unended++
		case _Gwaiting:
			if s := gp.presage; s != nil && s.steer.ends {
				continue
			}
			if gp.waitreason == waitReasonSleep || gp.waitreason == waitReasonIOWait {
				x.file.unended++
			}
		}
	}
	steerDead()
	x.on = false
}

// steerDead notes that no goroutine can go on, and what each waits for.
func steerDead() {
	x := &presageSteer
	x.file.held = 1
	all, n := atomicAllG()
	for i := range n {
		gp := atomicAllGIndex(all, i)
		s := gp.presage
		if s == nil || s.path == 0 || readgstatus(gp)&^_Gscan != _Gwaiting || isSystemGoroutine(gp, false) {
			continue
		}
		switch gp.waitreason {
		case waitReasonSyncMutexLock, waitReasonSyncRWMutexLock:
			steerWaitsFor(s, s.steer.object, 3, 0)
		case waitReasonSyncRWMutexRLock:
			steerWaitsFor(s, s.steer.object, 4, 0)
		case waitReasonSyncWaitGroupWait, waitReasonSynctestWaitGroupWait:
			steerWaitsFor(s, s.steer.object, 5, 0)
		}
		i := 0
		for sg := gp.waiting; sg != nil; sg = sg.waitlink {
			number := uint64(0)
			if i < s.cases {
				number = s.parked(i).number()
			}
			i++
			c := pgChanOf(sg)
			if c == nil {
				continue
			}
			kind := uint64(2)
			for q := c.recvq.first; q != nil; q = q.next {
				if q == sg {
					kind = 1
				}
			}
			steerWaitsFor(s, uintptr(unsafe.Pointer(c)), kind, number)
		}
	}
}

// steerWaitsFor writes that s waits for an object, by an operation as type Wait of package steer
// numbers them, in a case of a select if the number of that is not 0.
func steerWaitsFor(s *PresageG, obj uintptr, kind, number uint64) {
	x := &presageSteer
	if obj == 0 {
		return
	}
	if n := x.file.blocked; n < steerWaits {
		x.waits[n] = steerWait{s.path, uint64(obj), kind | number<<8}
	}
	x.file.blocked++
}
