package online

import "unsafe"

// ftG is the state of the detector for a goroutine. Only the goroutine itself uses it, or one that
// completes an operation for it while it waits. The rules for accesses are its methods. They use
// clocks and epochs by the methods of the thread state.
type ftG struct {
	_        ftOff
	ftThread // first, so that a pointer to either is the same address
	found    [4]ftFound
	n        int // of found
	op       ftOperation
	hints    ftHints
	steps    ftSteps
}

// ftThread is the thread state of the paper, E(t) and C(t), with the goroutine's slot, its context,
// the locks that it released or kept, and its counters. The clocks of objects (ftRel) and the
// histories of locations use nothing else of a goroutine.
type ftThread struct {
	_ ftOff
	// E(t); 0: no slot was free, the goroutine is not seen (ON1). The first fields: assembly reads
	// them
	epoch    uint64
	base     uint64 // t's context: the words from base on, width of them (filter.go)
	width    uint64
	slot     uint32 // 0: none, or none yet (ON1)
	clock    uint32
	place    uint32      // of its reads in shared histories
	acted    uint32      // the clock of the last access in its slot
	all      uint32      // ftAll when it released last, or took its slot
	vc       ftVC        // C(t) without its own component
	from     ftComponent // a release that had all of vc; none: slot 0 (ON4)
	since    uint32      // t's releases from this clock on, up to from, had all of vc
	known    ftKnown
	spare    ftRel // empty but in an operation
	goid     uint64
	who      ftWho
	releases ftReleases
	kept     ftKept
	stats    ftStats
}

// ftFound is a pair of accesses that a check fails for.
type ftFound struct {
	addr     uintptr
	old      uint64 // word of the earlier access
	oldKind  uint8
	kind     uint8
	pc       uintptr
	oldEpoch uint64
}

// knows reports whether w ≼ C(t).
func (t *ftThread) knows(w uint64) bool {
	s := ftSlotOf(w)
	return s == t.slot || ftClockOf(w) <= t.vc.get(s)
}

// at returns the component of C(t) of a slot.
func (t *ftThread) at(slot uint32) uint32 {
	v := &t.vc
	switch {
	case slot == t.slot:
		return t.clock
	case v.height|v.n == 0 && slot < ftLeafSlots && v.root != nil:
		return *v.root.clock(slot) // slot 0 is never passed
	}
	return v.get(slot)
}

// ftSlot is a component of every clock: a chain of goroutines, each of which knew of the last
// access of the one before at its own first.
type ftSlot struct {
	_ ftOff
	// the largest in use, which its goroutine writes at every release: a line of its own
	clock uint32
	_     [60]byte
	acted uint32 // that of the last access, if the goroutine has ended
	// a clock from this one on includes all releases in the slot up to it (ON4)
	whole uint32
	next  uint32
	who   [4]ftWho
	_     [16]byte
}

// ftWho identifies the goroutine of the clocks from first on.
type ftWho struct {
	first uint32
	from  uint32 // the goroutine that started it, 0 if its number is larger
	goid  uint64
	start uintptr // the function it runs
	by    uintptr // the go statement
	ctor  uint64  // the goroutine that has it
}

// ftSlots are the slots of the process. Slot 0 is none.
var ftSlots struct {
	lock  uint32
	n     uint32 // in use or free, with slot 0
	alive uint32
	list  *ftSlotList
	free  *ftFreeSlots // ring of the slots of ended goroutines, the longest ended first
	head  uint32
	tail  uint32
}

type ftSlotList struct {
	_    ftOff
	list [ftMaxSlots]ftSlot
}

type ftFreeSlots struct {
	_    ftOff
	list [1 << 16]uint16
}

const (
	// ended goroutines that a new one looks at, for one that its creator knows of
	ftTries     = 8
	ftSoftSlots = 4096 // from here on the slots of others are taken too (ON1)
)

// ftInitSlots makes the table.
func ftInitSlots() {
	ftSlots.list = (*ftSlotList)(ftMap(unsafe.Sizeof(ftSlotList{})))
	ftSlots.free = (*ftFreeSlots)(ftMap(unsafe.Sizeof(ftFreeSlots{})))
	ftSlots.n, ftSlots.head, ftSlots.tail = 1, 0, 0
}

// arrive gives t its slot, at its first access (ON1), and reports whether there is one.
func (t *ftThread) arrive() bool {
	if t.epoch != 0 {
		t.take()
	}
	return t.slot != 0
}

// take gives t a slot: one of an ended goroutine of whose last access it knows, or a new one.
func (t *ftThread) take() {
	ftLock(&ftSlots.lock)
	s := uint32(0)
	for i := min(ftTries, ftSlots.tail-ftSlots.head); i > 0; i-- {
		f := uint32(ftSlots.free.list[ftSlots.head&0xffff])
		ftSlots.head++
		if t.knows(ftEpoch(f, ftSlots.list.list[f].acted)) {
			s = f
			t.stats.slotsAgain++
			break
		}
		ftSlots.free.list[ftSlots.tail&0xffff] = uint16(f)
		ftSlots.tail++
	}
	if ftSlots.n%ftLeafSlots == 0 { // no slot
		ftSlots.n++
	}
	switch {
	case s != 0:
	case ftSlots.n < ftMaxSlots && (ftSlots.n < ftSoftSlots+2*ftSlots.alive || ftSlots.head == ftSlots.tail):
		s = ftSlots.n
		ftSlots.n++
	case ftSlots.head != ftSlots.tail: // (ON1)
		s = uint32(ftSlots.free.list[ftSlots.head&0xffff])
		ftSlots.head++
		t.stats.slotsEarly++
	}
	if s == 0 {
		t.slot, t.clock, t.epoch = 0, 0, 0
		t.begin()
		t.stats.unseen++
	} else {
		t.enter(s)
	}
	ftUnlock(&ftSlots.lock)
}

