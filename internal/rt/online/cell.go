package online

// ftStats counts what the rules did.
type ftStats struct {
	readSameEpoch, readShared, readExclusive, readShare int64
	writeSameEpoch, writeExclusive, writeShared         int64
	atomic, checksFailed                                int64
	slotsAgain, slotsEarly, unseen, moves               int64
	readsForgotten                                      int64
	locks, returned, locksAgain                         int64 // of the filter
}

var ftTotal ftStats

func (t *ftStats) add(s *ftStats) {
	t.readSameEpoch += s.readSameEpoch
	t.readShared += s.readShared
	t.readExclusive += s.readExclusive
	t.readShare += s.readShare
	t.writeSameEpoch += s.writeSameEpoch
	t.writeExclusive += s.writeExclusive
	t.writeShared += s.writeShared
	t.atomic += s.atomic
	t.checksFailed += s.checksFailed
	t.slotsAgain += s.slotsAgain
	t.slotsEarly += s.slotsEarly
	t.unseen += s.unseen
	t.moves += s.moves
	t.readsForgotten += s.readsForgotten
	t.locks += s.locks
	t.returned += s.returned
	t.locksAgain += s.locksAgain
}

// A ftAccess is the access at hand.
type ftAccess struct {
	addr uintptr
	pc   uintptr
	site uint64 // with ftFull where it covers the word
	kind uint8
}

// hold locks the cell and returns its W.
func (c *ftCell) hold() uint64 {
	for i := 0; ; i++ {
		w := ftLoad64(&c.w)
		if w&ftLockBit == 0 && ftCas64(&c.w, w, w|ftLockBit) {
			return w
		}
		ftYield(i)
	}
}

// access takes an access of the location that begins at a.addr, and of the word if a.site has ftFull.
func (g *ftG) access(a *ftAccess) {
	ok := false
	switch {
	case a.kind != ftReads && a.kind != ftWrites:
		g.stats.atomic++
		ok = g.quickAtomic(a.addr, a.site, a.kind)
	case a.addr&7 == 0:
		ok = g.quick(a.addr, a.site, a.kind)
	default:
		ok = g.quickInside(a.addr&^7, 1<<(a.addr&7), a.site, a.kind)
	}
	if !ok {
		g.rules(a)
	}
}

// rules takes an access by whatever rule it needs.
func (g *ftG) rules(a *ftAccess) {
	c := ftCellOf(a.addr &^ 7)
	if c == nil || ftCellOf(a.addr) == nil || g.slot == 0 && !g.arrive() {
		return
	}
	g.acted = g.clock
	l := ftLineOf(a.addr)
	l.used(uint8(1) << (a.addr & 7))
	w := c.hold()
	if a.addr&7 == 0 {
		w = g.ofWord(c, w, a, l)
	} else {
		g.against(c, w, a)
		g.ofInside(a, l)
	}
	ftStore64(&c.w, w)
}

// ofWord takes an access of a word, or of its first location alone, whose cell is held. It returns its W.
func (g *ftG) ofWord(c *ftCell, w uint64, a *ftAccess, l *ftLine) uint64 {
	inside := ftInsideOf(a.addr)
	if a.site&ftFull != 0 {
		g.within(a, *inside)
		switch {
		case a.kind == ftWrites && *inside != 0:
			*inside = 0
		case a.kind == ftAtomicReads, a.kind == ftAtomicWrites:
			g.each(a, l)
		}
	} else if l.planes&^1 != 0 {
		g.keepWhole(c, w, a, l)
	}
	w, r := g.rule(w, c.r, a, l)
	if r != c.r {
		ftStore64(&c.r, r)
	}
	return w
}

// rule takes an access to one cell, that has w and r, by FastTrack's rules.
func (g *ftG) rule(w, r uint64, a *ftAccess, l *ftLine) (uint64, uint64) {
	switch a.kind {
	case ftReads:
		return w, g.read(w, r, a, l)
	case ftWrites:
		return g.write(w, r, a)
	}
	return w, g.atomic(w, r, a, l)
}

func (g *ftG) read(w, r uint64, a *ftAccess, l *ftLine) uint64 {
	if g.same(r) && (a.site&ftFull == 0 || r&ftFull != 0) {
		g.stats.readSameEpoch++
		return r
	}
	g.check(w, ftWrites, a)
	mine := g.epoch | a.site
	if d := ftCrowdOf(r); d != nil {
		for i := uint32(0); i < d.n; i++ {
			if k := ftKindOf(d.list[i]); k == ftAtomicWrites {
				g.check(d.list[i], k, a)
			}
		}
		g.stats.readShared++
		return d.put(g, ftReads, a.site).word()
	}
	if r == 0 || g.recalls(r) || g.knows(r) {
		g.stats.readExclusive++
		return mine
	}
	g.stats.readShare++
	d := ftNewCrowd(ftFirstCrowd)
	d.first(r)
	l.marked(ftMarkCrowd)
	return d.put(g, ftReads, a.site).word()
}

func (g *ftG) write(w, r uint64, a *ftAccess) (uint64, uint64) {
	mine := g.epoch | a.site
	d := ftCrowdOf(r)
	if g.same(w) && d == nil && (r == 0 || ftSlotOf(r) == g.slot) {
		g.stats.writeSameEpoch++
		return w | a.site&ftFull, r
	}
	g.check(w, ftWrites, a)
	if d == nil {
		g.stats.writeExclusive++
		if r != 0 && !g.check(r, ftReads, a) { // (F5)
			r = 0
		}
		return mine, r
	}
	g.stats.writeShared++
	for i := uint32(0); i < d.n; i++ {
		g.check(d.list[i], ftKindOf(d.list[i]), a)
	}
	d.free()
	return mine, 0
}

// atomic is (F2).
func (g *ftG) atomic(w, r uint64, a *ftAccess, l *ftLine) uint64 {
	g.check(w, ftWrites, a)
	d := ftCrowdOf(r)
	if d == nil {
		d = ftNewCrowd(ftFirstCrowd)
		l.marked(ftMarkCrowd)
		if r != 0 {
			d.first(r)
		}
	}
	for i := uint32(0); i < d.n; i++ {
		if k := ftKindOf(d.list[i]); ftConflict(k, a.kind) {
			g.check(d.list[i], k, a)
		}
	}
	return d.put(g, a.kind, a.site).word()
}

// check is the check w ≼ C(t), of an earlier access of the kind.
func (g *ftG) check(w uint64, kind uint8, a *ftAccess) bool {
	if w>>ftEpochShift == 0 || g.recalls(w) {
		return true
	}
	if g.knows(w) {
		if s := ftSlotOf(w); s != g.slot {
			g.learn(s, g.vc.get(s))
		}
		return true
	}
	g.stats.checksFailed++
	if g.n < len(g.found) {
		g.found[g.n] = ftFound{addr: a.addr, old: w, oldKind: kind, kind: a.kind, pc: a.pc, oldEpoch: g.epoch}
		g.n++
	}
	return false
}

// span takes an access of [addr, addr+n).
func (g *ftG) span(a ftAccess, n uintptr) {
	site := a.site
	for end := a.addr + n; a.addr < end; {
		if k := g.quickSpan(a.addr, end-a.addr, site, a.kind); k != 0 {
			a.addr += k
			continue
		}
		k := uintptr(1)
		a.site = site
		if a.addr&7 == 0 && end-a.addr >= 8 {
			k = 8
			a.site |= ftFull
		}
		g.access(&a)
		a.addr += k
	}
}
