package runtime

import (
	"internal/runtime/sys"
	"unsafe"
)

// What emitted code has accessed is in its records. They are looked at in batches, before a record
// of synchronisation and when a chunk ends, to mark the words (SC4). A goroutine that accesses a
// word behind such a synchronisation finds the mark; one that races with the access finds it, or is
// found.

// pgShorts are the last addresses of short accesses, by site. A loop has at most 64 such sites, and
// accesses of two loops do not mix. The sites of a loop are near each other, so most are found in
// last, by their low bits; what another one takes the place of there goes to old, 64 sets of four.
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

// pgShortShapes are the sizes of short accesses, and from bit 8 on the words of their records, by
// bits 48 to 55 of the header.
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

// scan marks what the records from s.scanned on say to be accessed. It is most of what recording
// costs where emitted code does little else than to access memory: of an access in a granule that
// is covered it only reads the header and the address, and lengths are found by branches, which are
// foreseen, where they can be.
func (s *PresageG) scan() {
	p, end := s.scanned, s.pos
	s.scanned = end
	if presageCells.limit == 0 || s.off || s.inside == 0 && !s.takeInside() {
		return
	}
	mp := acquirem() // the world must not stop in the middle: what is left would not be scanned
	s.scanning = true
	s.scanRecords(p, end)
	s.scanning = false
	releasem(mp)
}

func (s *PresageG) scanRecords(p, end uintptr) {
	granules, limit, own := presageCells.granules, presageCells.limit, s.owner()
	last := ^uintptr(0) // the granule of the last access, which is covered
	mixed := false      // outside code uses it too
	for p < end {
		h := *(*uint64)(unsafe.Pointer(p))
		if kind := h >> 56; kind == pgRawShort {
			p = s.scanShorts(p, end)
			continue
		} else if kind != pgRead && kind != pgWrite {
			p += pgWordsOf(h) * 8
			continue
		}
		a, size := *(*uintptr)(unsafe.Pointer(p + 8)), uintptr(h>>32&0xffff)
		q, write := p, h>>56 == pgWrite
		if size <= 8 {
			p += 24
		} else {
			p += (2 + size/8) * 8
		}
		if h>>48&(pgFlagOpaque|pgFlagNoValue) != 0 {
			if h>>48&pgFlagOpaque != 0 && uint32(h) != 0 {
				continue // of outside code or the kernel, which have marked it
			}
			write = write && h>>48&pgFlagOpaque == 0
			if h>>48&pgFlagNoValue != 0 {
				size = *(*uintptr)(unsafe.Pointer(q + 16))
			}
		}
		if to := a + size - 1; a>>pgGranuleShift != last || to>>pgGranuleShift != last {
			last = a >> pgGranuleShift
			if to>>pgGranuleShift != last || a >= limit || !pgCovers(*(*uint32)(unsafe.Pointer(granules + last<<2)), own) {
				last = ^uintptr(0)
				s.seen(a, size)
				if write {
					pgWrote(a, size)
				}
				continue
			}
			mixed = *(*uint32)(unsafe.Pointer(granules + last<<2))&pgCells != 0
		}
		if mixed && write {
			pgSoil(a, size)
		}
	}
}

// scanShorts marks what short accesses say, and goes over the blocks between them, up to the first
// other record. It returns where that is.
func (s *PresageG) scanShorts(p, end uintptr) uintptr {
	t := s.shorts
	if t == nil {
		t = (*pgShorts)(persistentalloc(unsafe.Sizeof(pgShorts{}), 64, &memstats.other_sys))
		s.shorts = t
	}
	granules, limit, own := presageCells.granules, presageCells.limit, s.owner()
	last, mixed := ^uintptr(0), false // as in scanRecords
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
		shape := uintptr(pgShortShapes[h>>48&0xff])
		if x.site != uint32(h) {
			if t.change(x, uint32(h)); x.addr == 0 && h>>54&1 == 0 {
				presageCells.lost.Add(1)
				x.site = 0
				p += shape >> 8 * 8
				continue
			}
		}
		a := x.addr + uintptr(int64(int16(h>>32)))
		switch {
		case h>>54&1 != 0:
			a = *(*uintptr)(unsafe.Pointer(p + 8))
			p += shape >> 8 * 8
		case h>>52&3 == 2:
			p += 16
		default:
			p += shape >> 8 * 8
		}
		x.addr = a
		if to := a + shape&0xff - 1; a>>pgGranuleShift != last || to>>pgGranuleShift != last {
			last = a >> pgGranuleShift
			if to>>pgGranuleShift != last || a >= limit || !pgCovers(*(*uint32)(unsafe.Pointer(granules + last<<2)), own) {
				last = ^uintptr(0)
				s.seen(a, shape&0xff)
				if h>>55&1 != 0 {
					pgWrote(a, shape&0xff)
				}
				continue
			}
			mixed = *(*uint32)(unsafe.Pointer(granules + last<<2))&pgCells != 0
		}
		if mixed && h>>55&1 != 0 {
			pgSoil(a, shape&0xff)
		}
	}
	return p
}

// pgWordsOf returns the words of a record that is not looked at (pgKindWords: presage_format.go).
func pgWordsOf(h uint64) uintptr {
	if w := pgKindWords[h>>56]; w != 0 {
		return uintptr(w)
	}
	size := uintptr(h >> 32 & 0xffff)
	switch h >> 56 {
	case pgValueKind, pgRawTest:
		return 1 + max(1, (size+7)/8)
	case pgStart, pgRawVar:
		return 3 + (size+7)/8
	case pgRawMade:
		if h>>48&(pgFlagMore|pgFlagWrite) != 0 {
			return 4
		}
		return 3 + (size+7)/8
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
// they do any more will. The world is stopped, so nothing writes to their streams. It stays
// stopped until the process is gone: what emitted code accessed after the scan would be in the
// recording, and the accesses of outside code that it races with would not.
func presageEnds() {
	if !presage.on || presageCells.limit == 0 {
		return
	}
	stopTheWorld(stwUnknown)
	scanAll()
	pgStore(presage.head+112, 1+presageCells.lost.Load())
}

// scanAll marks what all goroutines have accessed. The world is stopped. A goroutine may be
// stopped between two records, with the place of the next one in a register, so nothing is
// written to its stream.
func scanAll() {
	t := &presageCells
	if t.limit == 0 {
		return
	}
	forEachG(func(gp *g) {
		if s := gp.presage; s != nil {
			s.scan()
		}
	})
}

// pgStopped returns the stream of goroutine 0 that scans write to, and what stops the world. Its
// caller holds presageCells.lock, or has stopped the world.
func pgStopped() *PresageG {
	t := &presageCells
	if t.gc == nil {
		t.gc = pgAlloc()
		t.gc.newChunk(0)
	}
	return t.gc
}

// change makes the place x that of a site. What was there goes to the older ones; what those have
// of the site comes from there.
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
