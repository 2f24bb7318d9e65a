package runtime

import (
	pgsys "PRESAGE_SYSCALL"
	"internal/runtime/atomic"
	"internal/runtime/sys"
	"unsafe"
)

// The recorder. A goroutine's stream is written by the goroutine itself, or, while
// it is parked on a channel, by the goroutine that completes its operation, under the channel's
// lock. Nothing here is preempted asynchronously (package runtime is not), so a
// record is never cut in two by another one.

// A PresageG is the recorder's state of one goroutine. It is outside the
// heap, so that it can be written anywhere in the runtime without write barriers.
//
// Of the words from pos to end, left are free; Block and Room promised the others to records that
// check nothing. Records that come in between and check for themselves (an allocation) take free
// words and go in front, so the promise is kept. What was promised and not used is reclaimed by the
// next Block or Room that takes the slow path, and by grow2.
type PresageG struct {
	_       sys.NotInHeap
	pos     uintptr // where the next record goes
	left    int     // free words; less pgDue when a stamp is due
	end     uintptr // where the slow path is due: the end of the chunk, or a stamp
	hard    uintptr // end of the chunk
	clean   uintptr // what lies between pos and here is zero
	box     *pgBox  // in which the chunk stands, nil for small ones
	site    uint32  // remembered by Call
	depth   uint32  // frames of instrumented functions
	outside bool    // the last Enter had no site
	// what the call through a function value or an interface that is under way enters, 0: none is
	target    uintptr
	from      uintptr      // where that call is
	kernel    pgKernelRest // of the system call under way
	nonblock  bool         // the channel operation under way does not block
	off       bool         // writes into scratch memory
	mute      int32        // > 0: synchronisation is part of a larger operation and not recorded
	seq       uint32       // of the next chunk
	last      uint64       // last stamp
	goid      uint64
	stream    uint64
	path      uint64  // its number in a steered run (presage_steer.go),
	kids      uint64  // the number of goroutines that it has started,
	records   uint64  // and of its records of synchronisation
	steer     steerG  // of the base scheduler
	list      uintptr // cases of the select that the goroutine waits in
	cases     int
	runner    uint32  // site of the call of a sync.Once that is about to run its function
	starts    uintptr // what the next goroutine runs, if not the function that newproc gets
	free      *PresageG
	away      int            // calls that leave traced code and are under way,
	awayAt    [pgAway]uint32 // and the depths of the functions that call, of the outer ones
	going     bool           // the go statement under way is of the call that MethodGo has begun
	open      *pgMissing     // the innermost such call of which D may grow
	call      pgCall         // that MethodBegin has begun
	finalizes uint64         // the package left out whose finalizer runs, 0: none
	answers   [pgAnswers]pgAnswer

	// Of accesses of outside code (presage_cell.go).
	base, width uint64  // the contexts of the release epoch: base up to base+width
	scanned     uintptr // the records in front of it have been looked at (scan)
	key         uint64  // the context, as in an entry; 0: it has none yet
	ids         uint64  // the next context of those that it has taken
	inside      uint64  // the entry of what emitted code has accessed, 0: there is none yet
	scanning    bool    // its records are being looked at
	shorts      *pgShorts
	outAddr     uintptr // the access that is under way
	outSize     uintptr
	outPC       uintptr
	outWrite    bool

	// Of the audit (presage_audit.go).
	outAnnounced  bool
	heldAnnounced bool
	heldAddr      uintptr // the write that is held
	heldSize      uintptr // 0: none is
	heldPC        uintptr
}

// presage is the recorder of the process.
var presage struct {
	on bool // record. Only ever cleared after the start

	mu      mutex
	streams uint64
	free    *PresageG  // states of goroutines that ended
	spare   [64]pgSpan // rests of the chunks of goroutines that ended
	spares  int
	base    uintptr // current segment
	off     uintptr
	size    uintptr
	segment uint64
	head    uintptr // header of segment 0
	pid     uint64
	dir     [4096]byte // directory of the process, with room for the name of a segment
	dirLen  int
	limit   *[pgLimitWords]atomic.Uint64 // shared by the processes of the run; nil: there is none
	scratch uintptr
}

