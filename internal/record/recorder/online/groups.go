package online

import "unsafe"

// The cells of the locations of a word (ON2). Locations with the same last accesses share a cell.
// Cells other than the word's own are allocated in rows of a line: eight cells, one for each word.

// ftGroups is the cell of each location, in four bits, the lowest for the first location: 0, none
// in use; 1 to 7, the one in this row; ftOwnCell, the word's own, whose ftFull does not count for
// it. The first location always has the word's own. ftGroups changes under the lock of the word's
// cell.
type ftGroups uint32

// ftLocs is a set of locations of a word: bit 4k is the kth.
type ftLocs uint32

const (
	ftOwnCell   = 8
	ftAllLocs   = 0x11111111
	ftInnerLocs = ftAllLocs &^ 1         // those inside the word
	ftAllOwn    = ftOwnCell * ftAllLocs  // all have the word's own cell
	ftGroupLen  = 1 << (ftLineShift - 3) // of a line's groups
)

// ftLocsOf returns those from one to before another.
//
//go:nosplit
func ftLocsOf(from, to uintptr) ftLocs {
	return ftLocs((uint64(1)<<(4*to&63) - 1) >> (4 * from & 63) << (4 * from & 63) & ftAllLocs)
}

// ftLocOf returns the location at addr.
//
//go:nosplit
func ftLocOf(addr uintptr) ftLocs { return 1 << (4 * (addr & 7)) }

// lowest is the place of the first of some.
//
//go:nosplit
func (s ftLocs) lowest() uintptr { return ftLowest(uint32(s)) / 4 }

// of returns which cell the first of some locations has.
//
//go:nosplit
func (m ftGroups) of(s ftLocs) uint32 { return uint32(m >> (ftLowest(uint32(s)) & 31) & 15) }

// below returns which cell the location before the first of some has, which is not the first of the
// word.
//
//go:nosplit
func (m ftGroups) below(s ftLocs) uint32 { return uint32(m >> ((ftLowest(uint32(s)) - 4) & 31) & 15) }

// members returns the locations that have a cell.
//
//go:nosplit
func (m ftGroups) members(p uint32) ftLocs {
	x := uint32(m) ^ p*ftAllLocs
	x |= x >> 2
	x |= x >> 1
	return ftLocs(^x & ftAllLocs)
}

// apart returns the locations that have cells inside the word.
//
//go:nosplit
func (m ftGroups) apart() ftLocs { return ftInnerLocs &^ (m.members(0) | m.members(ftOwnCell)) }

// set gives locations a cell.
//
//go:nosplit
func (m ftGroups) set(s ftLocs, p uint32) ftGroups {
	return m&^ftGroups(s*15) | ftGroups(uint32(s)*p)
}

// free returns a row whose cell is not in use. There is one for every location that has none
// of its own.
//
//go:nosplit
func (m ftGroups) free() uint32 {
	p := uint32(1)
	for p < 7 && m.members(p) != 0 {
		p++
	}
	return p
}

// ftGroupsOf returns which cells the locations of addr's word have; its block has cells. Of the
// first it says nothing.
//
//go:nosplit
func ftGroupsOf(addr uintptr) *ftGroups {
	return &ftInfos[addr>>ftBlockShift&(1<<ftPlaneShift-1)].groups[addr>>3&(ftWords-1)]
}

// ftRow is cells of a line.
type ftRow struct {
	_    ftOff
	list [1 << (ftLineShift - 3)]ftCell
}

const ftRowClass = 7 // of memory

// ftRowOf returns where a row of word's line is kept.
//
//go:nosplit
func ftRowOf(word uintptr, p uint32) **ftRow {
	return &ftInfos[word>>ftBlockShift&(1<<ftPlaneShift-1)].rows[p&7][word>>ftLineShift&(ftLineCount-1)]
}

// ftGroupCell returns the cell of a group inside a word, which is there.
//
//go:nosplit
func ftGroupCell(word uintptr, p uint32) *ftCell { return &(*ftRowOf(word, p)).list[word>>3&7] }

// ftQuickCell is ftCellFor where memory is at hand; else it returns nil.
//
//go:nosplit
func ftQuickCell(word uintptr, p uint32) *ftCell {
	if ftLineOf(word).rows>>p&1 == 0 {
		c := &ftClasses[ftHere()%ftMaxParts][ftRowClass]
		if !ftCas32(&c.lock, 0, 1) {
			return nil
		}
		ok := c.row(word, p)
		ftStore32(&c.lock, 0)
		if !ok {
			return nil
		}
	}
	return ftGroupCell(word, p)
}

// row makes a row of word's line of what c has. Its cells are filled before a location refers to
// them.
//
//go:nosplit
func (c *ftClass) row(word uintptr, p uint32) bool {
	if s := c.free; s != nil {
		if next := ftToInt(unsafe.Pointer(s.next)); ftPutRow(word, p, unsafe.Pointer(s)) {
			// no write barrier, for which there is no room on the stack in tests
			ftStore64((*uint64)(unsafe.Pointer(&c.free)), uint64(next))
			c.n--
		}
		return true
	}
	if c.end-c.next < unsafe.Sizeof(ftRow{}) {
		return false
	}
	if ftPutRow(word, p, ftFromInt(c.next)) {
		c.next += unsafe.Sizeof(ftRow{})
	}
	return true
}

// ftCellFor makes a cell for a group.
func ftCellFor(word uintptr, p uint32) *ftCell {
	if ftLineOf(word).rows>>p&1 == 0 {
		if r := ftAlloc(unsafe.Sizeof(ftRow{})); !ftPutRow(word, p, r) {
			ftFree(r, unsafe.Sizeof(ftRow{}))
		}
	}
	return ftGroupCell(word, p)
}

// ftPutRow makes r a row of word's line, if no other row has been put there meanwhile, for another
// word. It does not read the place first: memory that is read first has two page faults, and the
// second interrupts all processors.
//
//go:nosplit
func ftPutRow(word uintptr, p uint32, r unsafe.Pointer) bool {
	ok := ftCas64((*uint64)(unsafe.Pointer(ftRowOf(word, p))), 0, uint64(ftToInt(r)))
	ftLineOf(word).used(1 << p)
	return ok
}

// ftFreeRows gives back rows of a line, whose memory is all of one new object.
func ftFreeRows(addr uintptr, rows uint8) {
	for p := uint32(1); rows>>p != 0; p++ {
		if at := ftRowOf(addr, p); rows>>p&1 != 0 && *at != nil {
			r := *at
			*at = nil
			ftFree(unsafe.Pointer(r), unsafe.Sizeof(ftRow{}))
		}
	}
}
