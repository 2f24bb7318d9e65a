package online

import "unsafe"

// Shadow memory: 16 bytes for eight of the program's, mapped in blocks and found by a directory of one level.
//
// A block covers 64 MiB. For each of the eight bytes of a word it has a plane of cells, all of which but the first (the cell of the word's
// first byte) are mapped when somebody accesses what begins there. So []int64 costs twice its size and []int32 four times.

const (
	ftBlockShift = 26
	ftPlaneShift = 47 - ftBlockShift // of the directory's index
	ftPlaneSize  = 1 << (ftBlockShift + 1)
	ftWords      = 1 << (ftBlockShift - 3)
	ftLineShift  = 6 // lines of the program's memory, for ftLine
	ftLineCount  = 1 << (ftBlockShift - ftLineShift)
)

// A ftCell is W and R of a location.
type ftCell struct {
	_    ftOff
	w, r uint64
}

// ftCells is the directory: planes of cells by plane and block; 0: not mapped.
var ftCells *[8 << ftPlaneShift]*[ftWords]ftCell

// ftInfo is what is known of the lines of a block.
type ftInfo struct {
	_      ftOff
	lines  [ftLineCount]ftLine
	sync   [ftWords / 64]uint64 // bit: a synchronisation object is there
	inside [ftWords]uint8       // bit k of a word: its cell of plane k counts. Changed under the lock of the word's cell
}

// A ftLine says what a reset has to look at in 64 bytes of the program's, and which cells inside words a whole word has: bit k, those
// of plane k have been used. Other objects may begin in the line, so bits are set one by one.
type ftLine struct {
	_      ftOff
	planes uint8
	marks  uint8
}

const (
	ftMarkCrowd = 1 << iota // cells with crowds
	ftMarkSync              // synchronisation objects
)

var ftInfos *[1 << ftPlaneShift]*ftInfo

var ftMapLock uint32

func ftInitShadow() {
	ftCells = (*[8 << ftPlaneShift]*[ftWords]ftCell)(ftMap(8 << (ftPlaneShift + 3)))
	ftInfos = (*[1 << ftPlaneShift]*ftInfo)(ftMap(8 << ftPlaneShift))
}

// ftCellAt returns the cell of the location that begins at addr, nil if there is none yet.
//
//go:nosplit
func ftCellAt(addr uintptr) *ftCell {
	if addr>>47 != 0 {
		return nil
	}
	p := ftCells[(addr>>ftBlockShift|(addr&7)<<ftPlaneShift)&(8<<ftPlaneShift-1)]
	if p == nil {
		return nil
	}
	return &p[addr>>3&(ftWords-1)]
}

// ftCellInside returns the cell of the first of some locations inside a word, nil if there is none yet.
//
//go:nosplit
func ftCellInside(word uintptr, locs uint8) *ftCell { return ftCellAt(word + ftLowest(locs)) }

// ftCellOf makes it, and returns nil if its memory is none of the program's.
func ftCellOf(addr uintptr) *ftCell {
	if addr>>47 != 0 {
		return nil
	}
	p := ftCells[addr>>ftBlockShift|(addr&7)<<ftPlaneShift]
	if p == nil {
		if p = ftMapPlane(addr); p == nil {
			return nil
		}
	}
	return &p[addr>>3&(ftWords-1)]
}

// ftMapPlane maps the cells of addr's block and plane.
func ftMapPlane(addr uintptr) *[ftWords]ftCell {
	if !ftMine(addr) {
		return nil
	}
	ftLock(&ftMapLock)
	defer ftUnlock(&ftMapLock)
	i := addr>>ftBlockShift | (addr&7)<<ftPlaneShift
	if ftCells[i] == nil {
		if k := addr >> ftBlockShift; ftInfos[k] == nil {
			ftInfos[k] = (*ftInfo)(ftMap(unsafe.Sizeof(ftInfo{})))
		}
		ftCells[i] = (*[ftWords]ftCell)(ftMap(ftPlaneSize))
	}
	return ftCells[i]
}

// ftLineOf returns what is known of addr's line; its block has cells.
//
//go:nosplit
func ftLineOf(addr uintptr) *ftLine {
	return &ftInfos[addr>>ftBlockShift&(1<<ftPlaneShift-1)].lines[addr>>ftLineShift&(ftLineCount-1)]
}

