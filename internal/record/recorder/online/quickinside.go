package online

// quick.go for what begins inside a word.

// quickPart is quick for some locations of a word, not all.
//
//go:nosplit
func (g *ftG) quickPart(word uintptr, locs ftLocs, site uint64, kind uint8) bool {
	c := ftCellAt(word)
	if c == nil || g.slot == 0 {
		return false
	}
	w := ftLoad64(&c.w)
	if w&ftFull != 0 && g.same(w) || kind == ftReads && c.read(&g.ftThread) {
		g.stats.dropped(kind, locs)
		return true
	}
	if w&ftLockBit != 0 || w&ftFull != 0 && !g.recalls(w) || !ftCas64(&c.w, w, w|ftLockBit) {
		return false
	}
	if t := c.r >> ftSlotShift; t == ftSplitTag || t == ftSharedTag {
		ftStore64(&c.w, w)
		return false
	}
	g.acted = g.clock
	l := ftLineOf(word)
	if l.marks&ftMarkInside != 0 {
		now, done := w, false
		if locs&1 != 0 {
			l.used(1)
			now, done = g.quickFirst(c, w, word, locs, site, kind)
		} else {
			now, done = g.quickOne(c, w, word, locs, site, kind)
		}
		if done {
			ftStore64(&c.w, now)
			return true
		}
	}
	ok := kind == ftReads || g.recallsWhole(c.r)
	if ok && locs&1 != 0 && l.marks&ftMarkInside != 0 {
		kw, kr := g.replaced(w, c.r, kind)
		ok = kw|kr == 0 || g.quickToInside(word, locs, w, kw, kr)
	}
	l.used(uint8(locs & 1))
	l.marked(ftMarkInside)
	if ok {
		w, ok = g.quickGroups(c, w, word, locs, site, kind)
	}
	ftStore64(&c.w, w)
	return ok
}

// quickFirst is quickGroups for locations with the first, where they are all that have the word's
// own cell, or where none inside the word counts. That cell is held and has w; it returns its W,
// and whether all is done: what is known, and no history.
//
//go:nosplit
func (g *ftG) quickFirst(c *ftCell, w uint64, word uintptr, locs ftLocs, site uint64, kind uint8) (uint64, bool) {
	in, r := ftGroupsOf(word), c.r
	m := *in&^15 | ftOwnCell
	if r>>ftSlotShift == ftHistoryTag || w != 0 && !g.recalls(w) {
		return w, false
	}
	if m != ftOwnCell {
		if m.members(ftOwnCell) != locs {
			return w, false
		}
		if kw, kr := g.replaced(w, r, kind); kw|kr != 0 && !g.quickToInside(word, locs, w, kw, kr) {
			return w, false
		}
		nw, nr, ok := g.quickRule(w, r, site, kind)
		if nr != r {
			ftStore64(&c.r, nr)
		}
		return nw, ok
	}
	nw, nr, kept := g.epoch|site, uint64(0), (w|r)&ftFull // (ON3)
	if kind == ftReads {
		nw, nr, kept = w, nw, r&ftFull
	}
	if r != 0 && !g.recalls(r) || kind == ftReads && (g.same(r) || w != 0 && w&ftFull == 0) || kind == ftWrites && g.same(w) {
		return w, false
	}
	if kept != 0 { // the other locations keep what is of the whole word
		d := ftQuickCell(word, 1)
		if d == nil {
			return w, false
		}
		d.put(w&-(w>>ftFullBit&1), r&-(r>>ftFullBit&1))
		m = m.set(ftInnerLocs&^locs, 1)
	}
	g.stats.spanned(kind, 0, 1)
	ftSetGroups(in, m.set(locs, ftOwnCell))
	ftStore64(&c.r, nr)
	return nw, true
}

