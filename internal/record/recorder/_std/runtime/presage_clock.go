package runtime

// The clock of a steered run, and what waits for it or for the kernel.

// steerEarly notes that the clock moves on although not all goroutines wait.
func steerEarly(until int64) {
	if f := presageSteer.file; until > faketime {
		f.early = max(f.early, uint64(until-faketime))
	}
}

// steerAwaitsTimer reports whether the goroutine of the part that is next sleeps, or has not been
// started. Those that start goroutines have done so by then, as far as they are goroutines: it is
// a timer that fires.
func steerAwaitsTimer() bool {
	x := &presageSteer
	for x.part < x.file.n {
		part := &x.parts[x.part]
		if !steerIsOver(part) {
			return !steerIsKnown(part.goroutine) || steerSleeps(part.goroutine)
		}
		x.ends(steerOver)
	}
	return false
}

// steerAhead looks for a ready goroutine in later parts if the next part is a firing of a timer
// that cannot fire yet. The timer of a channel runs only while a goroutine waits for the channel,
// and it is one of the parts behind the firing that waits.
func steerAhead(r steerReady) (k uint32, ok bool) {
	x := &presageSteer
	if x.part >= x.file.n || steerIsKnown(x.parts[x.part].goroutine) {
		return 0, false
	}
	for i := x.part + 1; i < x.file.n; i++ {
		part := &x.parts[i]
		if steerIsOver(part) {
			continue
		}
		for j := range r.n {
			if r.at(j).path == part.goroutine {
				return j, true
			}
		}
		if steerIsKnown(part.goroutine) {
			return 0, false
		}
	}
	return 0, false
}

// steerSleeps reports whether a goroutine is in time.Sleep.
func steerSleeps(number uint64) bool {
	all, n := atomicAllG()
	for i := range n {
		gp := atomicAllGIndex(all, i)
		if s := gp.presage; s != nil && s.path == number && readgstatus(gp)&^_Gscan == _Gwaiting {
			return gp.waitreason == waitReasonSleep
		}
	}
	return false
}

// presageIdle is called when no goroutine is ready. It moves the clock to the time until, of the
// next timer, unless something may come from outside: then it waits a little first.
func presageIdle(until int64) bool {
	x := &presageSteer
	if x.idle++; x.idle < 20 && (netpollAnyWaiters() || steerInKernel()) {
		usleep(1000)
		return netpollAnyWaiters() || until != 0
	}
	if until == 0 {
		return false
	}
	if netpollAnyWaiters() || steerInKernel() {
		steerEarly(until)
	}
	faketime = max(faketime, until)
	return true
}

// steerNano is the clock, which the program reads: a program that waits in a loop for a time to
// come sees it come.
func steerNano() int64 {
	steerReads()
	faketime += 1000
	return faketime
}

// steerNow is the same with the wall clock.
func steerNow() (sec int64, nsec int32, mono int64) {
	now := steerNano()
	wall := presageSteer.wall + now
	return wall / 1e9, int32(wall % 1e9), now
}

// steerInKernel reports whether a goroutine is in a system call.
func steerInKernel() bool {
	all, n := atomicAllG()
	for i := range n {
		if gp := atomicAllGIndex(all, i); readgstatus(gp)&^_Gscan == _Gsyscall && !isSystemGoroutine(gp, false) && !steerAwaitsSignal(gp) {
			return true
		}
	}
	return false
}

// steerAwaitsSignal reports whether a goroutine is the one that waits for signals, and there is
// none.
func steerAwaitsSignal(gp *g) bool {
	return gp == presageSteer.signals && sig.state.Load() == sigReceiving
}

// steerDay bounds how far the clock is from steerMidnight at the beginning.
const (
	steerDay      = 24 * 60 * 60 * 1e9
	steerMidnight = 1767225600 * 1e9 // 2026-01-01, UTC
)

// steerWall is when the clock begins: a function of the seed.
func steerWall(seed uint64) int64 { return steerMidnight + int64(presageMix(seed)%steerDay) }
