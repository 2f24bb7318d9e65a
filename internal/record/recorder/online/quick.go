package online

import "unsafe"

// ftKnown caches components of C(t), by slot: epochs that t is known to know of. Components only
// grow, so an entry stays true.
type ftKnown [8]uint64

// recalls reports whether w ≼ C(t) is in known, or in a clock of one leaf; if not, it may still be.
//
//go:nosplit
func (t *ftThread) recalls(w uint64) bool {
	s := w >> ftSlotShift
	if s == uint64(t.slot) {
		return true
	}
	if e := t.known[s&7]; (w^e)>>ftSlotShift == 0 && w>>ftEpochShift <= e>>ftEpochShift {
		return true
	}
	return s < ftLeafSlots && t.vc.height == 0 && t.vc.root != nil &&
		ftClockOf(w) <= (*[ftLeafSlots]uint32)(unsafe.Pointer(t.vc.root))[s]
}

// learn puts slot's component of C(t) into known.
func (t *ftThread) learn(slot, clock uint32) {
	t.known[slot&7] = ftEpoch(slot, clock)
}

// quick takes a read or a write (ftReads, ftWrites) of a word, or its first location, whose check
// succeeds and that needs no memory: nearly all that are not of the same epoch. site has ftFull
// where the access covers the word. What it does not take, it leaves as it was for the rules in
// cell.go.
//
// It and all it calls are nosplit, since it runs on the goroutine's own stack at places for which
// the compiler has promised nothing about what is on it.
//
//go:nosplit
func (g *ftG) quick(addr uintptr, site uint64, kind uint8) bool {
	c := ftCellAt(addr)
	if c == nil || g.slot == 0 {
		return false
	}
	if r := ftLoad64(&c.r); r>>ftSlotShift == ftSplitTag {
		return kind == ftReads && c.quickSplit(&g.ftThread, r, site)
	}
	l := ftLineOf(addr)
	l.used(1)
	g.acted = g.clock
	w := ftLoad64(&c.w)
	if w&ftLockBit != 0 || w != 0 && !g.recalls(w) || !ftCas64(&c.w, w, w|ftLockBit) {
		return false
	}
	r := c.r
	if d := r>>ftSlotShift == ftSharedTag; d || kind == ftReads && r != 0 && r>>ftSlotShift < ftSharedTag && !g.recalls(r) {
		ok := ftPlain(addr, site, l)
		if ok {
			l.marked(ftMarkHistory)
			w, ok = g.quickStep(c, w, r, site, kind)
		}
		ftStore64(&c.w, w)
		return ok
	}
	ok := r>>ftSlotShift != ftSplitTag
	if !ok || l.marks&ftMarkInside == 0 {
	} else if m := *ftGroupsOf(addr); site&ftFull != 0 {
		ok = m == 0 || g.quickWithin(addr, m, kind)
	} else if now, done := g.quickFirst(c, w, addr, 1, site, kind); done {
		ftStore64(&c.w, now)
		return true
	} else {
		if kw, kr := g.replaced(w, r, kind); kw|kr != 0 {
			ok = g.quickToInside(addr, 1, w, kw, kr)
		}
		if m.members(ftOwnCell) != 0 {
			if ok {
				w, ok = g.quickGroups(c, w, addr, 1, site, kind)
			}
			ftStore64(&c.w, w)
			return ok
		}
	}
	if d := ftHistoryOf(r); d != nil {
		if ok = ok && kind == ftReads && !d.turned() && d.quick(&g.ftThread, kind, g.epoch|ftMarked(site)); ok {
			g.stats.readShared++
		}
		ftStore64(&c.w, w)
		return ok
	}
	mine, own := w, r
	if ok {
		mine, own, ok = g.quickRule(w, r, site, kind)
	}
	if own != r {
		ftStore64(&c.r, own)
	}
	if ok && kind == ftWrites && site&ftFull != 0 && l.marks&ftMarkInside != 0 {
		ftSetGroups(ftGroupsOf(addr), 0)
	}
	ftStore64(&c.w, mine)
	return ok
}