// A pgStripe orders the operations on the objects that hash to it: clock is the largest stamp
// given, and with pgHeld it is locked, which makes an operation and its stamp one step.
type pgStripe struct {
	clock atomic.Uint64
	_     [64 - 8]byte
}

const pgHeld = 1 << 63

const (
	pgStripes     = 1024
	pgScratchSize = 1 << 20
	pgSoft        = 512 * 8 // bytes between stamps
	pgDue         = 1 << 40
	pgPopulated   = 16 << 10 // chunks of this size are populated at once
)

var pgStripeTable [pgStripes]pgStripe

func pgStripeOf(obj uintptr) *pgStripe {
	h := uint64(obj>>3) * 0x9E3779B97F4A7C15
	return &pgStripeTable[h>>54]
}

//go:nosplit
func pgStore(p uintptr, v uint64) { *(*uint64)(unsafe.Pointer(p)) = v }

// pgHere returns the state of the running goroutine, nil if its synchronisation is not recorded.
func pgHere() *PresageG { return pgAt(0) }

// pgAt is pgHere before an operation on obj.
func pgAt(obj uintptr) *PresageG {
	if !presage.on {
		return nil
	}
	s := pgState(getg())
	if s == nil || s.mute > 0 {
		return nil
	}
	if presageSteer.on {
		steerPoint(s, obj)
	}
	return s
}

// pgReserved is more than the words of any operation's records, but those of a select.
const pgReserved = 16

// pgPromised is more than the words that a Block or Room promises, which package instrument
// bounds (maxRoom), and those of a record under way.
const pgPromised = 128

// presageInit starts the recording if the environment asks for it. Called by schedinit.
func presageInit() {
	dir := gogetenv("PRESAGE_DIR")
	if dir == "" {
		return
	}
	if reason := pgMakeDir(dir); reason != 0 {
		pgStop(reason)
		return
	}
	pgCallsInit()
	presageReachInit()
	presageCellsInit()
	presage.on = pgNextSegment(0)
	if presage.on {
		seed := rand() | 1
		if presageSteerInit(); presageSteer.file != nil {
			seed = presageSteer.file.seed | 1
		}
		presageSetSeed(seed)
		ppid, _, _ := pgsys.Syscall6(pgSysGetppid, 0, 0, 0, 0, 0, 0)
		pgStore(presage.head+72, seed)
		pgStore(presage.head+80, presageArgs())
		pgStore(presage.head+88, uint64(ppid))
		pgStore(presage.head+104, presageCells.blind)
		if presage.limit != nil {
			pgStore(presage.head+96, presage.limit[pgLimitMost].Load())
		}
	}
}

// presageGC is called with the world stopped at the end of a garbage collection, when all is marked
// and nothing swept: each goroutine stamps soon after, so that what it did with memory that is free
// now comes before the next allocation there. The moment is recorded: memory is given to another
// object only behind it. Calls under way keep what lives of what they begin with.
func presageGC() {
	if !presage.on {
		return
	}
	scanAll()
	if s := pgStopped(); !s.off {
		p := s.room(2)
		pgStore(p+8, s.tick())
		pgStore(p, pgHead(pgRawGC, 0, 0, 0))
		s.pos = p + 16
	}
	forEachG(func(gp *g) {
		s := gp.presage
		if s == nil {
			return
		}
		if s.left >= 0 {
			s.left -= pgDue
		}
		for o := s.open; o != nil; o = o.next {
			o.survives()
		}
		if o := s.call.late; o != nil {
			o.survives()
		}
	})
}

// tick returns a stamp that orders this goroutine only.
func (s *PresageG) tick() uint64 {
	t := pgTicks()
	if t <= s.last {
		t = s.last + 1
	}
	s.last = t
	return t
}

// stamp returns a stamp of an operation on obj.
func (s *PresageG) stamp(obj uintptr) uint64 {
	t := pgTicks()
	if t <= s.last {
		t = s.last + 1
	}
	st := pgStripeOf(obj)
	for {
		c := st.free()
		if t <= c {
			t = c + 1
		}
		if st.clock.CompareAndSwap(c, t) {
			break
		}
	}
	s.last = t
	return t
}

