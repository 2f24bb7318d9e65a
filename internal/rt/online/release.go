package online

import "unsafe"

const (
	ftLarge    = 32 << 10 // a large object: what the allocator has whole pages for
	ftCellPage = 1 << 11  // bytes of the program whose cells are a page
)

// release gives back the pages of cells of a large object, [addr, addr+n) of one block, of which few lines are in use. To clear them would keep
// them, and others come into use with every object that has the memory: in the end all of them.
func (in *ftInfo) release(addr, n uintptr) {
	lo, hi := (addr+ftCellPage-1)&^(ftCellPage-1), (addr+n)&^(ftCellPage-1)
	lines := in.lines[lo>>ftLineShift&(ftLineCount-1):][:(hi-lo)>>ftLineShift]
	used := 0
	for i := range lines {
		l := &lines[i]
		if l.rows|l.marks != 0 {
			used++
		}
		if l.rows&^1|l.marks != 0 {
			in.resetLine(l, lo+uintptr(i)<<ftLineShift, 1<<ftLineShift)
		}
	}
	if used == 0 || used > len(lines)/4 {
		return
	}
	ftDiscard(unsafe.Pointer(ftCellAt(lo)), (hi-lo)>>3*unsafe.Sizeof(ftCell{}))
	for i := range lines {
		lines[i].rows = 0
	}
}
