package runtime

import (
	"internal/runtime/atomic"
	"internal/runtime/sys"
	"unsafe"
)

// Accesses of outside code: packages that are compiled with the compiler's access hooks instead of
// being re-emitted. A program makes hundreds of millions of them, most to memory that one goroutine
// uses. So the recorder keeps a cell for each word of memory, and writes an access down only when
// another goroutine can conflict with it.
//
// # Cells
//
// A cell holds two entries: the last write (w) and the last reads (r) of its word. An entry names a
// *context*, the stretch of a goroutine between two operations of synchronisation, the bytes of the
// word, and the program counter.
//
//	63                  35   34       33     32    25 24         0
//	|      context        | shared | recorded | bytes |  pc >> 2  |
//
// While one goroutine uses a word, its accesses only change the entries: nothing is written. When
// another goroutine comes, its access is written down, with what the entries still hold (late
// records, RawLate). That ends the *turn* of the first goroutine and begins that of the second. So
// there are two records for each turn, kind and byte: of the first access and of the last. Of the
// first turn, of the goroutine that got the memory, there is only the last.
//
//   - (SC1) Let a and b be conflicting accesses of two goroutines, a first, that nothing orders.
//     The last access of a's kind in a's turn comes after a, and before b's turn begins: b does not
//     know of it. The first access of b's kind in b's turn is not after b and knows no more. So
//     these two race as well, and both are written down. A read by another goroutine ends a turn
//     too. The reader leaves the write entry in place, without its bytes, for the read that begins
//     the writer's next turn is to be written down as well: the bytes are no longer dirty (SC7).
//     That read removes the entry (endWrites), so that the next write counts as the first of that
//     turn.
//   - (SC2) An access is left out without a look at turns if the goroutine has one of the same
//     bytes in the same release epoch in the cell: a read by a read or a write, a write by a write.
//   - (SC3) Bytes. An entry covers the bytes of accesses of one context only. An access of a later
//     context that does not cover all of them makes the old entry a late record first; else bytes
//     of an earlier context would be taken for accessed in the later one, which can be a false
//     race.
//   - (SC4) Emitted code and sync/atomic write their own records. They only mark the word as
//     theirs (seen), or the memory around it (presage_granule.go), so that outside code of other
//     goroutines notices them. The mark is set before the goroutine synchronises next, and by an
//     atomic operation before it takes effect: no goroutine can know of the access earlier.
//   - (SC5) Allocation clears the cells of the memory that it hands out. Before memory can be
//     handed out again, a garbage collection marks what emitted code has accessed up to then
//     (scanAll).
//   - (SC6) An entry is changed by compare-and-swap, or by swap where the word becomes shared, so
//     that an entry is either replaced by its owner or written down by the goroutine that takes its
//     place.
//
// SC7 (presage_dirty.go) is about reads that happens-before does not need.
//
// Which alternative is wrong: to keep only the first accesses of turns (the last one may be what
// races), or only the last ones (by then the goroutine may have learned of the other access); to
// write one record for each context (40 million for a loop over encoding/json).
type pgCell struct {
	_    sys.NotInHeap
	w, r uint64
}

const (
	pgPCBits     = 25
	pgPCMask     = 1<<pgPCBits - 1
	pgByteShift  = pgPCBits
	pgAllBytes   = 0xff << pgByteShift
	pgRecorded   = 1 << 33
	pgSharedWord = 1 << 34
	pgIDShift    = 35
	pgOneID      = 1 << pgIDShift
	pgIDBlock    = 32                                // contexts that a goroutine takes at a time
	pgIDBlocks   = 1 << (64 - pgIDShift) / pgIDBlock // of the process
	// where Go's heap and, in most programs, its variables are
	pgCellsLimit = 1 << 40
	pgNoReserve  = 0x4000 // MAP_NORESERVE
)

// presageCells is the memory of the cells. limit is 0 where there are none: nothing of outside code
// is recorded.
var presageCells struct {
	// addresses below have a cell, at base + 2*address, and a bit for each byte, at dirty +
	// address/8
	limit    uintptr
	quick    uintptr // the same for the hooks, 0 if every access is to be written down
	full     bool    // write every access down, besides
	audit    bool    // write every access down, with its value, and nothing else
	buffer   int     // bytes of a buffer of the kernel that are recorded
	base     uintptr
	dirty    uintptr // presage_dirty.go
	granules uintptr // states of granules, 4 bytes each
	owners   uintptr // the stream that has taken a block of contexts, 4 bytes each
	blocks   atomic.Uint32
	data     [2]uintptr // variables of the program
	lock     mutex      // of gc
	gc       *PresageG  // the stream that late records of scans go to
	lost     atomic.Uint64
	blind    uint64 // word 13 of segment 0
}

