package online

// What begins inside a word (R15). The lock of the word's cell is that of the cells inside it. Which of those count is said by ftInfo.inside: the others
// have what was there before, so to make them new they need not be looked at.

// of returns W and R of the first of some locations inside a word.
//
//go:nosplit
func (d *ftCell) of(inside, locs uint8) (w, r uint64) {
	if inside&locs&-locs == 0 {
		return 0, 0
	}
	return d.w, d.r
}

// against checks an access of a location inside a word against the last accesses of the whole word, whose cell is held and has w.
func (g *ftG) against(c *ftCell, w uint64, a *ftAccess) {
	if w&ftFull != 0 {
		g.check(w, ftWrites, a)
	}
	if !ftConflict(ftReads, a.kind) {
		return
	}
	if d := ftCrowdOf(c.r); d != nil {
		for i := uint32(0); i < d.n; i++ {
			if e := d.list[i]; ftWholeRead(e) {
				g.check(e, ftReads, a)
			}
		}
	} else if c.r&ftFull != 0 {
		g.check(c.r, ftReads, a)
	}
}

// ofInside takes an access to the cell of a location inside a word.
func (g *ftG) ofInside(a *ftAccess, l *ftLine) {
	d, inside, bit := ftCellOf(a.addr), ftInsideOf(a.addr), uint8(1)<<(a.addr&7)
	w, r := d.of(*inside, bit)
	w, r = g.rule(w, r, a, l)
	d.put(w, r, inside, bit)
}

// put makes a cell inside a word count, with w and r. Who looks at it without the lock asks first whether it counts.
//
//go:nosplit
func (d *ftCell) put(w, r uint64, inside *uint8, bit uint8) {
	ftStore64(&d.w, w)
	ftStore64(&d.r, r)
	if *inside&bit == 0 {
		*inside |= bit
	}
}

// within checks an access of a whole word against the cells inside it. After a write they count no more.
func (g *ftG) within(a *ftAccess, inside uint8) {
	for m := inside; m != 0; m &= m - 1 {
		d, b := ftCellInside(a.addr, m), *a
		b.addr += ftLowest(m)
		g.check(d.w, ftWrites, &b)
		c := ftCrowdOf(d.r)
		switch {
		case c != nil:
			for i := uint32(0); i < c.n; i++ {
				if k := ftKindOf(c.list[i]); ftConflict(k, a.kind) {
					g.check(c.list[i], k, &b)
				}
			}
			if a.kind == ftWrites {
				c.free()
			}
		case a.kind == ftWrites:
			g.check(d.r, ftReads, &b)
		}
	}
}

// each takes an atomic access of a whole word to each of the locations inside it.
func (g *ftG) each(a *ftAccess, l *ftLine) {
	for m := l.planes &^ 1; m != 0; m &= m - 1 {
		b := *a
		b.addr, b.site = a.addr+ftLowest(m), a.site&^ftFull
		g.ofInside(&b, l)
	}
}

// keepWhole gives to the cells inside a word what an access of its first location alone replaces that was of the whole word.
func (g *ftG) keepWhole(c *ftCell, w uint64, a *ftAccess, l *ftLine) {
	if a.kind != ftReads && a.kind != ftWrites {
		return // replaces none
	}
	w, r := g.replaced(w, c.r, a.kind)
	g.toInside(a.addr, w, r, l)
	if d := ftCrowdOf(c.r); d != nil && a.kind == ftWrites {
		for i := uint32(0); i < d.n; i++ {
			if e := d.list[i]; ftWholeRead(e) {
				g.toInside(a.addr, 0, e&^ftKindMask, l)
			}
		}
	}
}

// toInside gives a write and a read of a whole word to the cells inside it.
func (g *ftG) toInside(word uintptr, w, r uint64, l *ftLine) {
	if w|r == 0 || g.quickToInside(word, l.planes&^1, w, r) {
		return
	}
	for m := l.planes &^ 1; m != 0; m &= m - 1 {
		d := ftCellOf(word + ftLowest(m))
		_, own := d.of(*ftInsideOf(word), m)
		switch c := ftCrowdOf(own); {
		case g.quickToInside(word, m&-m, w, r):
		case c != nil:
			ftStore64(&d.r, c.add(g, r&^ftKindMask).word())
		default:
			c = ftNewCrowd(ftFirstCrowd)
			c.first(own)
			l.marked(ftMarkCrowd)
			ftStore64(&d.r, c.add(g, r&^ftKindMask).word())
		}
	}
}

