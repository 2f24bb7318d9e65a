package online

import "unsafe"

// Atomic operations: (CL7) and (FT1). An operation takes effect, and its object's clocks are used,
// under the lock of its cell, whose history refers to the object. So there is one lock, which the
// access needs anyway. Where there is no cell (memory that is not the program's), it is the lock of
// the object's table.

// ftOperation is an atomic operation in the making.
type ftOperation struct {
	_ ftOff
	c *ftCell    // of the word, locked; nil: the table is
	w uint64     // of c
	o *ftObject  // nil: there is none, and nothing to acquire
	d *ftHistory // of the location; nil: it has none
}

// ftNoObject stands in the history of a location that no operation has released to.
var ftNoObject ftObject

// opens begins an operation at a.addr. c is the cell of the word, nil if there is none yet. makes:
// the operation may release, so it makes an object if there is none.
//
// If several threads use one location, most of the time is the transfer of its cache lines between
// cores. So the cell is fetched once, for writing, and not read before.
func (g *ftG) opens(a *ftAccess, c *ftCell, makes bool) {
	if c != nil && g.slot != 0 {
		w := ftSwap64(&c.w, ftLockBit) // the holder of the lock keeps W, and stores it back
		if w&ftLockBit != 0 {
			w = c.hold()
		}
		if h := g.hints.at(a.addr); h.c == c {
			ftWanted(a.addr, ftToInt(unsafe.Pointer(h.d)), ftToInt(unsafe.Pointer(h.o)), ftToInt(unsafe.Pointer(h.root)))
		}
		if d := c.history(a.addr); d != nil && d.o != nil {
			switch {
			case d.o != &ftNoObject:
				g.op = ftOperation{c: c, w: w, o: d.o, d: d}
				return
			case !makes:
				g.op = ftOperation{c: c, w: w, d: d}
				return
			}
		}
		ftStore64(&c.w, w)
	}
	g.opensFirst(a, makes)
}

// ftHint is the addresses that the last operation at a word used, when another goroutine had been
// there before: four cache lines, each with the address of the next. They are fetched at once,
// after the cell is locked, because its holder needs them until then. A hint may be outdated,
// which is safe, since no memory of the detector is given back to the system.
type ftHint struct {
	_    ftOff
	c    *ftCell
	d    *ftHistory
	o    *ftObject
	root *ftNode
}

// ftHints are those of a goroutine, by word.
type ftHints [4]ftHint

func (h *ftHints) at(addr uintptr) *ftHint { return &h[(addr>>3^addr>>6)&3] }

// opensFirst is opens where the object must be looked up. The history notes it under both locks, so
// that a note of none is corrected when an object is made.
func (g *ftG) opensFirst(a *ftAccess, makes bool) {
	if g.slot == 0 {
		g.arrive()
	}
	c := ftCellOf(a.addr &^ 7)
	t := ftLockTable(a.addr)
	var o *ftObject
	if makes {
		o = t.at(ftAtomicClass, a.addr)
	} else {
		o = t.there(ftAtomicClass, a.addr)
	}
	if g.op = (ftOperation{c: c, o: o}); c == nil {
		return
	}
	g.op.w = c.hold()
	if g.op.d = c.history(a.addr); g.op.d != nil {
		g.op.d.knows(o)
	}
	ftUnlockTable(a.addr)
}

// history returns that of the location at addr alone, of the word whose cell c is held; nil if it
// has none.
func (c *ftCell) history(addr uintptr) *ftHistory {
	if addr&7 == 0 && *ftGroupsOf(addr) == 0 {
		return ftHistoryOf(c.r)
	}
	_, _, r := c.only(addr, 0)
	return ftHistoryOf(r)
}

// knows notes the object of a location.
func (c *ftHistory) knows(o *ftObject) {
	if c.o = o; o == nil {
		c.o = &ftNoObject
	}
}

// completes ends an operation that has taken effect. A CompareAndSwap that fails has the kind of a
// write, and does not release.
func (g *ftG) completes(a *ftAccess, acquires, releases bool) {
	o, c, w, d := g.op.o, g.op.c, g.op.w, g.op.d
	released := false
	if acquires && o != nil && !o.w.own(&g.ftThread) {
		if released = releases && o.w.bothFew(&g.ftThread); !released {
			o.w.acquire(&g.ftThread)
		}
		*g.hints.at(a.addr) = ftHint{c: c, d: d, o: o, root: o.w.vc.root}
	}
	if c != nil && g.slot != 0 {
		g.acted = g.clock
		g.stats.atomic++
		if d == nil || !g.recallsFor(c, w, a) || !d.quick(&g.ftThread, a.kind, g.epoch|uint64(a.kind)<<ftKindShift|a.site&ftSiteMask) {
			g.atomically(a)
		}
	}
	if releases && !released {
		o.w.put(&g.ftThread)
	}
	if c == nil {
		ftUnlockTable(a.addr)
	} else {
		ftStore64(&c.w, w)
	}
	if releases { // after the unlock: no other goroutine waits for it
		g.tick()
	}
}

// recallsFor reports whether an atomic access need not be checked against plain ones, but those in
// its history: they are known. The word's cell is held and has w.
func (t *ftThread) recallsFor(c *ftCell, w uint64, a *ftAccess) bool {
	if a.site&ftFull != 0 {
		return false
	}
	if a.addr&7 != 0 {
		if w&ftFull != 0 && !t.recalls(w) || a.kind == ftAtomicWrites && !t.recallsWhole(c.r) {
			return false
		}
		_, w, _ = c.only(a.addr, w)
	}
	return w == 0 || t.recalls(w)
}

// own reports whether t released to r last. Then r has nothing that t does not know.
func (r *ftRel) own(t *ftThread) bool {
	return r.slot != 0 && r.slot == t.slot && r.clock >= t.who.first
}

// atomically takes the access by the rule. The word's cell is held.
func (g *ftG) atomically(a *ftAccess) {
	c := g.op.c
	g.held(c, g.op.w, a, ftLineOf(a.addr))
	c.history(a.addr).knows(g.op.o)
}