// stampHeld is stamp for an object whose stripe the caller holds.
func (s *PresageG) stampHeld(st *pgStripe) uint64 {
	t := max(pgTicks(), s.last+1, st.clock.Load()&^pgHeld+1)
	pgStore(uintptr(unsafe.Pointer(&st.clock)), t|pgHeld) // nothing else writes
	s.last = t
	return t
}

// free returns the clock once no goroutine holds the stripe.
func (st *pgStripe) free() uint64 {
	for i := 0; ; i++ {
		c := st.clock.Load()
		if c&pgHeld == 0 {
			return c
		}
		if i < 30 {
			procyield(20)
		} else {
			osyield()
		}
	}
}

// pgBump makes later stamps of obj later than t.
func pgBump(obj uintptr, t uint64) {
	st := pgStripeOf(obj)
	for {
		c := st.free()
		if c >= t || st.clock.CompareAndSwap(c, t) {
			return
		}
	}
}

func pgHead(kind, flags, size, site uint64) uint64 {
	return kind<<56 | flags<<48 | size<<32 | site
}

// keep packs a header with the site that Call remembered.
func (s *PresageG) keep(kind, flags, size uint64) uint64 {
	if s.site == 0 {
		flags |= pgFlagOpaque
	}
	return pgHead(kind, flags, size, uint64(s.site))
}

// take is keep for the record that stands for the call: the site is used up.
func (s *PresageG) take(kind, flags, size uint64) uint64 {
	h := s.keep(kind, flags, size)
	s.site = 0
	return h
}

// stampIn is stampHeld, or stamp if st is nil.
func (s *PresageG) stampIn(st *pgStripe, obj uintptr) uint64 {
	if st != nil {
		return s.stampHeld(st)
	}
	return s.stamp(obj)
}

// put1 writes a record: header, obj, stamp. st is the stripe of obj, if the caller holds it.
func (s *PresageG) put1(st *pgStripe, h uint64, obj uintptr) uint64 {
	s.synchronises(h >> 56)
	p := s.room(3)
	t := s.stampIn(st, obj)
	pgStore(p+8, uint64(obj))
	pgStore(p+16, t)
	pgStore(p, h)
	s.advance(p, 24)
	return t
}

// put2 writes a record: header, obj, a, stamp.
func (s *PresageG) put2(st *pgStripe, h uint64, obj uintptr, a uint64) {
	s.synchronises(h >> 56)
	p := s.room(4)
	t := s.stampIn(st, obj)
	pgStore(p+8, uint64(obj))
	pgStore(p+16, a)
	pgStore(p+24, t)
	pgStore(p, h)
	s.advance(p, 32)
}

// put3 writes a record: header, obj, a, b, stamp.
func (s *PresageG) put3(st *pgStripe, h uint64, obj uintptr, a, b uint64) {
	s.synchronises(h >> 56)
	p := s.room(5)
	t := s.stampIn(st, obj)
	pgStore(p+8, uint64(obj))
	pgStore(p+16, a)
	pgStore(p+24, b)
	pgStore(p+32, t)
	pgStore(p, h)
	s.advance(p, 40)
}

// presageAlloc records an allocation of n bytes at x, which the code in front of pc has asked for
// (0: it does not matter).
func presageAlloc(x unsafe.Pointer, n uintptr, flags uint64, pc uintptr) {
	gp := getg()
	presageClear(gp.presage, uintptr(x), n)
	pgFence() // a goroutine that is given the address finds the cells cleared
	if n == 0 || gp.m.curg != gp {
		return // the runtime's own
	}
	s := pgState(gp)
	if s == nil || s.off {
		return
	}
	if pc != 0 && s.soilsNew(uintptr(x), n, pc) {
		flags |= pgFlagFirst
	}
	s.newMemory(uintptr(x), n, flags)
}

// newMemory records that n bytes at x are new memory.
func (s *PresageG) newMemory(x, n uintptr, flags uint64) {
	if s.off {
		return
	}
	p := s.room(4)
	pgStore(p+8, uint64(x))
	pgStore(p+16, uint64(n))
	pgStore(p+24, s.tick())
	pgStore(p, pgHead(pgAllocKind, flags, 0, uint64(s.site)))
	s.advance(p, 32)
}
