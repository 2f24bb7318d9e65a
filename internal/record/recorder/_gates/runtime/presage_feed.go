package runtime

import (
	pgsys "PRESAGE_SYSCALL"
	"internal/runtime/atomic"
	"unsafe"
)

// What a program that is replayed is given of the recorded run, besides its order: the choice of a
// select, results of calls that are answers of the clock or random, random numbers
// (presage_rand.go).

// gtOurs reports whether the schedule is for this process: the first one, or, of child processes,
// the nth with the arguments that the schedule names.
func gtOurs(base uintptr) bool {
	if args := *gtWord(base, gtArgs); args != 0 {
		if presageArgs() != args || uint64(atomic.Xadd64(gtWord(base, gtSeen), 1))-1 != *gtWord(base, gtNth) {
			return false
		}
	}
	pid, _, _ := pgsys.Syscall6(gtSysGetpid, 0, 0, 0, 0, 0, 0)
	return atomic.Cas64(gtWord(base, gtPid), 0, uint64(pid))
}

// presageNumber is the number that a goroutine had in the recorded run.
//
//go:nosplit
func presageNumber(gp *g) uint64 {
	if gp.presage == nil {
		return 0
	}
	return *(*uint64)(unsafe.Pointer(gp.presage.entry + gtGNumber*8))
}

// presageMain is called before main.main.
func presageMain() { getg().presageRands = presageMain1 }

// PresageFed returns the nth value of the call at a site in the recorded run.
//
//go:noinline
//go:nosplit
func PresageFed(site, n uint32) (v uint64, ok bool) {
	if site < gates.sites && *(*byte)(unsafe.Pointer(gates.marks + uintptr(site)))&gtMarkFed != 0 {
		return gtFed(site, n)
	}
	return 0, false
}

func gtFed(site, n uint32) (v uint64, ok bool) {
	s := getg().presage
	if s == nil || s.feed == s.feeds || gtLoose() >= gtOpen {
		return 0, false
	}
	p := gates.feeds + uintptr(s.feed)*16
	if *gtWord(p, 0) != uint64(site)|uint64(n)<<32 { // it left its recorded path
		*gtWord(s.entry, gtGOdd) = uint64(site) + 1
		s.feed = s.feeds
		return 0, false
	}
	s.feed++
	*gtWord(s.entry, gtGFed)++
	return *gtWord(p, 1), true
}

// gtCase is what the select under way of the running goroutine is to choose: 0 it is free, 1 the
// default, 2 and more a case.
func gtCase() uint64 {
	s := getg().presage
	if s == nil || s.cur < 0 || gtLoose() >= gtOpen-1 {
		return 0
	}
	return *gtWord(gtStep(uint64(s.cur)), gtSCase)
}

// presageChoose leaves a select the case that it is to choose alone, and reports whether it is to
// wait for it: a goroutine may come to its select when more cases are ready, or only others, and
// whoever ran this one later would have found its case ready too. A select that takes its default
// is blind to timers: they may be late.
func presageChoose(cases []scase, sends int, block bool) bool {
	c := gtCase()
	switch {
	case c == 0 || c-2 >= uint64(len(cases)) && c != 1:
		return block
	case c == 1:
		for i := range cases {
			if ch := cases[i].c; ch != nil && ch.timer != nil {
				cases[i].c = nil
			}
		}
		return block
	}
	k := int(c - 2)
	if cases[k].c == nil || *gtWord(gates.base, gtPrefer) != 0 && !gtCaseReady(cases[k].c, k < sends) {
		return block
	}
	for i := range cases {
		if i != k {
			cases[i].c = nil
		}
	}
	return true
}

// gtCaseReady looks whether a case is ready, without a lock.
func gtCaseReady(c *hchan, send bool) bool {
	if c.timer != nil {
		c.timer.maybeRunChan(c)
	}
	if send {
		return c.closed != 0 || c.recvq.first != nil || c.qcount < c.dataqsiz
	}
	return c.closed != 0 || c.sendq.first != nil || c.qcount > 0
}

// presageSingle is presageChoose for a select of one case and a default.
func presageSingle(c *hchan) (block, none bool) {
	switch k := gtCase(); {
	case k == 1:
		return false, c != nil && c.timer != nil
	case k > 1:
		return c != nil && *gtWord(gates.base, gtPrefer) == 0, false
	}
	return false, false
}

// gtLook keeps what is at the address of an access of the pair: before it, and behind it.
func gtLook(i, when uint64) {
	p := gtStep(i)
	addr, n := uintptr(*gtWord(p, gtSAddr)), uintptr(*gtWord(p, gtSSize))
	if addr < 4096 {
		return
	}
	to := gates.base + (gtValues+gtWhich(i)*8+uintptr(when)*4)*8
	for k := uintptr(0); k < min(n, 32); k++ {
		*(*byte)(unsafe.Pointer(to + k)) = *(*byte)(unsafe.Pointer(addr + k))
	}
}

// PresageMeet is called before each access of the pair, if there is a debugger: for a breakpoint.
//
//go:noinline
func PresageMeet(site uint32) { presageSite = site }

// For the debugger.
var (
	presageSite uint32
	presagePair [2]uint64 // the goroutines that have come to their accesses
)

// gtCame notes that the running goroutine has come to its access, a step of the pair.
func gtCame(i uint64) {
	presagePair[gtWhich(i)] = getg().goid
}

// gtWhich is the place of an access among the two.
func gtWhich(i uint64) uintptr {
	if i+1 > *gtWord(gtStep(i), gtSPair) {
		return 1
	}
	return 0
}

// gtExpects reports whether a timer is due soon, for which the schedule may be waiting.
func gtExpects(now, moved uint64) bool {
	most := gtTimers * *gtWord(gates.base, gtLimit)
	for i := 0; i < gates.n; i++ {
		s := (*presageGate)(unsafe.Pointer(gates.state + uintptr(i)*unsafe.Sizeof(presageGate{})))
		if gp := s.gp.ptr(); gp != nil && s.next < s.end && readgstatus(gp)&^_Gscan == _Gwaiting && gp.waitreason == waitReasonSleep {
			most = gtSleeps * *gtWord(gates.base, gtLimit)
			break
		}
	}
	return now-moved < most && uint64(timeSleepUntil()) < moved+most
}

// How many times the limit the schedule waits while a timer is due, or a goroutine sleeps that has
// steps left.
const (
	gtTimers = 4
	gtSleeps = 10
)

//go:linkname presageStarting sync.presageStarting
func presageStarting() uint32 {
	if s := getg().presage; s != nil {
		return uint32(s.starts)
	}
	return 0
}

//go:linkname presageGateAt sync.presageGateAt
func presageGateAt(site uint32) { PresageGate(site) }

//go:linkname presageGateDone sync.presageGateDone
func presageGateDone(site uint32) { PresageDone(site) }