// quickOne is quickGroups for locations inside the word that share a cell. The word's is held and
// has w; it returns its W, and whether all is done.
//
//go:nosplit
func (g *ftG) quickOne(c *ftCell, w uint64, word uintptr, locs ftLocs, site uint64, kind uint8) (uint64, bool) {
	in, or := ftGroupsOf(word), c.r
	m := *in&^15 | ftOwnCell
	p := m.of(locs)
	all := m.members(p)
	if or>>ftSlotShift == ftHistoryTag || locs&^all != 0 || kind == ftWrites && or&ftFull != 0 && !g.recalls(or) {
		return w, false
	}
	ow := w &^ ftFull
	or &^= ftFull
	dw, dr, d := ow, or, (*ftCell)(nil)
	switch {
	case p == 0:
		dw, dr = w&^ftFull&-(w>>ftFullBit&1), 0
	case p != ftOwnCell:
		d = ftGroupCell(word, p)
		dw, dr = d.w, d.r
	}
	if dr>>ftSlotShift == ftHistoryTag || dw != 0 && !g.recalls(dw) {
		return w, false
	}
	nw, nr, ok := g.quickRule(dw, dr, site, kind)
	if !ok || p != 0 && nw == dw && nr == dr {
		return w, ok
	}
	if b := m.below(locs); b != p && b != 0 {
		if b != ftOwnCell {
			e := ftGroupCell(word, b)
			ow, or = e.w, e.r
		}
		if nw == ow && nr == or {
			if m = m.set(locs, b); m != ftAllOwn {
				ftSetGroups(in, m)
				return w, true
			}
			s := ftPart{c: c, w: w, m: m}
			s.whole()
			ftSetGroups(in, s.m)
			return s.w, true
		}
	}
	if d == nil || all != locs {
		q := m.free()
		if d = ftQuickCell(word, q); d == nil {
			return w, false
		}
		ftSetGroups(in, m.set(locs, q))
	}
	d.put(nw, nr)
	return w, true
}

// ftPart is an access of some locations of a word in the making.
type ftPart struct {
	c    *ftCell // of the word, which is held
	word uintptr
	w    uint64 // of c
	m    ftGroups
	to   uint32 // the cell of the last that was put
	tw   uint64 // its W and R, without ftFull
	tr   uint64
}

// quickGroups takes an access to the cells that some locations of a word have. The word's is held
// and has w; it returns its W.
//
//go:nosplit
func (g *ftG) quickGroups(c *ftCell, w uint64, word uintptr, locs ftLocs, site uint64, kind uint8) (uint64, bool) {
	in := ftGroupsOf(word)
	s := ftPart{c: c, word: word, w: w, m: *in&^15 | ftOwnCell}
	ok := true
	for ok && locs != 0 {
		p := s.m.of(locs)
		all := s.m.members(p)
		ok = g.quickGroup(&s, p, all, all&locs, site, kind)
		locs &^= all
	}
	if ok {
		s.whole()
	}
	ftSetGroups(in, s.m)
	return s.w, ok
}

// quickGroup takes it to the cell p, which all have, for these.
//
//go:nosplit
func (g *ftG) quickGroup(s *ftPart, p uint32, all, these ftLocs, site uint64, kind uint8) bool {
	w, r := s.of(p, these)
	if w != 0 && !g.recalls(w) {
		return false
	}
	if d := ftHistoryOf(r); d != nil {
		return kind == ftReads && all == these && d.quick(&g.ftThread, kind, g.epoch|site)
	}
	nw, nr, ok := g.quickRule(w, r, site, kind)
	switch {
	case !ok || p != 0 && nw == w && nr == r:
		return ok
	case s.to == 0 || nw != s.tw || nr != s.tr:
		if !s.put(p, all, these, w, r, nw, nr) {
			return false
		}
	}
	s.m = s.m.set(these, s.to)
	return true
}

// of returns W and R of the cell p for some locations.
//
//go:nosplit
func (s *ftPart) of(p uint32, these ftLocs) (w, r uint64) {
	switch {
	case these&1 != 0:
		return s.w, s.c.r
	case p == ftOwnCell:
		w, r = s.w&^ftFull, s.c.r
		if r>>ftSlotShift != ftHistoryTag {
			r &^= ftFull
		}
		return w, r
	case p == 0:
		if s.w&ftFull != 0 {
			w = s.w &^ ftFull
		}
		return w, 0
	}
	d := ftGroupCell(s.word, p)
	return d.w, d.r
}

