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

// ftAccess is the access at hand.
type ftAccess struct {
	addr uintptr
	pc   uintptr
	site uint64 // with ftFull where it covers the word
	kind uint8
	locs ftLocs // if it is of some of a word; none: of the one at addr, or all
}

// where returns the locations of a word that an access is of, which is not of all.
func (a *ftAccess) where() ftLocs {
	if a.locs != 0 {
		return a.locs
	}
	return ftLocOf(a.addr)
}

// hold locks the cell and returns its W (ON3).
func (c *ftCell) hold() uint64 {
	for i := 0; ; i++ {
		w := ftLoad64(&c.w)
		if w&ftLockBit == 0 && ftCas64(&c.w, w, w|ftLockBit) {
			return w
		}
		ftYield(i)
	}
}

// access takes an access of the location that begins at a.addr, of the word if a.site has ftFull,
// or of a.locs.
func (g *ftG) access(a *ftAccess) {
	g.uncut()
	ok := false
	switch {
	case a.kind != ftReads && a.kind != ftWrites:
		g.stats.atomic++
		ok = g.quickAtomic(a.addr, a.site, a.kind)
	case a.where() == 1:
		ok = g.quick(a.addr, a.site, a.kind)
	default:
		ok = g.quickPart(a.addr&^7, a.where(), a.site, a.kind)
	}
	if !ok {
		g.rules(a)
	}
}

// rules takes an access by whatever rule it needs.
func (g *ftG) rules(a *ftAccess) {
	c := ftCellOf(a.addr &^ 7)
	if c == nil || g.slot == 0 && !g.arrive() {
		return
	}
	if a.kind == ftReads && c.readSplit(&g.ftThread, a) {
		return
	}
	g.acted = g.clock
	l := ftLineOf(a.addr)
	w, ok := g.stepsTo(c, c.hold(), a, l)
	if !ok {
		w = g.held(c, w, a, l)
	}
	if a.kind == ftReads {
		c.split(a.addr)
	}
	ftStore64(&c.w, w)
}

// held takes an access to a word whose cell is held and has w. It returns its W.
func (g *ftG) held(c *ftCell, w uint64, a *ftAccess, l *ftLine) uint64 {
	c.gather(&g.ftThread)
	if a.site&ftFull == 0 {
		return g.part(c, w, a, l)
	}
	l.used(1)
	in := ftGroupsOf(a.addr)
	g.within(a, *in)
	switch {
	case a.kind == ftWrites:
		ftSetGroups(in, 0)
	case a.kind == ftAtomicReads, a.kind == ftAtomicWrites:
		ftIsolate(c, w, a.addr, 1)
		g.each(c, w, a, l)
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
	if d := ftHistoryOf(r); d != nil {
		for i := uint32(0); i < d.n; i++ {
			if k := ftKindOf(d.list[i]); k == ftAtomicWrites {
				g.check(d.list[i], k, a)
			}
		}
		g.stats.readShared++
		return d.put(&g.ftThread, ftReads, a.site).word()
	}
	if r == 0 || g.recalls(r) || g.knows(r) {
		g.stats.readExclusive++
		return mine
	}
	g.stats.readShare++
	d := ftNewHistory(ftFirstHistory)
	d.first(r)
	l.marked(ftMarkHistory)
	return d.put(&g.ftThread, ftReads, a.site).word()
}

func (g *ftG) write(w, r uint64, a *ftAccess) (uint64, uint64) {
	mine := g.epoch | a.site
	d := ftHistoryOf(r)
	if g.same(w) && d == nil && (r == 0 || ftSlotOf(r) == g.slot) {
		g.stats.writeSameEpoch++
		return w | a.site&ftFull, r
	}
	g.check(w, ftWrites, a)
	if d == nil {
		g.stats.writeExclusive++
		g.check(r, ftReads, a)
		return mine, 0 // (FT3), (ON3)
	}
	g.stats.writeShared++
	for i := uint32(0); i < d.n; i++ {
		g.check(d.list[i], ftKindOf(d.list[i]), a)
	}
	d.free()
	return mine, 0
}

// atomic is (FT1).
func (g *ftG) atomic(w, r uint64, a *ftAccess, l *ftLine) uint64 {
	g.check(w, ftWrites, a)
	d := ftHistoryOf(r)
	if d == nil {
		// else threads that count each for itself would write to one line
		d = ftNewHistory(ftLineHistory)
		l.marked(ftMarkHistory)
		if r != 0 {
			d.first(r)
		}
	}
	for i := uint32(0); i < d.n; i++ {
		if k := ftKindOf(d.list[i]); ftConflict(k, a.kind) {
			g.check(d.list[i], k, a)
		}
	}
	return d.put(&g.ftThread, a.kind, a.site).word()
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

// span takes an access of [addr, addr+n). Atomic ones are of words, or of single locations.
func (g *ftG) span(a ftAccess, n uintptr) {
	g.uncut()
	site, plain := a.site, a.kind == ftReads || a.kind == ftWrites
	for end := a.addr + n; a.addr < end; {
		if plain {
			if k := g.quickSpan(a.addr, end-a.addr, site, a.kind); k != 0 {
				a.addr += k
				continue
			}
		}
		k := min(end-a.addr, 8-a.addr&7)
		a.site = site
		switch a.locs = 0; {
		case k == 8:
			a.site |= ftFull
		case plain:
			a.locs = ftLocsOf(a.addr&7, a.addr&7+k)
		default:
			k = 1
		}
		g.access(&a)
		a.addr += k
	}
}
