package runtime

import (
	"internal/runtime/atomic"
	"internal/runtime/sys"
	"unsafe"
)

// The gates of a replay. A schedule, made by package replay, is a file mapped shared: which
// goroutine is to come to which site when, and what has to be done before. Its form is
// drawn in internal/replay/schedule.go. A goroutine that comes to a named
// site waits for its turn by spinning. Package runtime is never instrumented by the race
// detector, and atomics of internal/runtime/atomic are no synchronisation for it: it sees the
// program as if no gate were there.
//
// What happens to a step is written into the file, so that it is there whatever becomes of the
// process.

// A presageGate is where a goroutine is in its part of the schedule. It is
// written by its goroutine alone.
type presageGate struct {
	_      sys.NotInHeap
	entry  uintptr
	gp     guintptr
	index  uint64
	starts uint64 // the go statement under way
	feed   uint64 // the next of its feeds
	feeds  uint64
	next   uint64
	end    uint64
	skip   uint64
	cur    int64  // the step that is under way, -1: none
	at     uint64 // the last gate that it came to, + 1
	held   bool   // it has an access of the pair
	spins  uint64 // when it last looked whether its turn has come

	// Of outside code (presage_outside.go).
	watch     uint32 // the hooks of the race detector are looked at
	asked     bool   // the access in the hook stands at its step, and waits
	announced bool   // the next access in a hook is one that package internal/race has announced
	access    gtAccess
	known     [gtKnown]gtPlace
}

// gtStart gives a goroutine its part of the schedule.
func gtStart(gp *g, i uint64) {
	s := (*presageGate)(unsafe.Pointer(gates.state + uintptr(i)*unsafe.Sizeof(presageGate{})))
	s.entry = gates.gs + uintptr(i)*gtGWords*8
	if !atomic.Cas64(gtWord(s.entry, gtGState), 0, 1) {
		return
	}
	s.gp.set(gp)
	s.cur, s.index = -1, i
	s.feed = *gtWord(s.entry, gtGFeed)
	s.feeds = s.feed + *gtWord(s.entry, gtGFeeds)
	*gtWord(s.entry, gtGID) = gp.goid
	s.next = *gtWord(s.entry, gtGFirst)
	s.end = s.next + *gtWord(s.entry, gtGCount)
	for k := s.next; k < s.end; k++ {
		if *gtWord(gtStep(k), gtSPair) != 0 {
			s.held = true
		}
	}
	s.turn()
	gp.presage = s
}

func (s *presageGate) turn() {
	if s.next < s.end {
		s.skip = *gtWord(gtStep(s.next), gtSSkip)
	}
	s.watches()
}

// presageGo finds a new goroutine in the schedule: it is known by its number among those
// that its parent starts. Called by newproc1, before newg can run.
func presageGo(callergp, newg *g) {
	newg.presage, newg.presageRands = nil, 0
	if gates.sites == 0 || isSystemGoroutine(newg, false) {
		return
	}
	if newg.goid == 1 {
		gtStart(newg, 0)
		return
	}
	if callergp == nil || callergp == callergp.m.g0 {
		gtStartByName(newg)
		return
	}
	p := callergp.presage
	if p == nil {
		return
	}
	key := p.starts
	if key == 0 {
		key = gtHashName(newg)
	}
	count := gtChild(p.index+1, key, 0)
	if count == nil {
		return
	}
	*count++
	if i := gtChild(p.index+1, key, *count); i != nil {
		gtStart(newg, *i-1)
	}
}

// gtChild looks up the table of children.
func gtChild(parent, key, n uint64) *uint64 {
	h := presageMix(presageMix(presageMix(parent*0x9e3779b97f4a7c15)+key)+n) | 1
	for i := h % gates.slots; ; i = (i + 1) % gates.slots {
		switch *gtWord(gates.kids, uintptr(2*i)) {
		case h:
			return gtWord(gates.kids, uintptr(2*i)+1)
		case 0:
			return nil
		}
	}
}