// put gives these of the locations that have the cell p, with w and r, one with nw and nr. The
// others keep what they have.
//
//go:nosplit
func (s *ftPart) put(p uint32, all, these ftLocs, w, r, nw, nr uint64) bool {
	var d *ftCell
	if these&1 != 0 {
		if others := all &^ these; others != 0 {
			q := s.m.free()
			if d = ftQuickCell(s.word, q); d == nil {
				return false
			}
			d.put(w, r)
			s.m = s.m.set(others, q)
		}
		ftStore64(&s.c.r, nr)
		s.w, s.to, s.tw, s.tr = nw, ftOwnCell, nw&^ftFull, nr&^ftFull
		return true
	}
	s.to, s.tw, s.tr = s.m.below(these), nw, nr
	if s.to != 0 && s.to != p {
		if bw, br := s.of(s.to, ftInnerLocs); bw == nw && br == nr {
			return true
		}
	}
	if s.to = p; p == 0 || all != these {
		s.to = s.m.free()
	}
	if d = ftQuickCell(s.word, s.to); d == nil {
		return false
	}
	d.put(nw, nr)
	return true
}

// join gives locations inside the word, which share their cells with no others, the cell of their
// neighbours if that is the same.
func (s *ftPart) join(locs ftLocs) {
	for locs != 0 {
		p, b := s.m.of(locs), s.m.below(locs)
		all := s.m.members(p)
		if b != 0 && b != p {
			w, r := s.of(p, all)
			if bw, br := s.of(b, ftInnerLocs); bw == w && br == r && r>>ftSlotShift != ftHistoryTag {
				s.m = s.m.set(all, b)
			}
		}
		locs &^= all
	}
	s.whole()
}

// whole takes what all locations share for accesses of the whole word.
//
//go:nosplit
func (s *ftPart) whole() {
	r := s.c.r
	if s.m != ftAllOwn || r>>ftSlotShift == ftHistoryTag {
		return
	}
	if s.m = ftOwnCell; s.w != 0 {
		s.w |= ftFull
	}
	if r != 0 {
		ftStore64(&s.c.r, r|ftFull)
	}
}

// quickToInside is toInside where no memory is needed.
//
//go:nosplit
func (g *ftG) quickToInside(word uintptr, locs ftLocs, w, kw, kr uint64) bool {
	in := ftGroupsOf(word)
	m := *in
	for rest := m.apart() &^ locs; rest != 0; {
		p := m.of(rest)
		d := ftGroupCell(word, p)
		if kr != 0 && !ftLater(d.r, kr) {
			return false
		}
		if d.w == 0 {
			ftStore64(&d.w, kw&^ftFull)
		}
		if d.r < kr {
			ftStore64(&d.r, kr&^ftFull)
		}
		rest &^= m.members(p)
	}
	if none := m.members(0) & ftInnerLocs &^ locs; none != 0 {
		p := m.free()
		d := ftQuickCell(word, p)
		if d == nil {
			return false
		}
		if w&ftFull == 0 {
			w = 0
		}
		d.put(w, kr)
		*in = m.set(none, p)
	}
	return true
}

// dropped counts accesses of some locations that were dropped.
//
//go:nosplit
func (t *ftStats) dropped(kind uint8, locs ftLocs) {
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
func (g *ftG) quickWithin(word uintptr, m ftGroups, kind uint8) bool {
	for rest := m.apart(); rest != 0; {
		p := m.of(rest)
		rest &^= m.members(p)
		d := ftGroupCell(word, p)
		if d.w != 0 && !g.recalls(d.w) {
			return false
		}
		c := ftHistoryOf(d.r)
		if kind == ftWrites && (c != nil || d.r != 0 && !g.recalls(d.r)) {
			return false
		}
		for i := uint32(0); c != nil && i < c.n; i++ {
			if e := c.list[i%ftHistoryList]; e>>ftKindShift&3 == ftAtomicWrites && !g.recalls(e) {
				return false
			}
		}
	}
	return true
}

// recallsWhole reports whether the reads of a whole word that are in R are known.
//
//go:nosplit
func (t *ftThread) recallsWhole(r uint64) bool {
	d := ftHistoryOf(r)
	if d == nil {
		return r&ftFull == 0 || t.recalls(r)
	}
	for i := uint32(0); i < d.n; i++ {
		if e := d.list[i%ftHistoryList]; ftWholeRead(e) && !t.recalls(e) {
			return false
		}
	}
	return true
}