// quickRule takes an access to a cell that is held and has w and r, which is no history; w is
// known.
//
//go:nosplit
func (g *ftG) quickRule(w, r, site uint64, kind uint8) (uint64, uint64, bool) {
	switch {
	case r != 0 && !g.recalls(r):
		return w, r, false
	case kind == ftReads:
		if !g.same(r) || site&^r&ftFull != 0 {
			g.stats.readExclusive++
			return w, g.epoch | site, true
		}
		g.stats.readSameEpoch++
	case g.same(w) && (r == 0 || ftSlotOf(r) == g.slot):
		g.stats.writeSameEpoch++
		w |= site & ftFull
	default:
		g.stats.writeExclusive++
		w, r = g.epoch|site, 0 // (ON3)
	}
	return w, r, true
}

// quickSpan takes what it can of an access of [addr, addr+n), from its beginning on, and returns
// how many bytes that are.
//
//go:nosplit
func (g *ftG) quickSpan(addr, n uintptr, site uint64, kind uint8) uintptr {
	at, end := addr, addr+n
	for at < end {
		if at&7 == 0 && end-at >= 8 {
			at += g.quickWords(at, end-at, site, kind)
			if end-at < 8 {
				continue
			}
			if !g.quick(at, site|ftFull, kind) {
				break
			}
			at += 8
			continue
		}
		next := min(end, at&^7+8)
		locs := ftLocsOf(at&7, at&7+next-at)
		if locs == 1 && !g.quick(at, site, kind) || locs != 1 && !g.quickPart(at&^7, locs, site, kind) {
			break
		}
		at = next
	}
	return at - addr
}

// quickWords is quick for the whole words from addr on, as far as there is nothing but what most
// have: no history that is not split, no cell that another goroutine holds. It returns how many
// bytes they are.
//
//go:nosplit
func (g *ftG) quickWords(addr, n uintptr, site uint64, kind uint8) uintptr {
	p := ftCells[addr>>ftBlockShift&(1<<ftPlaneShift-1)]
	if addr>>47 != 0 || p == nil || g.slot == 0 {
		return 0
	}
	g.acted = g.clock
	in := ftInfos[addr>>ftBlockShift&(1<<ftPlaneShift-1)]
	from, dropped, shared := addr>>3&(ftWords-1), int64(0), int64(0)
	i, to := from, min(addr>>3&(ftWords-1)+n>>3, ftWords)
	for mine := g.epoch | site | ftFull; i < to; i++ {
		c := &p[i&(ftWords-1)]
		k := g.sameWords(c, to-i, kind)
		dropped += int64(k)
		if i += k; i == to {
			break
		}
		c = &p[i&(ftWords-1)]
		if r := ftLoad64(&c.r); r>>ftSlotShift >= ftSharedTag {
			// locking the cell would take its line from its readers
			if kind == ftReads && r>>ftSlotShift == ftSplitTag && c.quickSplit(&g.ftThread, r, site|ftFull) {
				shared++
				continue
			}
			break
		}
		w := ftLoad64(&c.w)
		if w&ftLockBit != 0 || w != 0 && !g.recalls(w) || !ftCas64(&c.w, w, w|ftLockBit) {
			break
		}
		l := &in.lines[i>>(ftLineShift-3)&(ftLineCount-1)]
		l.used(1)
		r := c.r
		ok := r == 0 || g.recalls(r)
		if ok && l.marks&ftMarkInside != 0 {
			if m := &in.groups[i&(ftWords-1)]; *m == 0 {
			} else if ok = g.quickWithin(addr+(i-from)<<3, *m, kind); ok && kind == ftWrites {
				*m = 0
			}
		}
		switch {
		case !ok:
		case kind == ftReads:
			ftStore64(&c.r, mine)
		default: // (ON3)
			ftStore64(&c.r, 0)
			w = mine
		}
		if ftStore64(&c.w, w); !ok {
			break
		}
	}
	g.stats.spanned(kind, dropped, int64(i-from)-dropped-shared)
	return (i - from) << 3
}

// spanned counts words that have been dropped, and those that have not.
//
//go:nosplit
func (t *ftStats) spanned(kind uint8, dropped, exclusive int64) {
	if kind == ftReads {
		t.readSameEpoch += dropped
		t.readExclusive += exclusive
	} else {
		t.writeSameEpoch += dropped
		t.writeExclusive += exclusive
	}
}