// gtHashName is the hash of the name of the function that a goroutine runs.
func gtHashName(gp *g) uint64 {
	f := findfunc(gp.startpc)
	if !f.valid() {
		return 0
	}
	h := uint64(14695981039346656037)
	name := funcname(f)
	for i := 0; i < len(name); i++ {
		h = (h ^ uint64(name[i])) * 1099511628211
	}
	return h
}

// gtStartByName is for goroutines that the runtime starts, for timers: the first one that is left
// with this function.
func gtStartByName(newg *g) {
	h := gtHashName(newg)
	for i := 0; i < gates.n; i++ {
		p := gates.gs + uintptr(i)*gtGWords*8
		if *gtWord(p, gtGParent) == 0 && *gtWord(p, gtGOrdinal) == h && atomic.Load64(gtWord(p, gtGState)) == 0 {
			gtStart(newg, uint64(i))
			if newg.presage != nil {
				return
			}
		}
	}
}

// presageEnd is called at the end of a goroutine.
func presageEnd() {
	s := getg().presage
	if s == nil {
		return
	}
	s.finish()
	atomic.Store64(gtWord(s.entry, gtGState), 2)
	getg().presage = nil
	if s.held {
		gtLost()
	}
}

// presageExit keeps the process until the schedule is over, or stalls. It is called where main
// returns, in os.Exit, and where a panic ends the process.
func presageExit() {
	if gates.sites == 0 {
		return
	}
	if s := getg().presage; s != nil {
		s.finish()
	}
	if *gtWord(gates.base, gtLooks) != 0 {
		atomic.Store64(gtWord(gates.base, gtLevel), gtOpen)
	}
	for gtLoose() < gtOpen {
		gtPause(^uint64(0))
	}
}

func gtLoose() uint64 { return atomic.Load64(gtWord(gates.base, gtLevel)) }

// PresageGate stands before what has a record.
//
//go:noinline
//go:nosplit
func PresageGate(site uint32) {
	if site < gates.sites && *(*byte)(unsafe.Pointer(gates.marks + uintptr(site))) != 0 {
		gtGate(site, 0, 0)
	}
}

// PresageGateAt is PresageGate before an access to n bytes at p. It reports whether the race
// detector is not to see it.
//
//go:noinline
//go:nosplit
func PresageGateAt(site uint32, p unsafe.Pointer, n uintptr) bool {
	if site < gates.sites && *(*byte)(unsafe.Pointer(gates.marks + uintptr(site))) != 0 {
		return gtGateAt(site, uintptr(p), n)
	}
	return false
}

func gtGateAt(site uint32, addr, n uintptr) bool {
	gtGate(site, addr, n)
	return gtHides(addr, n)
}

// gtHides reports whether an access comes between the two of a pair that need not be next to each
// other, and at their location. The race detector reports one race for each location, and is to
// keep its report for the pair.
func gtHides(addr, n uintptr) bool {
	i := *gtWord(gates.base, gtApart)
	if i == 0 {
		return false
	}
	a := gtStep(i - 1)
	b := gtStep(*gtWord(a, gtSPair) - 1)
	return gtBetween(a, b, addr, n) || gtBetween(b, a, addr, n)
}

// gtBetween is gtHides if access a of the pair is the first.
func gtBetween(a, b, addr, n uintptr) bool {
	if atomic.Load64(gtWord(a, gtSState)) != gtDone || atomic.Load64(gtWord(b, gtSState)) >= gtPassed {
		return false
	}
	at, size := uintptr(*gtWord(a, gtSAddr)), uintptr(*gtWord(a, gtSSize))
	return addr < at+size && at < addr+n
}

// PresageDone follows the operation that a gate holds back.
//
//go:noinline
//go:nosplit
func PresageDone(site uint32) {
	if site < gates.sites && *(*byte)(unsafe.Pointer(gates.marks + uintptr(site))) != 0 {
		gtPast(site)
	}
}

