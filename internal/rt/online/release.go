package online

import "unsafe"

const (
	ftLarge    = 32 << 10 // a large object: what the allocator has whole pages for
	ftCellPage = 1 << 11  // bytes of the program whose cells are a page
)

// release gives back the pages of cells of a large object, [addr, addr+n) of one block, in the planes of which few lines are in use. To clear them would keep
// them, and others come into use with every object that has the memory: in the end all of them.
func (in *ftInfo) release(addr, n uintptr) {
	lo, hi := (addr+ftCellPage-1)&^(ftCellPage-1), (addr+n)&^(ftCellPage-1)
	lines := in.lines[lo>>ftLineShift&(ftLineCount-1):][:(hi-lo)>>ftLineShift]
	var used [8]int
	for i := range lines {
		l := &lines[i]
		if at := lo + uintptr(i)<<ftLineShift; l.marks != 0 {
			in.resetLine(l, at, 1<<ftLineShift)
		} else if l.planes&^1 != 0 {
			*(*uint64)(unsafe.Pointer(ftInsideOf(at))) = 0
		}
		for k := uintptr(0); l.planes>>k != 0; k++ {
			used[k] += int(l.planes >> k & 1)
		}
	}
	for k, u := range used {
		if u == 0 || u > len(lines)/4 {
			continue
		}
		cells := ftCells[addr>>ftBlockShift|uintptr(k)<<ftPlaneShift]
		ftDiscard(unsafe.Pointer(&cells[lo>>3&(ftWords-1)]), (hi-lo)>>3*unsafe.Sizeof(ftCell{}))
		for i := range lines {
			lines[i].planes &^= 1 << k
		}
	}
}
