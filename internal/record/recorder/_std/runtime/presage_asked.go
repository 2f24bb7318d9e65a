package runtime

import (
	"internal/runtime/sys"
	"internal/stringslite"
	_ "unsafe" // for linkname
)

// What a steered program asks for that is no function of the order of synchronisation. Some of it
// is the same in all runs: the number of processors, and that nothing is collected. Some is not:
// the number of goroutines, that of the process, what finalizers do. The file of the schedule says
// which a run has asked for. The clock moves on when it is read, so a reading is an operation: it
// has a record, as a point has (presage_point.go), that package record takes out of the trace.

// pgClock is the object of readings of the clock, as an address that nothing has.
const pgClock = 32

// The bits of steerHeader.asked, as package steer has them.
const (
	steerProcessors = 1 << iota // the number of processors
	steerGoroutines             // that of goroutines
	steerProcess                // that of the process
	steerCollects               // for calls when something is collected, or weak pointers
	steerCollected              // and there was such a call, or nil of a weak pointer
)

// steerAsks notes that the program asks for something, unless package testing or another one of the
// library does so for itself.
func steerAsks(what uint64) {
	x := &presageSteer
	if !x.on || x.file.asked&what != 0 {
		return
	}
	name := steerAsker()
	for _, own := range []string{"testing.", "sync.", "os.", "net.", "syscall.", "internal/", "unique.", "crypto/"} {
		if stringslite.HasPrefix(name, own) {
			return
		}
	}
	x.file.asked |= what
}

// steerHears notes that a finalizer or a cleanup begins, or that a weak pointer is seen to be nil.
func steerHears() {
	if x := &presageSteer; x.on && x.file.asked&steerCollects != 0 {
		x.file.asked |= steerCollected
	}
}

//go:linkname syscall_presageProcess syscall.presageProcess
func syscall_presageProcess() { steerAsks(steerProcess) }

// steerAsker returns the name of the innermost function that is neither of the runtime nor one that
// reads the clock, or makes a weak pointer, for another one.
func steerAsker() string {
	sp, pc, gp := sys.GetCallerSP(), sys.GetCallerPC(), getg()
	name := ""
	systemstack(func() {
		var u unwinder
		for u.initAt(pc, sp, 0, gp, unwindSilentErrors|unwindJumpStack); u.valid(); u.next() {
			in, at := newInlineUnwinder(u.frame.fn, u.symPC())
			for ; at.valid(); at = in.next(at) {
				name = in.srcFunc(at).name()
				if !steerPasses(name) {
					return
				}
			}
		}
	})
	return name
}

func steerPasses(name string) bool {
	switch name {
	case "time.Now", "time.Since", "time.Until", "time.now", "time.runtimeNano", "time.runtimeNow", "os.Getpid", "syscall.Getpid", "syscall.presageProcess":
		return true
	}
	return stringslite.HasPrefix(name, "runtime.") || stringslite.HasPrefix(name, "weak.")
}

// steerReads records that the program reads the clock. What timers, contexts, logs and package
// testing read for themselves has no record: the order of timers is varied by itself, and the rest
// is compared with nothing.
func steerReads() {
	gp := getg()
	s := gp.presage
	if gp != gp.m.curg || s == nil || s.mute > 0 || s.off {
		return
	}
	name := steerAsker()
	for _, own := range []string{"time.", "context.", "log.", "log/slog.", "testing."} {
		if stringslite.HasPrefix(name, own) {
			return
		}
	}
	systemstack(func() {
		s.synchronises(pgAtomicRead)
		at := s.room(4)
		t := s.stamp(pgPoints)
		pgStore(at+8, pgPointWords|pgPointWrite|8<<pgPointShift|pgClock)
		pgStore(at+16, 0)
		pgStore(at+24, t)
		pgStore(at, pgHead(pgAtomicRead, 0, 8, 0))
		s.pos = at + 32
	})
}

// steerProcs is GOMAXPROCS: the number is remembered, and one processor is used.
func steerProcs(n int) int {
	steerAsks(steerProcessors)
	x := &presageSteer
	old := x.procs
	if n > 0 {
		x.procs = n
	}
	return old
}
