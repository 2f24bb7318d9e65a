package online

import "unsafe"

// ftKnown is epochs that t knows of, by slot: of components of C(t) what has been asked for. They only grow, so what was true stays
// true.
type ftKnown [8]uint64

// recalls reports whether w ≼ C(t) is in known, or in a clock of one leaf; if not, it may still be.
//
//go:nosplit
func (g *ftG) recalls(w uint64) bool {
	s := w >> ftSlotShift
	if s == uint64(g.slot) {
		return true
	}
	if e := g.known[s&7]; (w^e)>>ftSlotShift == 0 && w>>ftEpochShift <= e>>ftEpochShift {
		return true
	}
	return s < ftLeafSlots && g.vc.height == 0 && g.vc.root != nil &&
		ftClockOf(w) <= (*[ftLeafSlots]uint32)(unsafe.Pointer(g.vc.root))[s]
}

// learn puts slot's component of C(t) into known.
func (g *ftG) learn(slot, clock uint32) {
	g.known[slot&7] = ftEpoch(slot, clock)
}

// quick takes a read or a write (ftReads, ftWrites) of a word, or its first location, whose check succeeds and that needs no memory: nearly all that are not of
// the same epoch. site has ftFull where the access covers the word. What it does not take, it leaves as it was for the rules in cell.go.
//
// It and all it calls are nosplit, since it runs on the goroutine's own stack at places for which the compiler has promised nothing
// about what is on it.
//
//go:nosplit
func (g *ftG) quick(addr uintptr, site uint64, kind uint8) bool {
	c := ftCellAt(addr)
	if c == nil || g.slot == 0 {
		return false
	}
	l := ftLineOf(addr)
	l.used(1)
	g.acted = g.clock
	w := ftLoad64(&c.w)
	if w&ftLockBit != 0 || w != 0 && !g.recalls(w) || !ftCas64(&c.w, w, w|ftLockBit) {
		return false
	}
	r := c.r
	ok := true
	if l.marks&ftMarkInside == 0 {
	} else if m := *ftGroupsOf(addr); site&ftFull != 0 {
		ok = m == 0 || g.quickWithin(addr, m, kind)
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
	if d := ftCrowdOf(r); d != nil {
		if ok = ok && kind == ftReads && d.quick(g, kind, g.epoch|site&(ftSiteMask|ftFull)|site&ftFull>>1); ok { // both: ftWhole
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

// quickRule takes an access to a cell that is held and has w and r, which is no crowd; w is known.
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
		w, r = g.epoch|site, 0 // (R22)
	}
	return w, r, true
}

// quickSpan takes what it can of an access of [addr, addr+n), from its beginning on, and returns how many bytes that are.
//
//go:nosplit
func (g *ftG) quickSpan(addr, n uintptr, site uint64, kind uint8) uintptr {
	plain := kind == ftReads || kind == ftWrites
	at, end := addr, addr+n
	for at < end {
		if at&7 == 0 && end-at >= 8 {
			if k := g.seen(at, end-at, kind); k != 0 {
				at += k
				continue
			}
			if !plain || !g.quick(at, site|ftFull, kind) {
				break
			}
			at += 8
			continue
		}
		next := min(end, at&^7+8)
		locs := ftLocsOf(at&7, at&7+next-at)
		if !plain || locs == 1 && !g.quick(at, site, kind) || locs != 1 && !g.quickPart(at&^7, locs, site, kind) {
			break
		}
		at = next
	}
	return at - addr
}

// seen returns how many bytes from addr on, in whole words, have been accessed in t's context already.
//
//go:nosplit
func (g *ftG) seen(addr, n uintptr, kind uint8) uintptr {
	if addr>>47 != 0 {
		return 0
	}
	p := ftCells[addr>>ftBlockShift&(1<<ftPlaneShift-1)]
	if p == nil {
		return 0
	}
	i, k := addr>>3&(ftWords-1), uintptr(0)
	for m := min(n>>3, ftWords-i); k < m; k++ {
		c := &p[(i+k)&(ftWords-1)]
		if w := ftLoad64(&c.w); w&ftFull != 0 && g.same(w) {
			continue
		}
		if kind != ftReads || !c.read(g) {
			break
		}
	}
	if kind == ftReads {
		g.stats.readSameEpoch += int64(k)
	} else {
		g.stats.writeSameEpoch += int64(k)
	}
	return k * 8
}

// read reports whether the whole word has been read in t's context.
//
//go:nosplit
func (c *ftCell) read(g *ftG) bool {
	r := ftLoad64(&c.r)
	if d := ftCrowdOf(r); d != nil {
		return d.has(g, true)
	}
	return r&ftFull != 0 && g.same(r)
}

// quickAtomic is quick for (F2), where the location has been accessed by atomic operations before.
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
	d := ftCrowdOf(r)
	ok = ok && d != nil && d.quick(g, kind, g.epoch|uint64(kind)<<ftKindShift|site&ftSiteMask)
	ftStore64(&c.w, w)
	return ok
}

// quick puts an access whose checks succeed, where there is room.
//
//go:nosplit
func (c *ftCrowd) quick(g *ftG, kind uint8, word uint64) bool {
	n, mark := c.n, word>>ftKindShift&3
	if e := c.list[0]; n == 1 && g.recalls(e) && ftStands(mark, e) {
		c.list[0] = word
		return true
	}
	if kind == ftReads {
		if done, ok := c.again(g, mark, word); done {
			return ok
		}
	}
	for i := uint32(0); i < c.n; i++ {
		known, k := g.recalls(c.list[i%ftCrowdList]), ftKindOf(c.list[i%ftCrowdList])
		if !known && ftConflict(k, kind) {
			return false
		}
		if known && ftStands(mark, c.list[i%ftCrowdList]) {
			n--
		}
	}
	if n == c.cap {
		return false
	}
	if n != 0 {
		n = 0
		for i := uint32(0); i < c.n; i++ {
			if e := c.list[i%ftCrowdList]; !ftStands(mark, e) || !g.recalls(e) {
				c.list[n%ftCrowdList] = e
				n++
			}
		}
	}
	c.list[n%ftCrowdList] = word
	c.n = n + 1
	return true
}

// again puts a read in place of an earlier one of t's own, as most are: the others need not be known. done: there was one, or the check fails.
//
//go:nosplit
func (c *ftCrowd) again(g *ftG, mark, word uint64) (done, ok bool) {
	at := c.n
	for i := uint32(0); i < c.n; i++ {
		e := c.list[i%ftCrowdList]
		if e>>ftSlotShift == uint64(g.slot) && ftStands(mark, e) {
			at = i
		} else if e>>ftKindShift&3 == ftAtomicWrites && !g.recalls(e) {
			return true, false
		}
	}
	if at == c.n {
		return false, false
	}
	c.list[at%ftCrowdList] = word
	return true, true
}
