package online

// What begins inside a word (ON2). The lock of the word's cell is that of the cells inside it.

// only returns the cell of the location at addr and its W and R, if no other location shares it. w
// is that of the word's cell c, which is held.
func (c *ftCell) only(addr uintptr, w uint64) (*ftCell, uint64, uint64) {
	m := *ftGroupsOf(addr)&^15 | ftOwnCell
	p := m.of(ftLocOf(addr))
	if p == 0 || m.members(p) != ftLocOf(addr) {
		return nil, 0, 0
	}
	if p == ftOwnCell {
		return c, w, c.r
	}
	d := ftGroupCell(addr&^7, p)
	return d, d.w, d.r
}

// against checks an access of locations inside a word against the last accesses of the whole word,
// whose cell is held and has w.
func (g *ftG) against(c *ftCell, w uint64, a *ftAccess) {
	if w&ftFull != 0 {
		g.check(w, ftWrites, a)
	}
	if !ftConflict(ftReads, a.kind) {
		return
	}
	if d := ftHistoryOf(c.r); d != nil {
		for i := uint32(0); i < d.n; i++ {
			if e := d.list[i]; ftWholeRead(e) {
				g.check(e, ftReads, a)
			}
		}
	} else if c.r&ftFull != 0 {
		g.check(c.r, ftReads, a)
	}
}

// part takes an access of some locations of a word, not all, whose cell is held and has w. It
// returns its W.
func (g *ftG) part(c *ftCell, w uint64, a *ftAccess, l *ftLine) uint64 {
	locs := a.where()
	l.used(uint8(locs & 1))
	if locs != 1 {
		g.against(c, w, a)
	}
	if locs&1 != 0 && l.marks&ftMarkInside != 0 {
		g.keepWhole(c, w, a, l)
	}
	if locs != 1 || *ftGroupsOf(a.addr) != 0 {
		l.marked(ftMarkInside)
		ftIsolate(c, w, a.addr&^7, locs)
	}
	if locs&1 != 0 {
		b := *a
		var r uint64
		if w, r = g.rule(w, c.r, &b, l); r != c.r {
			ftStore64(&c.r, r)
		}
	}
	in := ftGroupsOf(a.addr)
	s := ftPart{c: c, word: a.addr &^ 7, w: w, m: *in | ftOwnCell}
	locs &^= s.m.members(ftOwnCell)
	g.groups(a, locs, l)
	s.join(locs)
	ftSetGroups(in, s.m)
	return s.w
}

// groups takes an access to the cells inside a word of some locations that share them with no
// others.
func (g *ftG) groups(a *ftAccess, locs ftLocs, l *ftLine) {
	word := a.addr &^ 7
	for m := *ftGroupsOf(word); locs != 0; {
		b, p := *a, m.of(locs)
		b.addr, b.site = word+locs.lowest(), a.site&^ftFull
		d := ftGroupCell(word, p)
		w, r := g.rule(d.w, d.r, &b, l)
		ftStore64(&d.w, w)
		ftStore64(&d.r, r)
		locs &^= m.members(p)
	}
}

// ftIsolate gives some locations of a word, whose cell is held and has w, cells that they share
// with no others.
func ftIsolate(c *ftCell, w uint64, word uintptr, locs ftLocs) {
	in := ftGroupsOf(word)
	m := *in&^15 | ftOwnCell
	for rest := locs; rest != 0; {
		p := m.of(rest)
		all := m.members(p)
		move := all & locs
		rest &^= all
		if p != 0 && all == move {
			continue
		}
		var dw, dr uint64
		switch {
		case p == 0 && w&ftFull != 0:
			dw = w
		case p == ftOwnCell:
			dw, dr = w, c.r
			if move&1 != 0 {
				move = all &^ locs
			}
		case p != 0:
			d := ftGroupCell(word, p)
			dw, dr = d.w, d.r
		}
		if d := ftHistoryOf(dr); d != nil {
			dr = d.copy().word()
		}
		q := m.free()
		ftSettle(word, q, dw, dr)
		m = m.set(move, q)
	}
	ftSetGroups(in, m)
}

// ftSettle fills the cell of a group inside a word.
func ftSettle(word uintptr, p uint32, w, r uint64) {
	ftCellFor(word, p).put(w, r)
}