// presageCellsInit maps the cells. They take address space, and memory where they are used.
func presageCellsInit() {
	t := &presageCells
	t.buffer = 4096
	m := &firstmoduledata
	t.data = [2]uintptr{m.noptrdata, m.enoptrbss}
	pgShortInit()
	limit := uintptr(pgCellsLimit)
	if gogetenv("PRESAGE_CELLS") == "few" {
		limit = pgFirstHeap + pgFewCells
		t.base, t.dirty, t.granules = pgMapParts(limit)
	} else if t.base = pgMapCells(0, 2*limit+limit/4); t.base != 0 {
		madvise(unsafe.Pointer(t.base), 2*limit+limit/4, 15 /* MADV_NOHUGEPAGE */)
		t.dirty, t.granules = t.base+2*limit, pgMapCells(0, limit>>pgGranuleShift<<2)
	}
	if t.owners = pgMapCells(0, pgIDBlocks*4); t.base == 0 || t.granules == 0 || t.owners == 0 {
		t.blind = 1
		return
	}
	t.blocks.Store(1) // context 0 is none
	t.limit = limit
	mode := gogetenv("PRESAGE_OUTSIDE")
	t.full, t.audit = mode == "full", mode == "audit"
	if t.audit {
		t.buffer = 1 << 62
	}
	if !t.full && !t.audit {
		t.quick = t.limit
	}
}

// pgMapCells maps n bytes, at a place of the kernel's choice if at is 0. It returns 0 if it cannot.
func pgMapCells(at, n uintptr) uintptr {
	flags := int32(_MAP_ANON | _MAP_PRIVATE | pgNoReserve)
	if at != 0 {
		flags |= _MAP_FIXED
	}
	p, err := mmap(unsafe.Pointer(at), n, _PROT_READ|_PROT_WRITE, flags, -1, 0)
	if err != 0 {
		return 0
	}
	return uintptr(p)
}

// pgPartsAt is where pgMapParts maps: nothing else is there in an emulator. pgFewCells is how much
// of the heap has cells then.
const (
	pgPartsAt  = 1 << 44
	pgFewCells = 4 << 30
)

// pgMapParts maps the memory of cells in two parts, of the program's file and of the heap up to
// limit. An emulator of another processor keeps tables of all that is mapped, and has no room for
// those of cells that nobody uses. Other memory below limit must not be accessed.
func pgMapParts(limit uintptr) (base, dirty, granules uintptr) {
	const page = 1 << 20 // of memory, so that all that belongs to it is whole pages
	base, dirty = pgPartsAt, pgPartsAt+2*pgCellsLimit
	granules = dirty + pgCellsLimit/4
	for _, part := range [2][2]uintptr{{0, alignUp(firstmoduledata.enoptrbss, page)}, {pgFirstHeap, limit}} {
		from, n := part[0], part[1]-part[0]
		if pgMapCells(base+2*from, 2*n) == 0 || pgMapCells(dirty+from/4, n/4) == 0 || pgMapCells(granules+from>>pgGranuleShift<<2, n>>pgGranuleShift<<2) == 0 {
			return 0, 0, 0
		}
	}
	return base, dirty, granules
}

//go:nosplit
func pgCellOf(addr uintptr) *pgCell { return (*pgCell)(unsafe.Pointer(presageCells.base + addr>>3<<4)) }

// pgHasCell reports whether other goroutines can write to addr: it is in the heap or a variable.
//
//go:nosplit
func pgHasCell(addr uintptr) bool {
	t := &presageCells
	return addr < t.limit && (addr >= pgFirstHeap || addr-t.data[0] < t.data[1]-t.data[0])
}

// owns reports whether an entry is of this goroutine.
//
//go:nosplit
func (s *PresageG) owns(e uint64) bool {
	id := e >> pgIDShift
	return id/pgIDBlock == (s.ids-1)/pgIDBlock || id == s.inside>>pgIDShift ||
		*(*uint32)(unsafe.Pointer(presageCells.owners + uintptr(id/pgIDBlock*4))) == uint32(s.stream)
}

