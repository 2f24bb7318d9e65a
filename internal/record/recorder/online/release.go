package online

import "unsafe"

const (
	ftLarge    = 32 << 10 // a large object: what the allocator has whole pages for
	ftCellPage = 1 << 11  // bytes of the program whose cells are a page
)

// release gives back the pages of shadow of a large object, [addr, addr+n) of one block, of which
// few lines are in use. To clear them would keep them, and others come into use with every object
// that has the memory: in the end all of them.
func (in *ftInfo) release(addr, n uintptr) {
	lo, hi := (addr+ftCellPage-1)&^(ftCellPage-1), (addr+n)&^(ftCellPage-1)
	lines := in.lines[lo>>ftLineShift&(ftLineCount-1):][:(hi-lo)>>ftLineShift]
	used, rows, marks := 0, uint8(0), uint8(0)
	for i := range lines {
		l := &lines[i]
		rows |= l.rows
		marks |= l.marks
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
	in.discard(lo, hi-lo, rows, marks)
	for i := range lines {
		lines[i].rows = 0
	}
}

// discard makes the cells of [addr, addr+n) zero, which is of one block and of whole pages of
// cells, and gives back what they take. Where anything inside words is, or a row, all of that is
// zero already, and its pages are given back that are of these addresses alone. rows and marks are
// what their lines have, or had.
func (in *ftInfo) discard(addr, n uintptr, rows, marks uint8) {
	ftDiscard(unsafe.Pointer(ftCellAt(addr)), n>>3*unsafe.Sizeof(ftCell{}))
	if marks&ftMarkInside == 0 {
		return
	}
	ftDiscardWithin(unsafe.Pointer(&in.groups[addr>>3&(ftWords-1)]), n>>3*unsafe.Sizeof(in.groups[0]))
	for p := 1; rows>>p != 0; p++ {
		if rows>>p&1 != 0 {
			ftDiscardWithin(unsafe.Pointer(&in.rows[p][addr>>ftLineShift&(ftLineCount-1)]), n>>ftLineShift*unsafe.Sizeof(in.rows[0][0]))
		}
	}
}

// ftDiscardWithin gives back the pages that lie in n bytes.
func ftDiscardWithin(p unsafe.Pointer, n uintptr) {
	const page = 1 << 12
	at := ftToInt(p)
	lo, hi := (at+page-1)&^(page-1), (at+n)&^(page-1)
	if lo < hi {
		ftDiscard(ftFromInt(lo), hi-lo)
	}
}
