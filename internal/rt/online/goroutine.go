package online

import "unsafe"

// A ftG is what the detector knows of a goroutine. Only the goroutine itself uses it, or one that completes an operation for it
// while it waits.
type ftG struct {
	_     ftOff
	epoch uint64 // E(t); 0: no slot was free, the goroutine is not seen (R13). The first field: assembly reads it
	slot  uint32
	clock uint32
	vc    ftVC  // C(t) without its own component
	spare ftRel // empty but in an operation
	goid  uint64
	found [4]ftFound
	n     int // of found
	stats ftStats
}

// A ftFound is a pair of accesses that a check fails for.
type ftFound struct {
	addr     uintptr
	old      uint64 // word of the earlier access
	oldKind  uint8
	kind     uint8
	pc       uintptr
	oldEpoch uint64
}

// knows reports whether w ≼ C(t).
func (g *ftG) knows(w uint64) bool {
	s := ftSlotOf(w)
	return s == g.slot || ftClockOf(w) <= g.vc.get(s)
}

// A ftSlot is a component of every clock: a chain of goroutines, each of which started after the end of the one before.
type ftSlot struct {
	_     ftOff
	clock uint32 // the largest in use
	next  uint32
	who   [4]ftWho
}

// ftWho says whose the clocks from first on are.
type ftWho struct {
	first uint32
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
	ftTries     = 8    // ended goroutines that a new one looks at, for one that its creator knows of
	ftSoftSlots = 4096 // from here on the slots of others are taken too (R13)
)

// ftInitSlots makes the table.
func ftInitSlots() {
	ftSlots.list = (*ftSlotList)(ftMap(unsafe.Sizeof(ftSlotList{})))
	ftSlots.free = (*ftFreeSlots)(ftMap(unsafe.Sizeof(ftFreeSlots{})))
	ftSlots.n = 1
}

// ftTake gives g a slot (R12): one of an ended goroutine of whose end by knows, or a new one.
func (g *ftG) take(by *ftG, who ftWho) {
	ftLock(&ftSlots.lock)
	s := uint32(0)
	for i := ftSlots.tail - ftSlots.head; i > 0 && s == 0; i-- {
		if ftSlots.tail-ftSlots.head-i >= ftTries {
			break
		}
		f := uint32(ftSlots.free.list[ftSlots.head&0xffff])
		ftSlots.head++
		if by != nil && by.knows(ftEpoch(f, ftSlots.list.list[f].clock)) {
			s = f
			break
		}
		ftSlots.free.list[ftSlots.tail&0xffff] = uint16(f)
		ftSlots.tail++
	}
	switch {
	case s != 0:
		g.stats.slotsAgain++
	case ftSlots.n < ftSoftSlots+2*ftSlots.alive && ftSlots.n < ftMaxSlots:
		s = ftSlots.n
		ftSlots.n++
	case ftSlots.head != ftSlots.tail: // (R13)
		s = uint32(ftSlots.free.list[ftSlots.head&0xffff])
		ftSlots.head++
		g.stats.slotsEarly++
	}
	if s != 0 {
		ftSlots.alive++
		r := &ftSlots.list.list[s]
		g.slot, g.clock = s, r.clock+1
		r.clock++
		who.first = g.clock
		r.who[r.next%uint32(len(r.who))] = who
		r.next++
		g.epoch = ftEpoch(s, g.clock)
	} else {
		g.slot, g.clock, g.epoch = 0, 0, 0
		g.stats.unseen++
	}
	ftUnlock(&ftSlots.lock)
}

// start is (R1): by starts g. by is nil for the goroutines of the runtime.
func (g *ftG) start(by *ftG, who ftWho) {
	g.goid = who.goid
	if by != nil {
		g.vc.share(&by.vc)
		if by.slot != 0 {
			g.vc.set(by.slot, by.clock)
		}
	}
	g.take(by, who)
	if by != nil {
		by.tick()
	}
}

// tick counts t's own clock up, after a release.
func (g *ftG) tick() {
	if g.slot == 0 {
		return
	}
	if g.clock >= ftMaxClock-1 {
		g.move()
		return
	}
	g.clock++
	g.epoch += 1 << ftEpochShift
	ftStore32(&ftSlots.list.list[g.slot].clock, g.clock)
}

// move gives t another slot when the clocks of its own are used up (R12): it knows what it did itself.
func (g *ftG) move() {
	old, clock := g.slot, g.clock
	r := &ftSlots.list.list[old]
	who := r.who[(r.next-1)%uint32(len(r.who))]
	g.vc.set(old, clock)
	g.slot, g.clock, g.epoch = 0, 0, 0
	g.take(g, who)
	ftLock(&ftSlots.lock)
	ftSlots.alive--
	ftUnlock(&ftSlots.lock)
	g.stats.moves++
}

// end gives back what g has.
func (g *ftG) end() {
	g.vc.clear()
	ftLock(&ftSlots.lock)
	if g.slot != 0 {
		ftSlots.alive--
		if g.clock < ftMaxClock-1024 {
			ftSlots.free.list[ftSlots.tail&0xffff] = uint16(g.slot)
			ftSlots.tail++
		}
	}
	ftTotal.add(&g.stats)
	ftUnlock(&ftSlots.lock)
	g.slot, g.clock, g.epoch = 0, 0, 0
	g.stats = ftStats{}
}

// acquireAll is (R11) for object 0: t knows all that has been done.
func (g *ftG) acquireAll() {
	n := ftLoad32(&ftSlots.n)
	for s := uint32(1); s < n; s++ {
		g.vc.set(s, ftLoad32(&ftSlots.list.list[s].clock))
	}
}
