package runtime

import (
	"internal/runtime/atomic"
	"internal/runtime/sys"
	"unsafe"
)

// What calls that leave traced code can reach, found once per object and kept up to date (RDIT,
// 4.4.3). What one object leads to, of those that a call is given by a pointer, or all variables of
// the packages that are left out, is a *set*. A set is made at the second call that is given its
// object, is recorded once, with a number, and calls that reach it name that. The rules:
//
//  1. A set has the words that its walk has read, with their values. It holds while they have these
//     values: the walk would go the same way. It does not matter what has written to memory, nor
//     whether that is recorded; each call reads the words again, which is a small part of the work
//     of a walk.
//  2. Garbage collection makes every set void: addresses may mean something else. So is each that
//     rests on more than words: stacks, goroutines that wait in a send.
//  3. A walk that comes to the object of another set goes no further; the one depends on the other,
//     and a call that reaches it reaches both. If the other is given up, so is the one.
//  4. A set that does not hold any more is made anew. It keeps its number if it comes out the same,
//     in whatever order (sum): a list of which an element has moved to the front.
//  5. What the walk of a set has come to that was made for a call is not walked again for the same
//     call, by walks that make no set: the call names the set.
//
// So a call has what a walk at that moment would have found: no condition is to be met, as it is
// where recorded writes are looked at alone. -reach=full makes each walk anew; -reach=check does
// both and stops the program if something was missed.

const (
	pgSlots    = 1 << 12
	pgDeps     = 24 // sets that one depends on
	pgCallSets = 24 // sets that a call names
	pgQueue    = 48
	pgOwn      = 8 // spans of a call beside them
	pgCredit   = 15
	pgSeenBits = 8
	pgMemory   = 64 << 20 // for all sets
	pgBlocks   = 16
	pgSmallest = 64 // block
	pgLittle   = 2  // blocks of this size and less stay where they are
	pgNever    = 1  // no cycle of garbage collection
)

// A pgKey is where a walk begins.
type pgKey struct {
	addr, typ, n uintptr
	kind         uintptr
}

func (k *pgKey) is(x *pgKey) bool {
	return k.addr == x.addr && k.typ == x.typ && k.n == x.n && k.kind == x.kind
}

// Kinds of beginnings.
const (
	pgNone      = iota
	pgValues    // n values of a type
	pgObject    // whatever is there
	pgClosure   // of a function that is not traced
	pgMapped    // a map, by its type
	pgChannel   // by the type of its elements
	pgVariables // of the packages that are left out, of which there are n
)

// A pgSet is a place of the table. The goroutine that has taken it may use it. Others do not wait
// for it, because what it says can be found without it. Key and serial are written by the goroutine
// that has taken it, and read by others.
type pgSet struct {
	_      sys.NotInHeap
	taken  atomic.Uint32
	serial uint32 // changes with the object; odd while it does
	key    pgKey
	number uint32 // 0: it has been asked for, and not made
	cycle  uint32 // of garbage collection. Up to here it is a line of the cache
	sum    uint64 // of its parts
	all    bool   // it was everything: is not looked for
	times  uint8  // so often in a row,
	skip   uint16 // for so many calls
	words  pgBlock
	part   pgBlock
	dep    pgBlock
}

// A pgDep is a set, as long as the serial is the same.
type pgDep struct{ slot, serial uint32 }

// A pgCall is a call that MethodBegin has begun.
type pgCall struct {
	open   bool
	all    bool
	known  bool // all, as before
	notes  bool // late is kept
	looks  bool // the walk is one of those made again
	depth  uint32
	head   uint64
	method uint64
	time   uint64     // when it began, before the walks: what they do not find was stored later
	walk   *pgWalk    // what has no set
	made   *pgWalk    // the walk by which the set made last was made, and all of which is in D
	late   *pgMissing // what the walk begins with
	sets   int
	due    int
	own    int
	part   [pgOwn][2]uintptr
	set    [pgCallSets]pgDep
	number [pgCallSets]uint32 // 0: it has nothing itself
	queue  [pgQueue]pgDep     // sets still to be added
}

var presageReach struct {
	full    bool
	check   bool
	numbers atomic.Uint32
	grown   atomic.Uint32 // numbers of what Ds grow by
	slots   *[pgSlots]pgSet
	// what was given to calls: some bits of the key, and how many others may come before it is
	// forgotten. It is written without a lock; what gets lost is a guess
	seen [pgSlots]uint32
	// of the sets that walks may come to: a few bits of the key, 0 for none. Most look-ups end
	// here, in a page of memory
	tags   [pgSlots]uint8
	blocks [pgBlocks]uintptr // free ones, by size
	used   uintptr
}

// presageReachInit reads how D is to be found. Called by presageInit.
func presageReachInit() {
	presageReach.full = gogetenv("PRESAGE_REACH") == "full"
	presageReach.check = gogetenv("PRESAGE_REACH") == "check"
}

func pgMakeSets() {
	lock(&presage.mu)
	if presageReach.slots == nil {
		presageReach.slots = (*[pgSlots]pgSet)(persistentalloc(unsafe.Sizeof([pgSlots]pgSet{}), 64, &memstats.other_sys))
	}
	unlock(&presage.mu)
}

func pgCycle() uint32 { return atomic.Load(&mheap_.sweepgen) }

func (k *pgKey) slot() (slot, tag uint32) {
	return pgSlot(pgHash(k.addr, k.typ), k.n, k.kind)
}

