package runtime

import (
	"internal/runtime/sys"
	"unsafe"
)

// What emitted code has accessed is in its records. They are looked at in batches, before a record of
// synchronisation and when a chunk ends, to mark the words (SC4). A goroutine that accesses a word behind
// such a synchronisation finds the mark; one that races with the access finds it, or is found.

// pgShorts are the last addresses of short accesses, by site. A loop has at most 64 such sites, and accesses of two
// loops do not mix. The sites of a loop are near each other, so most are found in last, by their low bits; what another
// one takes the place of there goes to old, 64 sets of four.
type pgShorts struct {
	_    sys.NotInHeap
	last [256]pgShort
	old  [256]pgShort
	next [64]uint8
}

type pgShort struct {
	site uint32
	addr uintptr
}

// pgShortShapes are the sizes of short accesses, and from bit 8 on the words of their records, by bits 48 to 55 of the header.
var pgShortShapes [256]uint16

func pgShortInit() {
	for i := range pgShortShapes {
		size, values := i&0xf, 1
		if size > 8 {
			values = size - 7
			size = values * 8
		}
		words := 1 + i>>6&1 + i>>5&1 + i>>4&1*(values-1)
		pgShortShapes[i] = uint16(words<<8 | max(1, size))
	}
}

// scan marks what the records from s.scanned on say to be accessed.
func (s *PresageG) scan() {
	p, end := s.scanned, s.pos
	s.scanned, s.outTime = end, 0
	if presageCells.limit == 0 || s.off || s.inside == 0 && !s.takeInside() {
		return
	}
	for p < end {
		if *(*uint64)(unsafe.Pointer(p))>>56 == pgRawShort {
			p = s.scanShorts(p, end)
		} else {
			p += s.scanRecord(p) * 8
		}
	}
}

// scanShorts marks what short accesses, and blocks between them, say; up to the first other record, which it returns.
// It is most of what recording costs where emitted code does little else than to access memory.
func (s *PresageG) scanShorts(p, end uintptr) uintptr {
	if s.shorts == nil {
		s.shorts = (*pgShorts)(persistentalloc(unsafe.Sizeof(pgShorts{}), 64, &memstats.other_sys))
	}
	t, granules := s.shorts, presageCells.granules
	own, last := s.owner(), ^uintptr(0) // the granule of the last access, which is covered
	for p < end {
		h := *(*uint64)(unsafe.Pointer(p))
		if h>>56 != pgRawShort {
			if h>>56 != pgBlockKind {
				break
			}
			p += 8
			continue
		}
		x := &t.last[h&255]
		if x.site != uint32(h) {
			t.change(x, uint32(h))
		}
		shape := uintptr(pgShortShapes[h>>48&0xff])
		a := x.addr + uintptr(int64(int16(h>>32)))
		if h>>54&1 != 0 {
			a = *(*uintptr)(unsafe.Pointer(p + 8))
		} else if x.addr == 0 {
			presageCells.lost.Add(1)
			a = 0
		}
		x.addr = a
		p += shape >> 8 * 8
		if to := a + shape&0xff - 1; a>>pgGranuleShift != last || to>>pgGranuleShift != last {
			last = a >> pgGranuleShift
			if to>>pgGranuleShift != last || a >= pgCellsLimit || !pgCovers(*(*uint32)(unsafe.Pointer(granules + last<<2)), own) {
				last = ^uintptr(0)
				s.seen(a, shape&0xff)
			}
		}
	}
	return p
}

// scanRecord marks what any other record says, and returns its words.
func (s *PresageG) scanRecord(p uintptr) uintptr {
	h := *(*uint64)(unsafe.Pointer(p))
	size := uintptr(h >> 32 & 0xffff)
	switch h >> 56 {
	case pgRead, pgWrite:
		words := 2 + max(1, size/8)
		if f := h >> 48 & 0xff; f&pgFlagOpaque == 0 || uint32(h) == 0 { // else of outside code, which has marked it
			if f&pgFlagNoValue != 0 {
				size = *(*uintptr)(unsafe.Pointer(p + 16))
			}
			s.seen(*(*uintptr)(unsafe.Pointer(p + 8)), size)
		}
		return words
	case pgBlockKind, pgOpaqueBegin, pgOpaqueEnd, pgReachSet, pgRawContext:
		return 1
	case pgEnterKind, pgExitKind, pgSelectDefault, pgEnd, pgRawStamp, pgRawGC:
		return 2
	case pgValueKind:
		return 1 + max(1, (size+7)/8)
	case pgStart, pgRawVar:
		return 3 + (size+7)/8
	case pgAtomicRead, pgAtomicWrite, pgAllocKind, pgRawLate:
		return 4
	case pgAtomicRMW, pgWGAdd, pgChanSend, pgChanRecv, pgChanClose, pgChanLen, pgSelectCase:
		return 5
	case pgMethodBegin, pgMethodEnd:
		if h>>48&pgFlagUnstamped != 0 {
			return 2
		}
	case pgReach:
		if size > 0 {
			return 2
		}
	case pgRawSet:
		return 1 + size
	case pgRawConst, pgRawPC:
		return 2 + (size+7)/8
	}
	return 3
}

// presageEnds scans what goroutines have accessed since their last synchronisation: nothing that
// they do any more will. The world is stopped, so nobody writes to their streams. It stays
// stopped until the process is gone: what emitted code accessed after the scan would be in the
// recording, and the accesses of outside code that it races with would not.
func presageEnds() {
	if !presage.on || presageCells.limit == 0 {
		return
	}
	stopTheWorld(stwUnknown)
	scanAll()
	pgStore(presage.head+112, presageCells.lost.Load())
}

// scanAll marks what all goroutines have accessed. The world is stopped. A goroutine may be
// stopped between two records, with the place of the next one in a register, so nothing is
// written to its stream.
func scanAll() {
	t := &presageCells
	if t.limit == 0 {
		return
	}
	t.pen = pgStopped()
	forEachG(func(gp *g) {
		if s := gp.presage; s != nil {
			s.scan()
		}
	})
	t.pen = nil
}

// pgStopped returns the stream that is written to while the world is stopped, of goroutine 0.
func pgStopped() *PresageG {
	t := &presageCells
	if t.gc == nil {
		t.gc = pgAlloc()
		t.gc.newChunk(0)
	}
	return t.gc
}

// change makes the place x that of a site. What was there goes to the older ones; what those have of the site comes from there.
func (t *pgShorts) change(x *pgShort, site uint32) {
	was := *x
	*x = pgShort{site: site}
	set := t.old[site*0x9E3779B1>>26*4:][:4]
	for i := range set {
		if set[i].site == site {
			x.addr, set[i] = set[i].addr, pgShort{}
		}
	}
	if was.site != 0 {
		k := was.site * 0x9E3779B1 >> 26
		t.old[k*4+uint32(t.next[k]&3)] = was
		t.next[k]++
	}
}