func gtGate(site uint32, addr, n uintptr) {
	s := getg().presage
	if s == nil || gtLoose() >= gtOpen {
		return
	}
	s.finish()
	s.starts, s.at = 0, uint64(site)+1
	if *(*byte)(unsafe.Pointer(gates.marks + uintptr(site)))&gtMarkGo != 0 {
		s.starts = uint64(site)
	}
	s.leaves(site)
	if s.next >= s.end {
		if s.held {
			gtFreeze(s)
		}
		return
	}
	if s.held && gtLoose() >= gtOpen-1 { // nothing counts any more but the accesses of the pair
		if v := *gtWord(gtStep(s.end-1), gtSSite); uint32(v) == site || v>>32&gtOutside != 0 && s.next < s.end-1 {
			s.next, s.skip = s.end-1, 0
			s.watches()
		}
	}
	i := s.next
	p := gtStep(i)
	v := *gtWord(p, gtSSite)
	if uint32(v) != site || v>>32&gtMark != 0 {
		return
	}
	if s.skip > 0 {
		s.skip--
		return
	}
	*gtWord(p, gtSAddr), *gtWord(p, gtSSize) = uint64(addr), uint64(n)
	if *gtWord(p, gtSPair) != 0 {
		gtCame(i)
	}
	atomic.Store64(gtWord(p, gtSState), gtArrived)
	for !gtReady(p) {
		if gtPause(i) >= gtOpen {
			return
		}
	}
	if other := *gtWord(p, gtSPair); other != 0 {
		if atomic.Load64(gtWord(gtStep(other-1), gtSState)) <= gtArrived {
			gtForget(addr, n)
		} else if *gtWord(gtStep(other-1), gtSSite)>>32&gtOutside != 0 {
			*gtWord(gates.base, gtOver) = 1
		}
		if *gtWord(gates.base, gtHold) != 0 {
			PresageMeet(site)
		}
		gtLook(i, 0)
	}
	s.next++
	s.turn()
	s.cur = int64(i)
	gtMove(p, gtPassed)
	if v>>32&gtEarly != 0 {
		s.finish()
	}
}

// gtForget makes the race detector forget the earlier accesses to a location, before the first
// access of the pair. It reports one race per location only, and of several accesses that a
// goroutine makes without synchronisation in between it names the first. What it knows about
// synchronisation, by which it judges the pair, stays as it is.
func gtForget(addr, n uintptr) {
	if raceenabled && addr != 0 && n != 0 {
		from := addr &^ 7
		racemalloc(unsafe.Pointer(from), (addr+n-from+7)&^7)
	}
}

func gtPast(site uint32) {
	s := getg().presage
	if s == nil {
		return
	}
	s.starts = 0
	if gtLoose() >= gtOpen {
		return
	}
	if s.cur >= 0 && uint32(*gtWord(gtStep(uint64(s.cur)), gtSSite)) == site {
		s.finish()
		return
	}
	s.leaves(site)
	if s.next < s.end {
		p := gtStep(s.next)
		if v := *gtWord(p, gtSSite); uint32(v) == site && v>>32&gtMark != 0 {
			gtMove(p, gtDone)
			s.next++
			s.turn()
		}
	}
}

// presageWoken stands between the waking of a Cond.Wait and its Lock, which has a step of its own.
//
//go:linkname presageWoken sync.presageWoken
func presageWoken() {
	s := getg().presage
	if s == nil || s.cur < 0 || s.next >= s.end {
		return
	}
	p, i := gtStep(s.next), s.next
	if v := *gtWord(p, gtSSite); v>>32&gtMark == 0 || uint32(v) != uint32(*gtWord(gtStep(uint64(s.cur)), gtSSite)) {
		return
	}
	s.finish()
	for gtLoose() < gtOpen && !gtReady(p) {
		gtPause(i)
	}
}