// sameWords returns how many of the n words whose cells begin with c have been accessed as whole
// ones in t's context. It is the loop that most of a copy's time is spent in.
//
//go:nosplit
func (t *ftThread) sameWords(c *ftCell, n uintptr, kind uint8) uintptr {
	base, width := t.base, t.width
	i := uintptr(0)
	if kind == ftWrites {
		for ; i < n; i++ {
			if w := ftLoad64(&c.w); w&ftFull == 0 || w-base >= width {
				break
			}
			c = c.next()
		}
		return i
	}
	for ; i < n; i++ {
		r := ftLoad64(&c.r)
		if r&ftFull == 0 || r-base >= width {
			if w := ftLoad64(&c.w); w&ftFull == 0 || w-base >= width {
				if r>>ftSlotShift < ftSharedTag || !t.wholeRead(r) {
					break
				}
			}
		}
		c = c.next()
	}
	return i
}

// next is the cell of the next word of a block, or where it ends.
//
//go:nosplit
func (c *ftCell) next() *ftCell { return (*ftCell)(unsafe.Add(unsafe.Pointer(c), unsafe.Sizeof(*c))) }

// read reports whether the whole word has been read in t's context.
//
//go:nosplit
func (c *ftCell) read(t *ftThread) bool {
	r := ftLoad64(&c.r)
	return t.wholeRead(r) || r&ftFull != 0 && t.same(r)
}

// quickAtomic is quick for (FT1), where the location has been accessed by atomic operations before.
func (g *ftG) quickAtomic(addr uintptr, site uint64, kind uint8) bool {
	c := ftCellAt(addr &^ 7)
	if c == nil || g.slot == 0 {
		return false
	}
	w := ftLoad64(&c.w)
	if site&ftFull != 0 && ftLineOf(addr).marks&ftMarkInside != 0 || w&ftLockBit != 0 || w != 0 && !g.recalls(w) || !ftCas64(&c.w, w, w|ftLockBit) {
		return false
	}
	g.acted = g.clock
	own, ow, r := c.only(addr, w)
	ok := own != nil && (ow == 0 || g.recalls(ow)) && (addr&7 == 0 || !ftConflict(ftReads, kind) || g.recallsWhole(c.r))
	d := ftHistoryOf(r)
	ok = ok && d != nil && d.quick(&g.ftThread, kind, g.epoch|uint64(kind)<<ftKindShift|site&ftSiteMask)
	ftStore64(&c.w, w)
	return ok
}

// quick puts an access whose checks succeed, where there is room.
//
//go:nosplit
func (c *ftHistory) quick(t *ftThread, kind uint8, word uint64) bool {
	n, mark := c.n, word>>ftKindShift&3
	if e := c.list[0]; n == 1 && t.recalls(e) && ftStands(mark, e) {
		c.show(0, word)
		return true
	}
	if kind == ftReads {
		if done, ok := c.again(t, mark, word); done {
			return ok
		}
	}
	for i := uint32(0); i < c.n; i++ {
		known, k := t.recalls(c.list[i%ftHistoryList]), ftKindOf(c.list[i%ftHistoryList])
		if !known && ftConflict(k, kind) {
			return false
		}
		if known && ftStands(mark, c.list[i%ftHistoryList]) {
			n--
		}
	}
	if n == uint32(c.cap) {
		return false
	}
	if n != 0 {
		n = 0
		for i := uint32(0); i < c.n; i++ {
			if e := c.list[i%ftHistoryList]; !ftStands(mark, e) || !t.recalls(e) {
				c.list[n%ftHistoryList] = e
				n++
			}
		}
	}
	c.n = n + 1
	c.show(n, word)
	return true
}

// again puts a read in place of an earlier one of t's own, as most are: the others need not be
// known. done: there was one, or the check fails.
//
//go:nosplit
func (c *ftHistory) again(t *ftThread, mark, word uint64) (done, ok bool) {
	for i := uint32(0); c.writes != 0 && i < c.n; i++ {
		if e := c.list[i%ftHistoryList]; e>>ftKindShift&3 == ftAtomicWrites && !t.recalls(e) {
			return true, false
		}
	}
	at := c.mine(uint64(t.slot), mark)
	if at == c.n {
		return false, false
	}
	c.show(at, word)
	return true, true
}