// enter makes t the goroutine of slot s. The last release there was of the clock before the last.
func (t *ftThread) enter(s uint32) {
	ftSlots.alive++
	r := &ftSlots.list.list[s]
	if t.vc.get(s)+1 < r.clock {
		ftStore32(&r.whole, r.clock+1)
	}
	r.clock++
	t.slot, t.place, t.clock, t.acted = s, s%ftSharedPlaces, r.clock, r.acted
	t.all = ftLoad32(&ftAll) // an earlier acquireAll does not know of this clock
	t.epoch = ftEpoch(s, t.clock)
	t.begin()
	t.releases.n, t.releases.done = 0, 0
	t.who.first = t.clock
	r.who[r.next%uint32(len(r.who))] = t.who
	r.next++
}

// start is (CL1): by starts t. by is nil for the goroutines of the runtime.
func (t *ftThread) start(by *ftThread, who ftWho) {
	t.goid, t.who, t.epoch, t.from, t.acted = who.goid, who, ftEpoch(ftLazySlot, 0), ftComponent{}, 0
	t.begin()
	t.releases.n, t.releases.done = 0, 0
	t.known, t.kept = ftKnown{}, ftKept{}
	if by != nil {
		t.spare.release(by)
		t.spare.acquire(t)
		t.spare.clear()
	}
}

// tick counts t's own clock up, after a release.
func (t *ftThread) tick() {
	if t.slot == 0 {
		return
	}
	if t.clock >= ftMaxClock-1 {
		t.move()
		return
	}
	if !t.untold() {
		t.since = t.clock
	}
	t.from = ftComponent{t.slot, t.clock}
	t.count()
}

// untold reports whether vc is as it was at t's last release.
func (t *ftThread) untold() bool { return t.from.slot == t.slot && t.from.clock+1 == t.clock }

func (t *ftThread) count() {
	t.clock++
	t.epoch += 1 << ftEpochShift
	t.begin()
	ftStore32(&ftSlots.list.list[t.slot].clock, t.clock)
}

// move gives t another slot when the clocks of its own are used up (ON1). C(t) includes the former
// slot.
func (t *ftThread) move() {
	old, clock := t.slot, t.clock
	t.vc.set(old, clock)
	t.slot, t.clock, t.epoch = 0, 0, 0
	t.from = ftComponent{old, clock}
	t.take()
	ftLock(&ftSlots.lock)
	ftSlots.alive--
	ftUnlock(&ftSlots.lock)
	t.stats.moves++
}

// end frees the memory and the slot of t.
func (g *ftG) end() {
	g.steps.end()
	g.ftThread.end()
}

func (t *ftThread) end() {
	t.vc.clear()
	ftLock(&ftSlots.lock)
	if t.slot != 0 {
		ftSlots.alive--
		ftSlots.list.list[t.slot].acted = t.acted
		if t.clock < ftMaxClock-1024 {
			ftSlots.free.list[ftSlots.tail&0xffff] = uint16(t.slot)
			ftSlots.tail++
		}
	}
	ftTotal.add(&t.stats)
	ftUnlock(&ftSlots.lock)
	t.slot, t.clock, t.epoch = 0, 0, 0
	t.begin()
	t.stats = ftStats{}
}

// ftAll counts the calls of acquireAll.
var ftAll uint32

// acquireAll is (CL8) for object 0: t knows of all earlier events. It knows of each goroutine's
// present clock, but not of later events of that epoch: so each goroutine raises its clock before
// its next release.
func (t *ftThread) acquireAll() {
	ftLock(&ftSlots.lock)
	ftAdd32(&ftAll, 1)
	n := ftLoad32(&ftSlots.n)
	for s := uint32(1); s < n; s++ {
		if s%ftLeafSlots != 0 {
			t.vc.set(s, ftLoad32(&ftSlots.list.list[s].clock))
		}
	}
	ftUnlock(&ftSlots.lock)
	t.from = ftComponent{}
}

// beforeRelease is the other half of acquireAll. It waits for an acquireAll that is running. That
// one could otherwise read the new clock, although it may have read other slots before the events
// that the release passes on.
func (t *ftThread) beforeRelease() {
	if t.all != ftLoad32(&ftAll) {
		t.afterAll()
	}
}

func (t *ftThread) afterAll() {
	ftLock(&ftSlots.lock)
	if t.all = ftLoad32(&ftAll); t.slot != 0 {
		t.count()
	}
	ftUnlock(&ftSlots.lock)
}
