package runtime

import (
	"internal/runtime/atomic"
	"unsafe"
)

// Observations: what order is made of that is neither memory nor synchronisation (states, state.go
// of package format). An operation that may change a state is recorded before it starts, one that
// looks at it when it has returned, one that does both at both moments.

// pgStates is the object of the stamps of all states, and pgGoroutines that of the number of
// goroutines, as addresses that nothing has.
const (
	pgStates     = 8
	pgGoroutines = 16
)

// presageObserve records that the running goroutine has looked at a state, or is about to change
// it. It may be called where the stack must not grow. The system's stack, signal handlers and
// forked children record nothing.
//
//go:nosplit
func presageObserve(state, flags uint64) {
	if !presage.on {
		return
	}
	if state == pgStateFiles && pgFilesMapped.Load() {
		state = pgStateProgram
	}
	gp := getg()
	if gp.m == nil || gp != gp.m.curg {
		return
	}
	if s := gp.presage; s != nil && (s.mute > 0 || s.off) {
		return
	}
	systemstack(func() { pgObserved(gp, state, flags) })
}

func pgObserved(gp *g, state, flags uint64) {
	if s := pgState(gp); s != nil && !s.off {
		s.observe(state, flags)
	}
}

func (s *PresageG) observe(state, flags uint64) {
	s.synchronises(pgObserve)
	p := s.room(3)
	t := s.stamp(pgStates)
	pgStore(p+8, state)
	pgStore(p+16, t)
	pgStore(p, pgHead(pgObserve, flags|pgFlagOpaque, 0, 0))
	s.pos = p + 24
}

// presageLooked records that the running goroutine has looked at a state.
//
//go:nosplit
func presageLooked(state uint64) { presageObserve(state, pgFlagRead) }

// presageAlters records that the running goroutine is about to change a state.
//
//go:nosplit
func presageAlters(state uint64) { presageObserve(state, pgFlagWrite) }

// presageCuts records that the running goroutine is about to call what may access memory without a
// record. presageLooked(pgStateProgram) follows the call.
//
//go:nosplit
func presageCuts() { presageObserve(pgStateProgram, pgFlagWrite|pgFlagNoValue) }

// presageCalls and presageCalled stand around a call of a function in assembly that is given
// memory, where it is not known what it does to that (OC4): it is a cut.

//go:nosplit
func presageCalls() { presageCuts() }

//go:nosplit
func presageCalled() { presageLooked(pgStateProgram) }

// presagePrints records that println is about to write to the standard error.
func presagePrints() {
	gp := getg()
	if mp := gp.m; gp != mp.curg || gp.presage == nil || gp.writebuf != nil || mp.printlock != 0 || mp.locks != 0 || mp.mallocing != 0 || mp.dying != 0 {
		return // the runtime's own
	}
	presageAlters(pgStateFiles)
}

// pgUncounted is how many goroutines are being made or ended at the moment: the runtime counts them
// already, or still, and their Go, or End, is not recorded, or was before. The upper half is how
// many such changes there have been: one may begin and end between two looks.
var pgUncounted atomic.Uint64

const pgOneChange = 1<<32 | 1

// presageCounts begins a change of the number of goroutines, and presageCounted ends it.
func presageCounts() {
	pgUncounted.Add(pgOneChange)
	pgFence()
}
func presageCounted() { pgUncounted.Add(-1) }

// presageNumGoroutine returns the number of goroutines, and records the look. While the stripe is
// held no Go and no End is recorded, so the number is that of the goroutines between those before
// and those behind, if none is in between.
func presageNumGoroutine() int {
	gp := getg()
	if !presage.on || gp != gp.m.curg {
		return int(pgGoroutineCount())
	}
	steerAsks(steerGoroutines)
	s := pgHere()
	if s == nil || s.off {
		return int(pgGoroutineCount())
	}
	for i := 0; ; i++ {
		st := pgEnter(s, pgGoroutines)
		before := pgUncounted.Load()
		n := pgGoroutineCount()
		pgFence()
		done := uint32(before) == 0 && pgUncounted.Load() == before
		if done || i == pgCountTries {
			s.observe(pgStateGoroutines, pgFlagRead)
			pgStore(uintptr(unsafe.Pointer(&st.clock)), s.last|pgHeld)
			pgLeave(st)
			return int(n)
		}
		pgLeave(st)
		Gosched()
		if i > pgCountTries/2 {
			usleep(100)
		}
	}
}

// pgCountTries is how often presageNumGoroutine waits for a moment at which no goroutine is being
// made or ended: the thread that does so may have to wait for a processor. After that, most of a
// second, it takes the number that it has.
const pgCountTries = 10000

// stampCount returns a stamp of an operation that changes the number of goroutines.
func (s *PresageG) stampCount() uint64 { return s.stamp(pgGoroutines) }
