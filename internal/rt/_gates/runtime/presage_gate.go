package runtime

import (
	pgsys "PRESAGE_SYSCALL"
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
// What happens to a step is written into the file, so that it is there whatever becomes of the process.

const (
	gtMagic   = 0x6574616765676173
	gtVersion = 2

	// Words of the header.
	gtPid      = 2 // of the process that the schedule was given to; 0: none yet
	gtGs       = 3 // number of goroutines
	gtSteps    = 4
	gtPreds    = 5
	gtSites    = 6
	gtLimit    = 7  // nanoseconds without a step after which the schedule is loosened
	gtLevel    = 8  // how loose it is
	gtSequence = 9  // steps passed
	gtMoved    = 10 // time of the last of them
	gtStalls   = 11 // number of stalls, and where each came: 8 words of two: the level | steps passed so far << 8, the step that waited + 1
	gtApart    = 30 // first access of a pair whose accesses need not be next to each other, + 1
	gtKids     = 31 // slots of the table of children
	gtSeed     = 32 // of random numbers
	gtFeeds    = 33 // number of feeds
	gtArgs     = 34 // the schedule is for the process whose arguments have this hash; 0: for the first one
	gtNth      = 35 // and of these, for which
	gtSeen     = 36 // how many came
	gtHold     = 37 // for a debugger
	gtPrefer   = 38 // a select need not take the case it is fed if that is not ready
	gtBegan    = 39 // the level at the start
	gtValues   = 40 // of the two accesses: four words before it and four behind it
	gtHeader   = 64

	// Levels: what is in force up to each.
	gtOpen = 4

	// Words of a goroutine.
	gtGParent  = 0 // index + 1; 0: the runtime; ^0: the first
	gtGOrdinal = 1 // among the children of its parent; of the runtime's: hash of its function
	gtGFirst   = 2 // its steps
	gtGCount   = 3
	gtGState   = 4 // 0 not seen, 1 lives, 2 ended
	gtGNumber  = 5 // in the recorded run
	gtGFeed    = 6 // first of its feeds
	gtGFeeds   = 7 // and their number
	gtGFed     = 8 // how many it took
	gtGOdd     = 9 // site + 1 at which it asked for another one than the next
	gtGID      = 10
	gtGStall   = 11 // where it was at the first stall, and
	gtGLast    = 12 // at the last one: what it waits for, | the last gate that it came to + 1 << 8
	gtGWords   = 14

	// Words of a step.
	gtSSite  = 0 // | flags << 32
	gtSSkip  = 1 // how often its goroutine comes to the site before
	gtSPreds = 2 // first, | number << 32
	gtSState = 3
	gtSOrder = 4 // when it passed: sequence number
	gtSTime  = 5
	gtSG     = 6
	gtSPair  = 7 // the other access, + 1
	gtSAddr  = 8 // of an access of the pair, as it is now
	gtSSize  = 9
	gtSCase  = 10 // of a select: 1 default, 2 + position of the case
	gtSWords = 12

	// Flags of a step.
	gtEarly = 1  // is done when it passes: what it calls may take long, or has steps of its own
	gtParks = 2  // is done when its goroutine waits
	gtMark  = 4  // nothing waits here: it says that something is done
	gtHeld  = 8  // an access of the pair
	gtStop  = 16 // the witness ends here for its goroutine

	// Bits of a mark.
	gtMarkFed = 2 // a call whose results are fed
	gtMarkGo  = 4 // a go statement

	// States of a step.
	gtArrived = 1
	gtPassed  = 2
	gtDone    = 3
)

// gates is the schedule of the process; sites is 0 if there is none.
var gates struct {
	sites uint32
	marks uintptr // a byte for each site
	base  uintptr
	gs    uintptr
	steps uintptr
	preds uintptr
	kids  uintptr
	slots uint64
	feeds uintptr
	n     int
	state uintptr // of the goroutines: presageGate
}

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
}

func gtWord(p uintptr, i uintptr) *uint64 { return (*uint64)(unsafe.Pointer(p + i*8)) }

func gtStep(i uint64) uintptr { return gates.steps + uintptr(i)*gtSWords*8 }

// presageInit maps the schedule, if the environment names one. Called by schedinit.
func presageInit() {
	name := gogetenv("PRESAGE_GATES")
	if name == "" || len(name) > 4000 {
		return
	}
	var path [4096]byte
	copy(path[:], name)
	fd, _, e := pgsys.Syscall6(257, ^uintptr(99), uintptr(unsafe.Pointer(&path)), 0o2000002, 0, 0, 0) // openat, O_RDWR|O_CLOEXEC
	if e != 0 {
		return
	}
	size, _, e := pgsys.Syscall6(8, fd, 0, 2, 0, 0, 0) // lseek to the end
	if e == 0 && size >= gtHeader*8 {
		gtMap(int32(fd), size)
	}
	closefd(int32(fd))
}

