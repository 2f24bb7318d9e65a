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
	ftPageShift  = 12 // pages of the program's memory, for ftPages
	ftPageCount  = 1 << (ftBlockShift - ftPageShift)
)

// A ftCell is W and R of a location.
type ftCell struct {
	_    ftOff
	w, r uint64
}

// ftCells is the directory: planes of cells by plane and block; 0: not mapped.
var ftCells *[8 << ftPlaneShift]*[ftWords]ftCell

// ftInfo is what is known of the pages of a block.
type ftInfo struct {
	_     ftOff
	pages [ftPageCount]ftPage
	sync  [ftWords / 64]uint64 // bit: a synchronisation object is there
}

// A ftPage says what a reset has to look at: bit 0, cells of plane 0 have been used; bit k, those of plane k.
type ftPage struct {
	_      ftOff
	planes uint8
	crowds uint8 // 1: cells with crowds
	sync   uint8 // 1: synchronisation objects
}

var ftInfos *[1 << ftPlaneShift]*ftInfo

var ftMapLock uint32

func ftInitShadow() {
	ftCells = (*[8 << ftPlaneShift]*[ftWords]ftCell)(ftMap(8 << (ftPlaneShift + 3)))
	ftInfos = (*[1 << ftPlaneShift]*ftInfo)(ftMap(8 << ftPlaneShift))
}

// ftCellOf returns the cell of the location that begins at addr, nil if its memory is none of the program's.
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

// ftPageOf returns what is known of addr's page; its block has cells.
func ftPageOf(addr uintptr) *ftPage {
	return &ftInfos[addr>>ftBlockShift].pages[addr>>ftPageShift&(ftPageCount-1)]
}

// ftMark notes that a synchronisation object is at addr.
func ftMark(addr uintptr) {
	if ftCellOf(addr&^7) == nil {
		return
	}
	w := addr >> 3 & (ftWords - 1)
	ftOr64(&ftInfos[addr>>ftBlockShift].sync[w/64], 1<<(w%64))
	ftPageOf(addr).sync = 1
}

// ftReset makes [addr, addr+n) new locations (R14).
func ftReset(addr, n uintptr) {
	for n > 0 {
		k := min(n, 1<<ftPageShift-addr&(1<<ftPageShift-1))
		if in := ftInfos[addr>>ftBlockShift]; in != nil {
			if p := &in.pages[addr>>ftPageShift&(ftPageCount-1)]; p.planes|p.crowds|p.sync != 0 {
				in.reset(p, addr, k)
			}
		}
		addr, n = addr+k, n-k
	}
}

// reset is ftReset within a page.
func (in *ftInfo) reset(p *ftPage, addr, n uintptr) {
	first, last := addr>>3&(ftWords-1), (addr+n-1)>>3&(ftWords-1)
	for k := uintptr(0); k < 8; k++ {
		if p.planes>>k&1 == 0 {
			continue
		}
		a, b := first, last
		if a<<3|k < addr&(1<<ftBlockShift-1) {
			a++
		}
		if (b<<3 | k) > (addr+n-1)&(1<<ftBlockShift-1) {
			b--
		}
		if int(b) < int(a) {
			continue
		}
		cells := ftCells[addr>>ftBlockShift|k<<ftPlaneShift]
		if p.crowds != 0 {
			for i := a; i <= b; i++ {
				cells[i].forget()
			}
		} else {
			ftClear(unsafe.Pointer(&cells[a]), (b-a+1)*unsafe.Sizeof(ftCell{}))
		}
	}
	if p.sync != 0 {
		for i := first; i <= last; i++ {
			if b := uint64(1) << (i % 64); in.sync[i/64]&b != 0 {
				ftAnd64(&in.sync[i/64], ^b)
				for a := (addr&^(1<<ftBlockShift-1) | i<<3); a < addr&^(1<<ftBlockShift-1)|i<<3+8; a++ {
					if a-addr < n {
						ftForgetObjects(a)
					}
				}
			}
		}
	}
	if n == 1<<ftPageShift {
		*p = ftPage{}
	}
}