// pgSlot is slot, of a key of which the first words have the hash h.
func pgSlot(h uint64, n, kind uintptr) (slot, tag uint32) {
	h = (h ^ h>>32 ^ uint64(n<<7^kind<<59)) * 0x9E3779B97F4A7C15
	return uint32(h >> 52), uint32(h>>28)&(1<<24-1)<<pgSeenBits | 1<<pgSeenBits
}

func pgTag(tag uint32) uint8 { return uint8(tag>>pgSeenBits) | 1 }

// take takes a place of the table, if it is free.
func (e *pgSet) take() bool { return e.taken.CompareAndSwap(0, 1) }

// drop gives it back.
func (e *pgSet) drop() { atomic.StoreRel((*uint32)(unsafe.Pointer(&e.taken)), 0) }

// from walks from a beginning.
func (r *pgWalk) from(k pgKey) {
	skip := r.whole
	r.whole = true // this one is not left to its set
	switch k.kind {
	case pgValues:
		r.add(k.addr, pgTypeOf((*_type)(unsafe.Pointer(k.typ))), k.n, pgNoted)
	case pgObject:
		r.object(k.addr, true)
	case pgClosure:
		r.function(k.addr)
	case pgMapped:
		r.mapped(k.addr, (*pgMapType)(unsafe.Pointer(k.typ)))
	case pgChannel:
		r.channel(k.addr)
	case pgVariables:
		r.roots()
	}
	r.whole = skip
	r.run()
}

// gives gives the place, which is number slot, to another object.
func (e *pgSet) gives(k pgKey, slot uint32) {
	atomic.Xadd(&e.serial, 1)
	pgFence()
	presageReach.tags[slot] = 0
	e.key, e.number, e.cycle, e.times, e.skip = k, 0, pgNever, 0, 0
	e.words.clear()
	e.part.clear()
	e.dep.clear()
	atomic.Xadd(&e.serial, 1)
}

// holds reports whether a walk would find what it has found.
func (e *pgSet) holds() bool {
	if e.number == 0 || e.cycle != pgCycle() {
		return false
	}
	p, n := e.words.at, e.words.n
	for ; n >= 4; p, n = p+64, n-4 {
		x := (*[8]uintptr)(unsafe.Pointer(p))
		if pgWord(x[0]) != x[1] || pgWord(x[2]) != x[3] || pgWord(x[4]) != x[5] || pgWord(x[6]) != x[7] {
			return false
		}
	}
	for ; n > 0; p, n = p+16, n-1 {
		if pgWord(pgWord(p)) != pgWord(p+8) {
			return false
		}
	}
	for _, d := range e.dep.deps() {
		if atomic.Load(&presageReach.slots[d.slot].serial) != d.serial {
			return false
		}
	}
	return true
}

// make makes the set anew. It returns the walk if that makes no set.
func (e *pgSet) make(s *PresageG) *pgWalk {
	r := pgNewWalk()
	r.from(e.key)
	if r.all {
		e.times = min(e.times+1, pgLargeTimes)
		e.skip = 1<<e.times - 1
		return r
	}
	e.times = 0
	if r.loose || !e.words.set(r.word[:r.words]) || !e.dep.setDeps(r.dep[:r.deps]) {
		e.cycle = pgNever
		return r
	}
	if sum := pgSum(r.part[:r.parts]); e.number == 0 || e.sum != sum {
		if !e.part.set(r.part[:r.parts]) {
			e.number, e.cycle = 0, pgNever
			return r
		}
		e.sum, e.number = sum, presageReach.numbers.Add(1)
		slot, tag := e.key.slot()
		presageReach.tags[slot] = pgTag(tag)
		s.define(e)
	}
	e.cycle = pgCycle()
	if c := &s.call; c.made != nil {
		c.made.release()
	}
	s.call.made = r
	return nil
}

// define records what a set has.
func (s *PresageG) define(e *pgSet) {
	s.recordSet(0, e.number, e.part.pairs())
}

// recordSet writes a RawSet.
func (s *PresageG) recordSet(flags uint64, number uint32, parts [][2]uintptr) {
	n := 0
	for i := range parts {
		n += pgPacked(parts[i][1])
	}
	p := s.room(1 + n)
	at := pgPack(p+8, parts)
	pgStore(p, pgHead(pgRawSet, flags, uint64(n), uint64(number)))
	s.pos = at
}

// pgPack writes spans at at, and returns where they end.
func pgPack(at uintptr, parts [][2]uintptr) uintptr {
	for i := range parts {
		x, n := uint64(parts[i][0])<<16, parts[i][1]
		if pgPacked(n) == 1 {
			pgStore(at, x|uint64(n))
		} else {
			pgStore(at, x)
			pgStore(at+8, uint64(n))
			at += 8
		}
		at += 8
	}
	return at
}

// pgPacked is the number of words of a span of n bytes.
func pgPacked(n uintptr) int {
	if n < 1<<16 {
		return 1
	}
	return 2
}

// depends reports whether a walk that comes to a beginning leaves the rest to a set.
func (r *pgWalk) depends(k pgKey) bool {
	if r.whole { // a set has more
		return false
	}
	slot, tag := k.slot()
	if presageReach.tags[slot] != pgTag(tag) { // most times
		return false
	}
	e := &presageReach.slots[slot]
	serial := atomic.Load(&e.serial)
	if serial&1 != 0 || !e.key.is(&k) || e.number == 0 {
		return false
	}
	pgFence()
	if atomic.Load(&e.serial) != serial {
		return false
	}
	d := pgDep{slot, serial}
	for i := range r.deps {
		if r.dep[i] == d {
			return true
		}
	}
	if r.deps == pgDeps {
		return false
	}
	r.dep[r.deps] = d
	r.deps++
	return true
}