func gtMap(fd int32, size uintptr) {
	p, err := mmap(nil, size, _PROT_READ|_PROT_WRITE, 1 /* MAP_SHARED */, fd, 0)
	base := uintptr(p)
	if err != 0 || *gtWord(base, 0) != gtMagic || *gtWord(base, 1) != gtVersion {
		return
	}
	if !gtOurs(base) {
		return // it is another process's
	}
	n, steps, preds, sites := uintptr(*gtWord(base, gtGs)), uintptr(*gtWord(base, gtSteps)), uintptr(*gtWord(base, gtPreds)), uintptr(*gtWord(base, gtSites))
	gates.base, gates.n = base, int(n)
	gates.gs = base + gtHeader*8
	gates.steps = gates.gs + n*gtGWords*8
	gates.preds = gates.steps + steps*gtSWords*8
	gates.kids = gates.preds + preds*8
	gates.slots = *gtWord(base, gtKids)
	gates.feeds = gates.kids + uintptr(gates.slots)*16
	gates.marks = gates.feeds + uintptr(*gtWord(base, gtFeeds))*16
	state, err := mmap(nil, (n+1)*unsafe.Sizeof(presageGate{}), _PROT_READ|_PROT_WRITE, _MAP_ANON|_MAP_PRIVATE, -1, 0)
	if err != 0 {
		return
	}
	gates.state = uintptr(state)
	*gtWord(base, gtMoved) = uint64(nanotime())
	gates.sites = uint32(sites)
	*gtWord(base, gtBegan) = *gtWord(base, gtLevel)
	presageSetSeed(*gtWord(base, gtSeed))
	if *gtWord(base, gtHold) != 0 {
		pgsys.Syscall6(157, 0x59616d61, ^uintptr(0), 0, 0, 0, 0) // prctl(PR_SET_PTRACER, any)
	}
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

// gtStartByName is for goroutines that the runtime starts, for timers: the first one that is left with
// this function.
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
}

// presageExit keeps the process until the schedule is over, or stalls.
func presageExit() {
	if gates.sites == 0 {
		return
	}
	if s := getg().presage; s != nil {
		s.finish()
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

// PresageGateAt is PresageGate before an access to n bytes at p. It reports whether the race detector is not to see it.
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

// gtHides reports whether an access comes between the two of a pair that need not be next to each other, and at their location.
// The race detector reports one race for each location, and is to keep its report for the pair.
func gtHides(addr, n uintptr) bool {
	i := *gtWord(gates.base, gtApart)
	if i == 0 {
		return false
	}
	a := gtStep(i - 1)
	b := gtStep(*gtWord(a, gtSPair) - 1)
	if atomic.Load64(gtWord(a, gtSState)) != gtDone || atomic.Load64(gtWord(b, gtSState)) >= gtPassed {
		return false
	}
	at, size := uintptr(*gtWord(a, gtSAddr)), uintptr(*gtWord(a, gtSSize))
	return addr < at+size && at < addr+n
}

// PresageDone stands behind it.
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
	if s.next >= s.end {
		if s.held {
			gtFreeze(s)
		}
		return
	}
	if s.held && gtLoose() >= gtOpen-1 { // nothing counts any more but the accesses of the pair
		if uint32(*gtWord(gtStep(s.end-1), gtSSite)) == site {
			s.next, s.skip = s.end-1, 0
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

// gtForget makes the race detector forget the earlier accesses to a location, before the first access of the pair. It reports one race per location
// only, and of several accesses that a goroutine makes without synchronisation in between it names the first.
// What it knows about synchronisation, by which it judges the pair, stays as it is.
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

// finish notes that the step under way is done.
func (s *presageGate) finish() {
	if s.cur < 0 {
		return
	}
	i := uint64(s.cur)
	p := gtStep(i)
	s.cur = -1
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
		return atomic.Load64(gtWord(gtStep(other-1), gtSState)) >= gtArrived
	}
	return true
}

func gtIsDone(p uintptr) bool {
	switch atomic.Load64(gtWord(p, gtSState)) {
	case gtDone:
		return true
	case gtPassed:
		if *gtWord(p, gtSSite)>>32&gtParks != 0 {
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
func gtPause(step uint64) (level uint64) {
	for i := 0; i < 16; i++ {
		procyield(10)
		Gosched()
	}
	level = gtLoose()
	moved := atomic.Load64(gtWord(gates.base, gtMoved))
	if now := uint64(nanotime()); level < gtOpen && now > moved && now-moved > *gtWord(gates.base, gtLimit) && !gtExpects(now, moved) {
		if atomic.Cas64(gtWord(gates.base, gtMoved), moved, now) {
			if k := atomic.Xadd64(gtWord(gates.base, gtStalls), 1); k <= 8 {
				*gtWord(gates.base, gtStalls+uintptr(2*k-1)) = level | atomic.Load64(gtWord(gates.base, gtSequence))<<8
				*gtWord(gates.base, gtStalls+uintptr(2*k)) = step + 1
			}
			gtWhere(level == *gtWord(gates.base, gtBegan))
			atomic.Cas64(gtWord(gates.base, gtLevel), level, level+1)
		}
	} else if now-moved > 1000*1000 {
		usleep(50)
	}
	return level
}