// put fills a cell inside a word.
//
//go:nosplit
func (d *ftCell) put(w, r uint64) {
	if r>>ftSlotShift != ftHistoryTag {
		r &^= ftFull
	}
	ftStore64(&d.w, w&^(ftFull|ftLockBit))
	ftStore64(&d.r, r)
}

// ftSetGroups stores what has changed.
//
//go:nosplit
func ftSetGroups(in *ftGroups, m ftGroups) {
	if m &^= 15; m != *in {
		*in = m
	}
}

// within checks an access of a whole word against the cells inside it. After a write they count no
// more.
func (g *ftG) within(a *ftAccess, m ftGroups) {
	for rest := m.apart(); rest != 0; {
		b, p := *a, m.of(rest)
		b.addr += rest.lowest()
		rest &^= m.members(p)
		d := ftGroupCell(a.addr, p)
		g.check(d.w, ftWrites, &b)
		c := ftHistoryOf(d.r)
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

// each takes an atomic access of a whole word to the locations inside it.
func (g *ftG) each(c *ftCell, w uint64, a *ftAccess, l *ftLine) {
	if l.marks&ftMarkInside != 0 {
		ftIsolate(c, w, a.addr, ftInnerLocs)
		g.groups(a, ftInnerLocs, l)
	}
}

// keepWhole gives to the other locations of a word what an access of some, with the first, replaces
// that was of the whole word.
func (g *ftG) keepWhole(c *ftCell, w uint64, a *ftAccess, l *ftLine) {
	if a.kind != ftReads && a.kind != ftWrites {
		return // replaces none
	}
	kw, kr := g.replaced(w, c.r, a.kind)
	g.toInside(a, w, kw, kr, l)
	if d := ftHistoryOf(c.r); d != nil && a.kind == ftWrites {
		for i := uint32(0); i < d.n; i++ {
			if e := d.list[i]; ftWholeRead(e) {
				g.toInside(a, w, 0, e&^ftKindMask, l)
			}
		}
	}
}

// toInside gives a write and a read of a whole word, whose W is w, to the locations that an access
// is not of.
func (g *ftG) toInside(a *ftAccess, w, kw, kr uint64, l *ftLine) {
	word, locs := a.addr&^7, a.where()
	if kw|kr == 0 || g.quickToInside(word, locs, w, kw, kr) {
		return
	}
	in := ftGroupsOf(word)
	m := *in
	if none := m.members(0) & ftInnerLocs &^ locs; none != 0 {
		q := m.free()
		if w&ftFull == 0 {
			w = 0
		}
		ftSettle(word, q, w, kr)
		*in = m.set(none, q)
	}
	for rest := m.apart() &^ locs; rest != 0; {
		p := m.of(rest)
		rest &^= m.members(p)
		d := ftGroupCell(word, p)
		if d.w == 0 {
			ftStore64(&d.w, kw&^(ftFull|ftLockBit))
		}
		switch c := ftHistoryOf(d.r); {
		case kr == 0:
		case c != nil:
			ftStore64(&d.r, c.add(&g.ftThread, kr&^ftKindMask).word())
		case !ftLater(d.r, kr):
			c = ftNewHistory(ftFirstHistory)
			c.first(d.r)
			l.marked(ftMarkHistory)
			ftStore64(&d.r, c.add(&g.ftThread, kr&^ftKindMask).word())
		case d.r < kr:
			ftStore64(&d.r, kr&^ftFull)
		}
	}
}

// ftLater reports whether of two reads that are not of a history the later one stands for both:
// there is but one, or they are of one slot.
//
//go:nosplit
func ftLater(r, s uint64) bool { return r == 0 || r>>ftSlotShift == s>>ftSlotShift }

// replaced returns what of W and R, which is no history if it is written, is of the whole word, and
// gives way to an access of some locations with the first.
//
//go:nosplit
func (t *ftThread) replaced(w, r uint64, kind uint8) (uint64, uint64) {
	if w&ftFull == 0 || kind != ftWrites {
		w = 0
	}
	if r&ftFull == 0 || r>>ftSlotShift == ftHistoryTag || kind == ftReads && t.same(r) {
		r = 0
	}
	return w, r
}