// quickToInside is toInside where no memory is needed. A cell that counts has been written to after the whole word, or has no W.
//
//go:nosplit
func (g *ftG) quickToInside(word uintptr, planes uint8, w, r uint64) bool {
	inside := ftInsideOf(word)
	w, r = w&^(ftFull|ftLockBit), r&^ftFull
	for m := planes; m != 0; m &= m - 1 {
		d := ftCellInside(word, m)
		if d == nil {
			return false
		}
		dw, dr := d.of(*inside, m)
		if dw == 0 {
			dw = w
		}
		switch {
		case r == 0:
		case dr == 0 || dr>>ftSlotShift == r>>ftSlotShift && dr < r:
			dr = r
		case dr>>ftSlotShift != r>>ftSlotShift:
			return false
		}
		d.put(dw, dr, inside, m&-m)
	}
	return true
}

// quickInside is quick for some locations inside a word.
//
//go:nosplit
func (g *ftG) quickInside(word uintptr, locs uint8, site uint64, kind uint8) bool {
	c := ftCellAt(word)
	if c == nil || g.slot == 0 {
		return false
	}
	w := ftLoad64(&c.w)
	if w&ftFull != 0 && g.same(w) || kind == ftReads && c.read(g) {
		g.stats.dropped(kind, locs)
		return true
	}
	if w&ftLockBit != 0 || w&ftFull != 0 && !g.recalls(w) || !ftCas64(&c.w, w, w|ftLockBit) {
		return false
	}
	g.acted = g.clock
	ftLineOf(word).used(locs)
	ok := kind == ftReads || g.recallsWhole(c.r)
	for ; locs != 0 && ok; locs &= locs - 1 {
		ok = g.quickOne(word, locs&-locs, site, kind)
	}
	ftStore64(&c.w, w)
	return ok
}

// quickOne takes an access to the cell of one location inside a word whose cell is held.
//
//go:nosplit
func (g *ftG) quickOne(word uintptr, bit uint8, site uint64, kind uint8) bool {
	d := ftCellInside(word, bit)
	if d == nil {
		return false
	}
	if inside := ftInsideOf(word); *inside&bit == 0 {
		d.put(0, 0, inside, bit)
	}
	if d.w != 0 && !g.recalls(d.w) {
		return false
	}
	if c := ftCrowdOf(d.r); c != nil {
		return kind == ftReads && c.quick(g, kind, g.epoch|site)
	}
	w, r, ok := g.quickRule(d.w, d.r, site, kind)
	ftStore64(&d.w, w)
	ftStore64(&d.r, r)
	return ok
}

// dropped counts accesses of some locations that were dropped.
//
//go:nosplit
func (t *ftStats) dropped(kind, locs uint8) {
	n := int64(0)
	for ; locs != 0; locs &= locs - 1 {
		n++
	}
	if kind == ftReads {
		t.readSameEpoch += n
	} else {
		t.writeSameEpoch += n
	}
}

// quickWithin is within, where all checks succeed and no memory is given back.
//
//go:nosplit
func (g *ftG) quickWithin(word uintptr, inside, kind uint8) bool {
	for m := inside; m != 0; m &= m - 1 {
		d := ftCellInside(word, m)
		if d.w != 0 && !g.recalls(d.w) {
			return false
		}
		c := ftCrowdOf(d.r)
		if kind == ftWrites && (c != nil || d.r != 0 && !g.recalls(d.r)) {
			return false
		}
		for i := uint32(0); c != nil && i < c.n; i++ {
			if e := c.list[i%ftCrowdList]; e>>ftKindShift&3 == ftAtomicWrites && !g.recalls(e) {
				return false
			}
		}
	}
	return true
}

// recallsWhole reports whether the reads of a whole word that are in R are known.
//
//go:nosplit
func (g *ftG) recallsWhole(r uint64) bool {
	d := ftCrowdOf(r)
	if d == nil {
		return r&ftFull == 0 || g.recalls(r)
	}
	for i := uint32(0); i < d.n; i++ {
		if e := d.list[i%ftCrowdList]; ftWholeRead(e) && !g.recalls(e) {
			return false
		}
	}
	return true
}
