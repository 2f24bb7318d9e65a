package runtime

// The parts of a schedule: which is next, and how each has ended.

// A steerPart is over when its goroutine has made so many records.
type steerPart struct {
	goroutine uint64
	until     uint64
}

// Bits of until. With the first one, the part is over too when its goroutine waits. The others are
// written by the process.
const (
	steerOrWaits = 1 << (63 - iota)
	steerOver    // the part is over,
	steerWaited  // because its goroutine waited
	steerChosen  // its goroutine was chosen for it
	steerMissed  // another one was chosen while it was next

	steerCount = 1<<48 - 1 // the records
)

// ends notes that the part that is next is over.
func (x *steerState) ends(how uint64) {
	x.parts[x.part].until |= how
	x.part++
	x.file.done = x.part
}

// steerWaitedFor ends the part that is next if its goroutine may wait, and is not ready.
func steerWaitedFor(r steerReady) bool {
	x := &presageSteer
	if x.part >= x.file.n || x.exits != nil || r.n == 0 && steerInKernel() {
		return false
	}
	part := &x.parts[x.part]
	if part.until&steerOrWaits == 0 || !steerIsKnown(part.goroutine) {
		return false
	}
	for k := range r.n {
		if s := r.at(k); s != nil && s.path == part.goroutine {
			return false
		}
	}
	x.ends(steerOver | steerWaited)
	return true
}

// steerIsKnown reports whether a goroutine has been started.
func steerIsKnown(number uint64) bool {
	for i := range uint64(64) {
		switch presageSteer.known[(number+i)%steerKnown].number {
		case number:
			return true
		case 0:
			return false
		}
	}
	return true
}

// steerIsOver reports whether a part of the schedule is over: its goroutine has made its records,
// or has ended.
func steerIsOver(p *steerPart) bool {
	if p.goroutine == 0 {
		return true // the runtime's own
	}
	for i := range uint64(64) {
		switch e := &presageSteer.known[(p.goroutine+i)%steerKnown]; e.number {
		case p.goroutine:
			return e.s == nil || e.s.records >= p.until&steerCount
		case 0:
			return false // it is not there yet
		}
	}
	return true
}
