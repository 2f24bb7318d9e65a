package online

import "unsafe"

// Shadow memory: 16 bytes for eight of the program's, mapped in blocks and found by a directory of
// one level, or, as most are, from the address alone (ftNear).
//
// A block covers 64 MiB, and has a cell for each word. What begins inside words has others, where
// it is needed (groups.go).

const (
	ftBlockShift = 26
	ftPlaneShift = 47 - ftBlockShift // of the directory's index
	ftWords      = 1 << (ftBlockShift - 3)
	ftLineShift  = 6 // lines of the program's memory, for ftLine
	ftLineCount  = 1 << (ftBlockShift - ftLineShift)
	ftNearLimit  = 1 << 40 // where Go's memory is
)

// ftCell is W and R of a location.
type ftCell struct {
	_    ftOff
	w, r uint64
}

// ftCells is the directory: the words' cells by block; 0: not mapped.
var ftCells *[1 << ftPlaneShift]*[ftWords]ftCell

// ftInfo is the metadata of the lines of a block.
type ftInfo struct {
	_      ftOff
	lines  [ftLineCount]ftLine
	sync   [ftWords / 64]uint64 // bit: a synchronisation object is there
	groups [ftWords]ftGroups
	rows   [8][ftLineCount]*ftRow // of the first there is none: the words' own cells
}

// ftLine says what a reset has to look at in 64 bytes of the program's: bit 0 of rows, the words'
// own cells have been used; bit p, there is row p. Other objects may begin in the line, so bits are
// set one by one.
type ftLine struct {
	_     ftOff
	rows  uint8
	marks uint8
}

const (
	ftMarkHistory = 1 << iota // cells with histories
	ftMarkSync                // synchronisation objects
	ftMarkInside              // accesses of what begins inside words
)

var ftInfos *[1 << ftPlaneShift]*ftInfo

var ftMapLock uint32

// The cell of a word below ftNear is at ftNearCells and twice its address, so that the hooks need
// not look at the directory. Where no block is mapped yet are zeros that cannot be written to.
// Where the system refuses so many addresses, ftNear is 0.
var ftNear, ftNearCells uintptr

func ftInitShadow() {
	ftInitSplits(ftProcessors())
	ftCells = (*[1 << ftPlaneShift]*[ftWords]ftCell)(ftMap(8 << ftPlaneShift))
	ftInfos = (*[1 << ftPlaneShift]*ftInfo)(ftMap(8 << ftPlaneShift))
	if p := ftReserve(2 * ftNearLimit); p != 0 {
		ftNear, ftNearCells = ftNearLimit, p
	}
}

// ftCellAt returns the cell of addr's word, nil if there is none yet.
//
//go:nosplit
func ftCellAt(addr uintptr) *ftCell {
	if addr>>47 != 0 {
		return nil
	}
	p := ftCells[addr>>ftBlockShift&(1<<ftPlaneShift-1)]
	if p == nil {
		return nil
	}
	return &p[addr>>3&(ftWords-1)]
}

// ftCellOf makes it, and returns nil if its memory is none of the program's.
func ftCellOf(addr uintptr) *ftCell {
	if addr>>47 != 0 {
		return nil
	}
	p := ftCells[addr>>ftBlockShift]
	if p == nil {
		if p = ftMapBlock(addr); p == nil {
			return nil
		}
	}
	return &p[addr>>3&(ftWords-1)]
}

// ftMapBlock maps the cells of addr's block.
func ftMapBlock(addr uintptr) *[ftWords]ftCell {
	if !ftMine(addr) {
		return nil
	}
	ftLock(&ftMapLock)
	defer ftUnlock(&ftMapLock)
	i := addr >> ftBlockShift
	if ftCells[i] == nil {
		const n = ftWords * unsafe.Sizeof(ftCell{})
		var p unsafe.Pointer
		if addr < ftNear {
			p = ftTake(ftNearCells+i*n, n)
		} else {
			p = ftMap(n)
		}
		ftInfos[i] = (*ftInfo)(ftMap(unsafe.Sizeof(ftInfo{})))
		ftCells[i] = (*[ftWords]ftCell)(p)
	}
	return ftCells[i]
}

// ftLineOf returns the metadata of addr's line; its block has cells.
//
//go:nosplit
func ftLineOf(addr uintptr) *ftLine {
	return &ftInfos[addr>>ftBlockShift&(1<<ftPlaneShift-1)].lines[addr>>ftLineShift&(ftLineCount-1)]
}

// used notes that rows are in use.
//
//go:nosplit
func (l *ftLine) used(rows uint8) {
	if l.rows|rows != l.rows {
		ftOr8(&l.rows, rows)
	}
}

// marked notes that a reset of the line has to look at more than cells.
//
//go:nosplit
func (l *ftLine) marked(m uint8) {
	if l.marks&m == 0 {
		ftOr8(&l.marks, m)
	}
}

// ftMark notes that a synchronisation object is at addr.
func ftMark(addr uintptr) {
	if ftCellOf(addr&^7) == nil {
		return
	}
	w := addr >> 3 & (ftWords - 1)
	ftOr64(&ftInfos[addr>>ftBlockShift].sync[w/64], 1<<(w%64))
	ftLineOf(addr).marked(ftMarkSync)
}