// newID takes the next context of the goroutine, 0 if there are no more.
func (s *PresageG) newID() uint64 {
	if s.ids%pgIDBlock == 0 {
		b := presageCells.blocks.Add(1) - 1
		if b >= pgIDBlocks {
			presageCells.blocks.Add(-1)
			presageCells.limit, presageCells.quick = 0, 0
			pgStore(presage.head+104, 2)
			return 0
		}
		*(*uint32)(unsafe.Pointer(presageCells.owners + uintptr(b)*4)) = uint32(s.stream)
		s.ids = uint64(b) * pgIDBlock
		s.width = 0 // (SC2): of the epoch so far, nothing is left out any more
	}
	id := s.ids
	s.ids++
	return id << pgIDShift
}

// advance moves behind a record that is not of an access by emitted code.
//
//go:nosplit
func (s *PresageG) advance(p, n uintptr) {
	if s.pos = p + n; s.scanned == p {
		s.scanned = s.pos
	}
}

// context makes s.key the context of what the goroutine does now, and says so in its stream.
func (s *PresageG) context() bool {
	if s.key != 0 {
		return true
	}
	if s.off {
		return false
	}
	k := s.newID()
	if k == 0 {
		return false
	}
	p := s.room(1)
	pgStore(p, pgHead(pgRawContext, 0, 0, k>>pgIDShift))
	s.pos = p + 8
	s.beginsContext(k)
	return true
}

// nextContext is context where there is room for the record and the goroutine has a context left.
//
//go:nosplit
func (s *PresageG) nextContext() bool {
	if s.left < 1 || s.ids%pgIDBlock == 0 || s.off {
		return false
	}
	p := s.pos
	s.left--
	pgStore(p, pgRawContext<<56|s.ids)
	s.advance(p, 8)
	s.beginsContext(s.ids << pgIDShift)
	s.ids++
	return true
}

// beginsContext makes k the context of what follows.
//
//go:nosplit
func (s *PresageG) beginsContext(k uint64) {
	if s.width == 0 {
		s.base = k
	}
	s.width = k - s.base + pgOneID
	s.key = k
}

// synchronises ends the context, before a record of synchronisation or an observation of a state;
// of a release, the release epoch too.
func (s *PresageG) synchronises(kind uint64) {
	s.records++
	if s.heldSize != 0 {
		s.writeHeld()
	}
	if s.pos != s.scanned {
		s.scan()
	}
	s.key = 0
	switch kind {
	case pgLock, pgTryFail, pgAcquire, pgWGWait, pgOncePass, pgOnceBegin, pgCondWait, pgCondWake, pgAtomicRead, pgChanLen, pgSelectCase, pgObserve:
		return
	}
	s.width = 0
}

//go:nosplit
func pgSwap(p *uint64, old, new uint64) bool { return atomic.Cas64(p, old, new) }

// ownTurn takes an access to bytes m of a word that no other goroutine has used since this one did.
// If it returns false, the access is for taken.
//
//go:nosplit
func (s *PresageG) ownTurn(c *pgCell, addr uintptr, m uint64, write bool) bool {
	w, r := atomic.Load64(&c.w), atomic.Load64(&c.r)
	if w != 0 && !s.owns(w) || r != 0 && !s.owns(r) || !s.inCells(addr) || s.key == 0 && !s.nextContext() {
		return false
	}
	p, old := &c.r, r
	if write {
		p, old = &c.w, w
	}
	b := m & pgAllBytes
	e := s.key | m | (w|r)&pgSharedWord
	switch {
	case e&pgSharedWord != 0 && !pgContinues(w, r, b, write):
		return false
	case old>>pgIDShift == s.key>>pgIDShift:
		e |= old & pgAllBytes
	case old&pgRecorded == 0 && old&pgAllBytes&^b != 0: // (SC3)
		return false
	}
	if !pgSwap(p, old, e) {
		return false
	}
	q := &c.w
	if write {
		q = &c.r
	}
	if o := atomic.Load64(q); o != 0 && !s.owns(o) { // since we looked (SC6)
		return false
	}
	if write && r != 0 && r&pgAllBytes&^b == 0 {
		// an access that conflicts with the read conflicts with the write
		pgSwap(&c.r, r, 0)
	}
	return true
}

// pgContinues reports whether an access of bytes b of a shared word is not the first of its kind in
// the turn of its goroutine, whose entries are w and r.
//
//go:nosplit
func pgContinues(w, r, b uint64, write bool) bool {
	return b&^w == 0 || !write && b&^r == 0
}

