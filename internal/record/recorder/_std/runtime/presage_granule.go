package runtime

import (
	"internal/runtime/atomic"
	"unsafe"
)

// Emitted code makes most of its accesses to memory that outside code does not use. To mark each of
// its words in a cell would cost more than to write the record. So there is a word of state for
// each *granule*, 512 bytes of memory: which goroutines use it, and whether its cells have all
// of its accesses.
//
//	0                                  not used so far, its cells are zero
//	context | pgInside                 of one goroutine (the context of its marks); it may have accessed every word
//	                                   in emitted code
//	context | pgCells                  … in outside code, which the cells tell
//	context | pgInside | pgCells       … in both
//	pgMany | pgInside                  of several, all in emitted code: the cells are zero
//	… | pgMany | pgInside | pgCells    the cells are being filled in with what the state said before
//	pgMany | pgCells                   as the cells tell
//
// A goroutine that the state does not cover changes it before it goes on. Where emitted code of
// others may have accessed every word, that is written into the cells first: a word without an
// access is marked too then, and accesses of outside code to it are written down that need not be.
// The state says that it is being done, and what is to be marked, so that no goroutine is covered
// by the old one any more. One that comes meanwhile does the same work again. Only what is zero is
// marked. A goroutine cannot be stopped for a garbage collection in between, so no memory is handed
// out again meanwhile.
const (
	pgGranuleShift = 9
	pgGranule      = 1 << pgGranuleShift

	pgCells      = 1
	pgInside     = 2
	pgMany       = 4
	pgOwnerShift = 3
)

//go:nosplit
func pgGranuleOf(addr uintptr) *uint32 {
	return (*uint32)(unsafe.Pointer(presageCells.granules + addr>>pgGranuleShift<<2))
}

// owner is the goroutine as in the state of a granule, 0 if it has used none yet.
//
//go:nosplit
func (s *PresageG) owner() uint32 { return uint32(s.inside>>pgIDShift) << pgOwnerShift }

// inCells reports whether the cell of a word tells what other goroutines than s have done with it.
//
//go:nosplit
func (s *PresageG) inCells(addr uintptr) bool {
	g := *pgGranuleOf(addr)
	return g == pgMany|pgCells || g&^pgInside == s.owner()|pgCells
}

// pgCovers reports whether state g says that a goroutine may have accessed every word in emitted
// code.
//
//go:nosplit
func pgCovers(g, owner uint32) bool { return g&^pgCells == owner|pgInside || g == pgMany|pgInside }

// useCells is called before the goroutine looks at cells of a granule for an access of outside
// code.
func (s *PresageG) useCells(addr uintptr) {
	p, own := pgGranuleOf(addr), s.owner()
	for !s.inCells(addr) {
		switch g := atomic.Load(p); {
		case g == 0:
			atomic.Cas(p, g, own|pgCells)
		case g == own|pgInside:
			if atomic.Cas(p, g, g|pgCells) {
				pgSoilGranule(addr)
			}
		default:
			pgShare(addr, p, g)
		}
	}
}

// useInside makes the state cover an access of emitted code. It returns false if the cells have to.
func (s *PresageG) useInside(addr uintptr) bool {
	p, own := pgGranuleOf(addr), s.owner()
	for {
		switch g := atomic.Load(p); {
		case pgCovers(g, own):
			return true
		case g == pgMany|pgCells:
			return false
		case g == 0 || g == own|pgCells:
			atomic.Cas(p, g, g|own|pgInside)
		case g&pgCells == 0: // of another one, in emitted code alone
			atomic.Cas(p, g, pgMany|pgInside)
		default:
			pgShare(addr, p, g)
		}
	}
}

// pgShare gives a granule of state g the state pgMany|pgCells, unless it has another state than g
// by now.
func pgShare(addr uintptr, p *uint32, g uint32) {
	mp := acquirem()
	if atomic.Load(p) == g && g&pgInside != 0 {
		if full := g | pgMany | pgCells; g == full || atomic.Cas(p, g, full) {
			g = full
			pgFill(addr&^(pgGranule-1), g>>pgOwnerShift)
		}
	}
	atomic.Cas(p, g, pgMany|pgCells)
	releasem(mp)
}

// pgFill marks the words of a granule that have no entry: as used by the goroutine with this
// context, or by several if it is 0. All bytes are dirty then (SC7).
func pgFill(first uintptr, owner uint32) {
	pgSoilGranule(first)
	mark := uint64(owner)<<pgIDShift | pgRecorded
	if owner == 0 {
		mark |= pgSharedWord
	}
	for word := first; word < first+pgGranule; word += 8 {
		if c := pgCellOf(word); atomic.Load64(&c.w)|atomic.Load64(&c.r) == 0 {
			pgSwap(&c.w, 0, mark)
		}
	}
}

// presageClear makes n bytes of new memory unused (SC5). s is of the goroutine that has allocated
// it, nil if it is not recorded.
func presageClear(s *PresageG, addr, n uintptr) {
	t := &presageCells
	if addr >= t.limit || n == 0 {
		return
	}
	for end := addr + n; addr < end; {
		next := min(addr&^(pgGranule-1)+pgGranule, end)
		p := pgGranuleOf(addr)
		switch g := atomic.Load(p); {
		case g == 0:
		case next-addr == pgGranule:
			if g&pgCells != 0 {
				memclrNoHeapPointers(unsafe.Pointer(pgCellOf(addr)), 2*pgGranule)
				pgUnsoil(addr, pgGranule)
			}
			atomic.Store(p, 0)
		default:
			for g&pgInside != 0 && (s == nil || !pgCovers(g, s.owner())) {
				pgShare(addr, p, g)
				g = atomic.Load(p)
			}
			if g&pgCells != 0 {
				pgClearWords(addr, next)
			}
		}
		addr = next
	}
}

// pgClearWords clears the cells of part of a granule. Of a word that several small objects share,
// the bytes of others stay.
func pgClearWords(addr, end uintptr) {
	if addr&7 != 0 {
		word := addr &^ 7
		pgClearBytes(word, addr-word, min(8, end-word))
		addr = word + 8
	}
	if whole := end &^ 7; addr < whole {
		memclrNoHeapPointers(unsafe.Pointer(pgCellOf(addr)), (whole-addr)*2)
		pgUnsoil(addr, whole-addr)
		addr = whole
	}
	if addr < end {
		pgClearBytes(addr, 0, end-addr)
	}
}

func pgClearBytes(word, from, to uintptr) {
	c := pgCellOf(word)
	m := uint64(1<<to-1<<from) << pgByteShift
	atomic.And8(pgDirtyOf(word), ^uint8(m>>pgByteShift))
	atomic.And8(pgDirtyWritesOf(word), ^uint8(m>>pgByteShift))
	for _, p := range [2]*uint64{&c.w, &c.r} {
		for {
			e := atomic.Load64(p)
			if e == 0 || pgSwap(p, e, e&^m) {
				break
			}
		}
	}
}
