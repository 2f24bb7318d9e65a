package runtime

import (
	"internal/runtime/sys"
	"unsafe"
)

// What emitted code has accessed is in its records. They are looked at in batches, before a record of
// synchronisation and when a chunk ends, to mark the words (SC4). A goroutine that accesses a word behind
// such a synchronisation finds the mark; one that races with the access finds it, or is found.

// pgShorts are the last addresses of short accesses, by site: 64 sets of four. A loop has at most 64 such sites,
// and accesses of two loops do not mix.
type pgShorts struct {
	_    sys.NotInHeap
	site [256]uint32
	addr [256]uintptr
	next [64]uint8
}

// scan marks what the records from s.scanned on say to be accessed.
func (s *PresageG) scan() {
	p, end := s.scanned, s.pos
	s.scanned, s.outTime = end, 0
	if presageCells.limit == 0 || s.off {
		return
	}
	for p < end {
		h := *(*uint64)(unsafe.Pointer(p))
		size := uintptr(h >> 32 & 0xffff)
		words := uintptr(1)
		switch h >> 56 {
		case pgRead, pgWrite:
			words = 2 + max(1, size/8)
			if f := h >> 48 & 0xff; f&pgFlagOpaque == 0 || uint32(h) == 0 { // else of outside code, which has marked it
				if f&pgFlagNoValue != 0 {
					size = *(*uintptr)(unsafe.Pointer(p + 16))
				}
				s.seen(*(*uintptr)(unsafe.Pointer(p + 8)), size)
			}
		case pgRawShort:
			words = s.scanShort(p, h)
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

// scanShort marks a short access, and returns the words of its record.
func (s *PresageG) scanShort(p uintptr, h uint64) uintptr {
	size, values := uintptr(h>>48&0xf), uintptr(1)
	if size > 8 {
		values = size - 7
		size = values * 8
	}
	words := uintptr(1)
	t := s.shorts
	if t == nil {
		t = (*pgShorts)(persistentalloc(unsafe.Sizeof(pgShorts{}), 64, &memstats.other_sys))
		s.shorts = t
	}
	site := uint32(h)
	set := uintptr(site * 0x9E3779B1 >> 26)
	i := set * 4
	for i < set*4+4 && t.site[i] != site {
		i++
	}
	found := i < set*4+4
	if h>>54&1 != 0 {
		words++
		if !found {
			i = set*4 + uintptr(t.next[set]&3)
			t.next[set]++
			t.site[i] = site
		}
		t.addr[i] = *(*uintptr)(unsafe.Pointer(p + 8))
		s.seen(t.addr[i], size)
	} else if found {
		t.addr[i] += uintptr(int64(int16(h >> 32)))
		s.seen(t.addr[i], size)
	} else {
		presageCells.lost.Add(1)
	}
	if h>>53&1 != 0 {
		words++
	}
	if h>>52&1 != 0 {
		words += values - 1
	}
	return words
}