// ftReset makes [addr, addr+n) new locations (ON2).
func ftReset(addr, n uintptr) {
	for n > 0 {
		k := min(n, 1<<ftBlockShift-addr&(1<<ftBlockShift-1))
		if in := ftInfos[addr>>ftBlockShift]; in != nil {
			in.touch(addr, k)
			if k >= ftLarge {
				in.release(addr, k)
			}
			in.reset(addr, k)
		}
		addr, n = addr+k, n-k
	}
}

// touch writes to the page of cells that begins in a small object. A read first would map the page
// of zeros, which a later write replaces, with an interrupt of all processors.
func (in *ftInfo) touch(addr, n uintptr) {
	const small = ftCellPage / 2
	at := (addr + n - 1) &^ (ftCellPage - 1)
	if n > small || at < addr || in.lines[at>>ftLineShift&(ftLineCount-1)].rows&1 != 0 {
		return
	}
	if c := ftCellAt(at); c != nil { // the block may be mapped this moment
		ftCas64(&c.w, 0, 0) // others may have begun to use the rest of the word
	}
}

// reset is ftReset within a block. Where nothing has been used, which is most often, it looks at
// four lines at a time.
func (in *ftInfo) reset(addr, n uintptr) {
	const size = 1 << ftLineShift
	for end := addr + n; addr < end; {
		l := &in.lines[addr>>ftLineShift&(ftLineCount-1)]
		k := min(end-addr, size-addr&(size-1))
		switch {
		case addr&(4*size-1) == 0 && end-addr >= 4*size && *(*uint64)(unsafe.Pointer(l)) == 0:
			k = 4 * size
		case l.rows|l.marks != 0:
			in.resetLine(l, addr, k)
		}
		addr += k
	}
}

func (in *ftInfo) resetLine(l *ftLine, addr, n uintptr) {
	first, last := addr>>3&(ftWords-1), (addr+n-1)>>3&(ftWords-1)
	if n == 1<<ftLineShift && l.marks&ftMarkHistory == 0 {
		ftClear(unsafe.Pointer(ftCellAt(addr)), n>>3*unsafe.Sizeof(ftCell{}))
		if l.marks&ftMarkInside != 0 { // else the page may not be in use
			in.none(addr)
		}
	} else {
		for i := first; i <= last; i++ {
			from, to := uintptr(0), uintptr(8)
			if i == first {
				from = addr & 7
			}
			if end := (addr + n) & 7; i == last && end != 0 {
				to = end
			}
			locs := ftLocsOf(from, to)
			if word := addr&^(1<<ftBlockShift-1) | i<<3; locs == ftAllLocs && l.marks&ftMarkHistory == 0 {
				*ftCellAt(word) = ftCell{}
				ftSetGroups(&in.groups[i], 0)
			} else {
				ftForget(word, locs)
			}
		}
	}
	if l.marks&ftMarkSync != 0 {
		in.resetSync(first, last, addr, n)
	}
	if n == 1<<ftLineShift {
		ftFreeRows(addr, l.rows)
		*l = ftLine{}
	}
}

// none makes the cells inside the words of a line count no more.
func (in *ftInfo) none(addr uintptr) {
	*(*[ftGroupLen]ftGroups)(unsafe.Pointer(&in.groups[addr>>3&(ftWords-ftGroupLen)])) = [ftGroupLen]ftGroups{}
}

// ftForget makes locations of a word new. Others may have the rest of it.
func ftForget(word uintptr, locs ftLocs) {
	c, in := ftCellAt(word), ftGroupsOf(word)
	if c.w|c.r == 0 && *in == 0 {
		return
	}
	w := c.hold()
	c.gather(&ftNobody)
	if locs&1 != 0 && *in != 0 {
		ftIsolate(c, w, word, 1)
	}
	m := *in
	for rest := m.apart() & locs; rest != 0; {
		p := m.of(rest)
		all := m.members(p)
		if d := ftHistoryOf(ftGroupCell(word, p).r); d != nil && all&^locs == 0 {
			d.free()
		}
		rest &^= all
	}
	ftSetGroups(in, m.set(locs, 0))
	if locs&1 != 0 {
		if d := ftHistoryOf(c.r); d != nil {
			d.free()
		}
		ftStore64(&c.r, 0)
		w = 0
	} else {
		w &^= ftFull
		c.notWhole()
	}
	ftStore64(&c.w, w)
}

// notWhole makes of reads of a word, whose cell is held, those of its first location: some others
// are new. It has been accessed as a whole when it was one object, so all is of that.
func (c *ftCell) notWhole() {
	d := ftHistoryOf(c.r)
	if d == nil {
		ftStore64(&c.r, c.r&^ftFull)
		return
	}
	for i := uint32(0); i < d.n; i++ {
		if ftWholeRead(d.list[i]) {
			d.list[i] &^= ftKindMask
		}
	}
}

// resetSync forgets the synchronisation objects in [addr, addr+n), the words first to last of the
// block.
func (in *ftInfo) resetSync(first, last, addr, n uintptr) {
	for i := first; i <= last; i++ {
		if b := uint64(1) << (i % 64); in.sync[i/64]&b != 0 {
			ftAnd64(&in.sync[i/64], ^b)
			ftForgetObjects(addr&^(1<<ftBlockShift-1)|i<<3, addr, n)
		}
	}
}