// taken takes an access that is not for ownTurn. It reports whether the access is to be written
// down.
func (s *PresageG) taken(c *pgCell, word uintptr, m uint64, write bool) bool {
	for !s.ownTurn(c, word, m, write) {
		w, r := atomic.Load64(&c.w), atomic.Load64(&c.r)
		mine := (w == 0 || s.owns(w)) && (r == 0 || s.owns(r))
		if mine && ((w|r)&pgSharedWord == 0 || pgContinues(w, r, m&pgAllBytes, write)) {
			// (SC3), or it has changed meanwhile
			if write {
				s.late(word, &c.w, w, true)
			} else {
				s.late(word, &c.r, r, false)
			}
			continue
		}
		e := s.key | pgSharedWord | pgRecorded | m
		if write {
			if w-s.base < s.width {
				e |= w & pgAllBytes
			}
			s.flush(word, atomic.Xchg64(&c.w, e), true)
			s.flush(word, atomic.Xchg64(&c.r, 0), false)
			return true
		}
		if r-s.base < s.width {
			e |= r & pgAllBytes
		}
		old := atomic.Xchg64(&c.r, e)
		s.flush(word, old, false)
		if old != 0 && !s.owns(old) {
			s.endWrites(c, word)
		}
		s.late(word, &c.w, atomic.Load64(&c.w), true)
		return true
	}
	return false
}

// endWrites removes the goroutine's own write: it is of a turn that a read of another goroutine
// has ended. The entry of that read is gone now, so the next write would be taken for one of the
// same turn as the removed one.
func (s *PresageG) endWrites(c *pgCell, word uintptr) {
	for {
		w := atomic.Load64(&c.w)
		if w == 0 || !s.owns(w) {
			return
		}
		if pgSwap(&c.w, w, 0) {
			s.flush(word, w, true)
			return
		}
	}
}

// late writes down the access of an entry that is not yet written down, and notes that in the cell.
// The write of another goroutine then stands for none of its reads (SC1).
func (s *PresageG) late(word uintptr, p *uint64, e uint64, write bool) {
	if e == 0 {
		return
	}
	done := e | pgRecorded
	if !s.owns(e) {
		done = done&^pgAllBytes | pgSharedWord
	}
	if done != e && pgSwap(p, e, done) {
		s.flush(word, e, write)
	}
}

// flush writes a late record, unless the access has one. What a scan finds does not go into the
// stream that it reads: the stream's chunk could be full, and be given away.
func (s *PresageG) flush(word uintptr, e uint64, write bool) {
	if e == 0 || e&pgRecorded != 0 {
		return
	}
	if !s.scanning {
		s.lateRecord(word, e, write)
		return
	}
	t := &presageCells
	lock(&t.lock)
	pgStopped().lateRecord(word, e, write)
	unlock(&t.lock)
}

func (s *PresageG) lateRecord(word uintptr, e uint64, write bool) {
	if s.off {
		return
	}
	s.knowPC(e & pgPCMask)
	p := s.room(4)
	pgStore(p+8, uint64(word))
	pgStore(p+16, e)
	pgStore(p+24, pgTicks())
	kind := uint64(pgRead)
	if write {
		kind = pgWrite
	}
	pgStore(p, pgHead(pgRawLate, 0, 0, kind))
	s.pos = p + 32
}

// seen marks words as used by the goroutine (SC4).
func (s *PresageG) seen(addr, n uintptr) {
	t := &presageCells
	if s.inside == 0 || addr >= t.limit || n >= t.limit-addr {
		if t.limit == 0 || addr >= t.limit || n >= t.limit-addr || s.off || !s.takeInside() {
			return
		}
	}
	for word := addr &^ 7; word < addr+n; word += 8 {
		if s.useInside(word) {
			continue
		}
		c := pgCellOf(word)
		w, r := atomic.Load64(&c.w), atomic.Load64(&c.r)
		if r == 0 && w&(pgSharedWord|pgAllBytes) == pgSharedWord {
			// a mark of a shared word: every access of outside code that comes next is written down
			continue
		}
		if w|r == 0 {
			pgSwap(&c.w, 0, s.inside)
			w, r = atomic.Load64(&c.w), atomic.Load64(&c.r)
		}
		if w != 0 && !s.owns(w) || r != 0 && !s.owns(r) {
			s.flush(word, atomic.Xchg64(&c.w, s.inside|pgSharedWord), true)
			s.flush(word, atomic.Xchg64(&c.r, 0), false)
		}
	}
}

// takeInside takes a context for the marks of seen.
func (s *PresageG) takeInside() bool {
	s.inside = s.newID()
	if s.inside == 0 {
		return false
	}
	s.inside |= pgRecorded
	return true
}

// pgBuffer is the number of bytes of a buffer of the kernel that are recorded.
func pgBuffer() int { return presageCells.buffer }