// used notes that cells of planes are in use.
//
//go:nosplit
func (l *ftLine) used(planes uint8) {
	if l.planes|planes != l.planes {
		ftOr8(&l.planes, planes)
	}
}

// ftInsideOf returns which cells inside addr's word count; its block has cells.
//
//go:nosplit
func ftInsideOf(addr uintptr) *uint8 {
	return &ftInfos[addr>>ftBlockShift&(1<<ftPlaneShift-1)].inside[addr>>3&(ftWords-1)]
}

// marked notes that a reset of the line has to look at more than cells.
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

// ftReset makes [addr, addr+n) new locations (R14).
func ftReset(addr, n uintptr) {
	for n > 0 {
		k := min(n, 1<<ftBlockShift-addr&(1<<ftBlockShift-1))
		if in := ftInfos[addr>>ftBlockShift]; in != nil {
			if k >= ftLarge {
				in.release(addr, k)
			}
			in.reset(addr, k)
		}
		addr, n = addr+k, n-k
	}
}

// reset is ftReset within a block. Where nothing has been used, which is most often, it looks at four lines at a time.
func (in *ftInfo) reset(addr, n uintptr) {
	const size = 1 << ftLineShift
	for end := addr + n; addr < end; {
		l := &in.lines[addr>>ftLineShift&(ftLineCount-1)]
		k := min(end-addr, size-addr&(size-1))
		switch {
		case addr&(4*size-1) == 0 && end-addr >= 4*size && *(*uint64)(unsafe.Pointer(l)) == 0:
			k = 4 * size
		case l.planes|l.marks != 0:
			in.resetLine(l, addr, k)
		}
		addr += k
	}
}

func (in *ftInfo) resetLine(l *ftLine, addr, n uintptr) {
	first, last := addr>>3&(ftWords-1), (addr+n-1)>>3&(ftWords-1)
	if n == 1<<ftLineShift && l.marks&ftMarkCrowd == 0 {
		ftClear(unsafe.Pointer(ftCellAt(addr)), n>>3*unsafe.Sizeof(ftCell{}))
		if l.planes&^1 != 0 { // else the page may not be in use
			*(*uint64)(unsafe.Pointer(&in.inside[first])) = 0
		}
	} else {
		for i := first; i <= last; i++ {
			locs := uint8(0xff)
			if i == first {
				locs = locs >> (addr & 7) << (addr & 7)
			}
			if end := (addr + n) & 7; i == last && end != 0 {
				locs &= 1<<end - 1
			}
			if word := addr&^(1<<ftBlockShift-1) | i<<3; locs == 0xff && l.marks&ftMarkCrowd == 0 {
				*ftCellAt(word) = ftCell{}
				if in.inside[i] != 0 {
					in.inside[i] = 0
				}
			} else {
				ftForget(word, locs)
			}
		}
	}
	if l.marks&ftMarkSync != 0 {
		in.resetSync(first, last, addr, n)
	}
	if n == 1<<ftLineShift {
		*l = ftLine{}
	}
}

// ftForget makes locations of a word new. Others may have the rest of it.
func ftForget(word uintptr, locs uint8) {
	c, inside := ftCellAt(word), ftInsideOf(word)
	if c.w|c.r == 0 && *inside == 0 {
		return
	}
	w := c.hold()
	for m := *inside & locs; m != 0; m &= m - 1 {
		if d := ftCrowdOf(ftCellInside(word, m).r); d != nil {
			d.free()
		}
	}
	if *inside&locs != 0 {
		*inside &^= locs
	}
	if locs&1 != 0 {
		if d := ftCrowdOf(c.r); d != nil {
			d.free()
		}
		ftStore64(&c.r, 0)
		w = 0
	}
	ftStore64(&c.w, w)
}

// resetSync forgets the synchronisation objects in [addr, addr+n), the words first to last of the block.
func (in *ftInfo) resetSync(first, last, addr, n uintptr) {
	for i := first; i <= last; i++ {
		if b := uint64(1) << (i % 64); in.sync[i/64]&b != 0 {
			ftAnd64(&in.sync[i/64], ^b)
			ftForgetObjects(addr&^(1<<ftBlockShift-1)|i<<3, addr, n)
		}
	}
}
