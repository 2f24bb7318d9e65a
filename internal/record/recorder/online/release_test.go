//go:build linux

package online

import (
	"os"
	"syscall"
	"testing"
	"unsafe"
)

// TestLargeObjects: memory that is allocated anew as a large object has new cells, and the pages of
// those of which few were used are given back.
func TestLargeObjects(t *testing.T) {
	ftInitSlots()
	ftInitShadow()
	g := new(ftG)
	g.start(nil, ftWho{})
	defer g.end()
	const base, size = 1<<30 + 3*4096, 128 << 10
	used := []uintptr{base, base + 5, base + 40961, base + 65536, base + size - 8, base + size - 1}
	dense := uintptr(base + 2) // what begins inside words is in use all over
	history := uintptr(base + 90000)
	h := new(ftG)
	h.start(nil, ftWho{})
	defer h.end()
	for range 3 {
		for _, a := range used {
			g.access(&ftAccess{addr: a, kind: ftWrites, site: 1})
		}
		for a := dense; a < base+size; a += 8 {
			g.access(&ftAccess{addr: a, kind: ftWrites, site: 1})
		}
		g.access(&ftAccess{addr: history, kind: ftReads, site: 1})
		h.access(&ftAccess{addr: history, kind: ftReads, site: 1})
		page, row := resident(t, ftCellOf(base+65536)), *ftRowOf(base+65536, 1) != nil
		ftReset(base, size)
		for _, a := range append([]uintptr{dense, base + size - 6, history}, used...) {
			c := ftCellOf(a &^ 7)
			if d, w, r := c.only(a, c.w); d != nil && w|r != 0 || d == nil && *ftGroupsOf(a) != 0 {
				t.Errorf("the cell of %#x is not new", a-base)
			}
		}
		if now := resident(t, ftCellOf(base+65536)); !page || !row || !now {
			t.Errorf("in use, the cells are there: %v, those inside words: %v; after the reset %v; want all", page, row, now)
		}
		if *ftRowOf(base+65536, 1) != nil {
			t.Error("cells inside words of what is new are kept")
		}
		ftReset(base, size)
		g.access(&ftAccess{addr: base + 65536, kind: ftWrites, site: 1})
		ftReset(base, size)
		if resident(t, ftCellOf(base+65536)) {
			t.Error("a page of which one cell was used is not given back")
		}
		const inside = base + 65539
		g.access(&ftAccess{addr: inside, kind: ftWrites, site: 1})
		g.access(&ftAccess{addr: inside + 2, kind: ftWrites, site: 2})
		group, rows := resident(t, ftGroupsOf(inside)), resident(t, ftRowOf(inside&^7, 1))
		ftReset(base, size)
		if groupNow, rowsNow := resident(t, ftGroupsOf(inside)), resident(t, ftRowOf(inside&^7, 1)); !group || !rows || groupNow || rowsNow {
			t.Errorf("of what is inside one word, the pages are there: %v, %v; after the reset %v, %v", group, rows, groupNow, rowsNow)
		}
	}
}

func page[T any](p *T) uintptr { return uintptr(unsafe.Pointer(p)) &^ uintptr(os.Getpagesize()-1) }

// resident reports whether the page of what p points to takes memory.
func resident[T any](t *testing.T, p *T) bool {
	var b byte
	if _, _, e := syscall.Syscall(syscall.SYS_MINCORE, page(p), uintptr(os.Getpagesize()), uintptr(unsafe.Pointer(&b))); e != 0 {
		t.Fatal(e)
	}
	return b&1 != 0
}
