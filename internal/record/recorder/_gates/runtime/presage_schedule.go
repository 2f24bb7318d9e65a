package runtime

import (
	pgsys "PRESAGE_SYSCALL"
	"unsafe"
)

// The schedule as the process has it mapped. Its form is drawn in internal/replay/schedule.go.

const (
	gtMagic   = 0x6574616765676173
	gtVersion = 3

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
	// number of stalls, and where each came: 8 words of two: the level | steps passed so far << 8,
	// the step that waited + 1
	gtStalls = 11
	// an access of the pair, + 1, if other accesses to its location may come between the two
	gtApart = 30
	gtKids  = 31 // slots of the table of children
	gtSeed  = 32 // of random numbers
	gtFeeds = 33 // number of feeds
	// the schedule is for the process whose arguments have this hash; 0: for the first one
	gtArgs   = 34
	gtNth    = 35 // and of these, for which
	gtSeen   = 36 // how many came
	gtHold   = 37 // for a debugger
	gtPrefer = 38 // a select need not take the case it is fed if that is not ready
	gtBegan  = 39 // the level at the start
	gtValues = 40 // of the two accesses: four words before it and four behind it
	// nothing is held of outside code: the addresses of its accesses are written down
	gtLooks = 56
	// accesses of outside code at a step that could not be held, because their goroutine may not be
	// preempted there
	gtMissed = 57
	gtOver   = 58 // the second access of the pair has passed, which outside code makes
	gtHeader = 64

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
	gtSPlace = 11 // of outside code: presagePlace of the access
	gtSWords = 12

	// Flags of a step.
	gtEarly = 1  // is done when it passes: what it calls may take long, or has steps of its own
	gtParks = 2  // is done when its goroutine waits
	gtMark  = 4  // nothing waits here: it says that something is done
	gtHeld  = 8  // an access of the pair
	gtStop  = 16 // the witness ends here for its goroutine

	// an access of outside code: it stands in a hook of the race detector, and is known by its
	// place
	gtOutside = 32

	// Bits of a mark.
	gtMarkFed = 2 // a call whose results are fed
	gtMarkGo  = 4 // a go statement

	// Words of the log of an access of the pair: how many accesses came to its place, and of the
	// first ones address and size.
	gtLogged   = 128
	gtLogWords = 1 + 2*gtLogged

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
	logs  uintptr

	expected     uint64 // when the schedule last waited for a sleep or a timer
	looked, busy uint64 // gtStill: when it looked last, and when something moved then
	waiting      uint64 // goroutines that wait at gates
	looks        uint64 // how often one of them has looked while nothing moved
	// 1: the hooks of all goroutines are looked at, because some accesses of outside code are
	// hidden (gtHides)
	hides uint32
	n     int
	state uintptr // of the goroutines: presageGate
}

func gtWord(p uintptr, i uintptr) *uint64 { return (*uint64)(unsafe.Pointer(p + i*8)) }

func gtStep(i uint64) uintptr { return gates.steps + uintptr(i)*gtSWords*8 }

// presageInit maps the schedule, if the environment names one, or the program was built with one.
// Called by schedinit.
func presageInit() {
	name, flags, shared := gogetenv("PRESAGE_GATES"), uintptr(0o2000002), int32(1) // O_RDWR|O_CLOEXEC, MAP_SHARED
	if name == "" {
		name, flags, shared = presageReproduction, 0o2000000, 2 // MAP_PRIVATE
		if name != "" {
			envs = append(envs, "PRESAGE_GATES=off") // child processes run without it
		}
	}
	if name == "" || len(name) > 4000 {
		return
	}
	var path [4096]byte
	copy(path[:], name)
	// openat
	fd, _, e := pgsys.Syscall6(gtSysOpenat, ^uintptr(99), uintptr(unsafe.Pointer(&path)), flags, 0, 0, 0)
	if e != 0 {
		return
	}
	size, _, e := pgsys.Syscall6(gtSysLseek, fd, 0, 2, 0, 0, 0) // lseek to the end
	if e == 0 && size >= gtHeader*8 {
		gtMap(int32(fd), size, shared)
	}
	closefd(int32(fd))
}

func gtMap(fd int32, size uintptr, flags int32) {
	p, err := mmap(nil, size, _PROT_READ|_PROT_WRITE, flags, fd, 0)
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
	gates.logs = gates.feeds + uintptr(*gtWord(base, gtFeeds))*16
	gates.marks = gates.logs + 2*gtLogWords*8
	state, err := mmap(nil, (n+1)*unsafe.Sizeof(presageGate{}), _PROT_READ|_PROT_WRITE, _MAP_ANON|_MAP_PRIVATE, -1, 0)
	if err != 0 {
		return
	}
	gates.state = uintptr(state)
	*gtWord(base, gtMoved) = uint64(nanotime())
	gates.sites = uint32(sites)
	presageHooks()
	if i := *gtWord(base, gtApart); i != 0 {
		a := gtStep(i - 1)
		if (*gtWord(a, gtSSite)|*gtWord(gtStep(*gtWord(a, gtSPair)-1), gtSSite))>>32&gtOutside != 0 {
			gates.hides = 1
		}
	}
	*gtWord(base, gtBegan) = *gtWord(base, gtLevel)
	presageSetSeed(*gtWord(base, gtSeed))
	if *gtWord(base, gtHold) != 0 {
		// prctl(PR_SET_PTRACER, any)
		pgsys.Syscall6(gtSysPrctl, 0x59616d61, ^uintptr(0), 0, 0, 0, 0)
	}
}
