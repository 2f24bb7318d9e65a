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

// scan marks what the records from s.scanned on say to be accessed.
func (s *PresageG) scan() {
	p, end := s.scanned, s.pos
	s.scanned, s.outTime = end, 0
	limit, base := presageCells.limit, presageCells.base
	if limit == 0 || s.off || s.inside == 0 && !s.takeInside() {
		return
	}
	mine := s.inside >> pgIDShift
	for p < end {
		h := *(*uint64)(unsafe.Pointer(p))
		if h>>56 == pgRawShort {
			t := s.shorts
			if t == nil {
				t = (*pgShorts)(persistentalloc(unsafe.Sizeof(pgShorts{}), 64, &memstats.other_sys))
				s.shorts = t
			}
			x := &t.last[h&255]
			if x.site != uint32(h) {
				t.change(x, uint32(h))
			}
			if h>>54&1 != 0 {
				x.addr = *(*uintptr)(unsafe.Pointer(p + 8))
			} else if x.addr != 0 {
				x.addr += uintptr(int64(int16(h >> 32)))
			} else {
				presageCells.lost.Add(1)
			}
			size, values := uintptr(h>>48&0xf), uintptr(1)
			if size > 8 {
				values = size - 7
				size = values * 8
			}
			if a := x.addr; a&7+size <= 8 && a < limit {
				c := (*pgCell)(unsafe.Pointer(base + a>>3<<4))
				if c.w>>pgIDShift != mine && c.w&(pgSharedWord|pgAllBytes) != pgSharedWord || c.r != 0 {
					s.seen(a, size)
				}
			} else if a != 0 {
				s.seen(a, size)
			}
			p += (1 + uintptr(h>>54&1) + uintptr(h>>53&1) + uintptr(h>>52&1)*(values-1)) * 8
			continue
		}
		size := uintptr(h >> 32 & 0xffff)
		words := uintptr(1)
		switch h >> 56 {
		case pgRead, pgWrite:
			words = 2 + max(1, size/8)
			if f := h >> 48 & 0xff; f&pgFlagOpaque == 0 || uint32(h) == 0 { // else of outside code, which has marked it
				if f&pgFlagNoValue != 0 {
					size = *(*uintptr)(unsafe.Pointer(p + 16))
				}
				a := *(*uintptr)(unsafe.Pointer(p + 8))
				if a&7+size <= 8 && a < limit {
					if c := (*pgCell)(unsafe.Pointer(base + a>>3<<4)); c.r == 0 && (c.w>>pgIDShift == mine || c.w&(pgSharedWord|pgAllBytes) == pgSharedWord) {
						break
					}
				}
				s.seen(a, size)
			}
		case pgBlockKind, pgOpaqueBegin, pgOpaqueEnd, pgReachSet, pgRawContext:
		case pgEnterKind, pgExitKind, pgSelectDefault, pgEnd, pgRawStamp, pgRawGC:
			words = 2
		case pgValueKind:
			words = 1 + max(1, (size+7)/8)
		case pgStart:
			words = 3 + (size+7)/8
		case pgAtomicRead, pgAtomicWrite, pgAllocKind, pgRawLate:
			words = 4
		case pgAtomicRMW, pgWGAdd, pgChanSend, pgChanRecv, pgChanClose, pgChanLen, pgSelectCase:
			words = 5
		case pgMethodBegin, pgMethodEnd:
			words = 3
			if h>>48&pgFlagUnstamped != 0 {
				words = 2
			}
		case pgReach:
			words = 3
			if size > 0 {
				words = 2
			}
		case pgRawVar:
			words = 3 + (size+7)/8
		case pgRawSet:
			words = 1 + size
		case pgRawConst:
			words = 2 + (size+7)/8
		case pgRawPC:
			words = 2 + (size+7)/8
		default:
			words = 3
		}
		p += words * 8
	}
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
