package online

import "unsafe"

// Histories that cells share (ON6). If several goroutines read all of a data structure, each from
// one source line, all words have the same last reads. A history for each word would cost another
// cache line per read.

// ftShared is plain reads that several cells have, each in the place of its slot, so that no
// goroutine has to search for its own. It does not change while it has a reference. A cell that
// has one has its address in R, with ftSharedTag; nothing inside its word counts.
type ftShared struct {
	_    ftOff
	n    uint32
	refs uint64 // of cells, and of goroutines' steps
	list [ftSharedPlaces]uint64
}

const ftSharedPlaces = 30

// ftStep is the R after an access of t's to a cell with another R. For the same R and access it
// is the same again.
type ftStep struct {
	_    ftOff
	from uint64 // R; the step has a reference if it is a shared history, and more than met
	mine uint64 // the access, as a history has it, or ftStepWrite
	to   uint64 // R after it
	left uint32 // references to to that are left for cells
	gone uint32 // cells that had from
}

// ftSteps are the last ones of a goroutine, by R.
type ftSteps [4]ftStep

const (
	ftStepWrite = ^uint64(0)
	ftStepRefs  = 1 << 12 // that a step takes at once, so that processors do not pass on the count
)

//go:nosplit
func ftSharedOf(r uint64) *ftShared {
	if r>>ftSlotShift != ftSharedTag {
		return nil
	}
	return (*ftShared)(ftFromInt(uintptr(r &^ (ftHistoryTag << ftSlotShift))))
}

func (d *ftShared) word() uint64 {
	return ftSharedTag<<ftSlotShift | uint64(ftToInt(unsafe.Pointer(d)))
}

// leave gives back references.
func (d *ftShared) leave(n uint64) {
	if ftAdd64(&d.refs, -n) == 0 {
		ftFree(unsafe.Pointer(d), unsafe.Sizeof(*d))
	}
}

// wholeRead reports whether a read of the whole word in t's context is there. It takes no lock, as
// ftHistory.has.
//
//go:nosplit
func (d *ftShared) wholeRead(t *ftThread) bool {
	e := d.list[t.place%ftSharedPlaces]
	return t.same(e) && ftWholeRead(e)
}

// own makes the history of a cell, which is held, its own.
func (c *ftCell) own() {
	s := ftSharedOf(c.r)
	if s == nil {
		return
	}
	n := uint32(ftFirstHistory)
	for n <= s.n {
		n = 2*n + 2
	}
	d := ftNewHistory(n)
	for _, e := range s.list {
		if e != 0 {
			d.list[d.n] = e
			d.n++
		}
	}
	ftStore64(&c.r, d.word())
	s.leave(1)
}

// from returns t's step from r.
//
//go:nosplit
func (l *ftSteps) from(r uint64) *ftStep { return &l[r*0x9E3779B97F4A7C15>>62] }

// stepping returns an access as a step has it.
//
//go:nosplit
func (t *ftThread) stepping(site uint64, kind uint8) uint64 {
	if kind == ftWrites {
		return ftStepWrite
	}
	return t.epoch | ftMarked(site)
}

// ftPlain reports whether an access is of a word of whose inside nothing counts, and adds nothing
// to it.
//
//go:nosplit
func ftPlain(addr uintptr, site uint64, l *ftLine) bool {
	return l.marks&ftMarkInside == 0 || site&ftFull != 0 && *ftGroupsOf(addr) == 0
}

// quickStep takes an access to a cell that is held and has r, if that is a step that t has made
// already. W, which is known, is w. It returns W, and whether it has taken the access.
//
//go:nosplit
func (g *ftG) quickStep(c *ftCell, w, r, site uint64, kind uint8) (uint64, bool) {
	s := g.steps.from(r)
	if s.from != r || s.mine != g.stepping(site, kind) || s.left == 0 {
		return w, false
	}
	s.left--
	s.gone++
	ftStore64(&c.r, s.to)
	switch {
	case kind == ftWrites:
		g.stats.writeShared++
		w = g.epoch | site
	case r>>ftSlotShift == ftSharedTag:
		g.stats.readShared++
	default:
		g.stats.readShare++
	}
	return w, true
}

// stepsTo is quickStep where there is no such step yet: it is made when the same is met for the
// second time. It returns W, and whether the access has been taken.
func (g *ftG) stepsTo(c *ftCell, w uint64, a *ftAccess, l *ftLine) (uint64, bool) {
	r := c.r
	shared := r>>ftSlotShift == ftSharedTag
	switch {
	case a.kind != ftReads && (a.kind != ftWrites || !shared), r == 0, r>>ftSlotShift >= ftSplitTag,
		a.where() != 1 && a.site&ftFull == 0, !ftPlain(a.addr, a.site, l), !shared && g.knows(r):
		return w, false
	case w != 0 && !g.recalls(w):
		if !g.knows(w) {
			return w, false
		}
		g.learn(ftSlotOf(w), g.vc.get(ftSlotOf(w)))
	}
	s, mine := g.steps.from(r), g.stepping(a.site, a.kind)
	if s.from != r || s.mine != mine {
		s.end()
		*s = ftStep{from: r, mine: mine}
		return w, false
	}
	if s.left == 0 && !s.more() && !s.makes(&g.ftThread, a) {
		return w, false
	}
	l.used(1)
	l.marked(ftMarkHistory)
	return g.quickStep(c, w, r, a.site, a.kind)
}

// made reports whether s is more than an R and an access that have been met once.
func (s *ftStep) made() bool { return s.left|s.gone != 0 }

// more takes more references, if s has been made.
func (s *ftStep) more() bool {
	if !s.made() {
		return false
	}
	if d := ftSharedOf(s.to); d != nil {
		ftAdd64(&d.refs, ftStepRefs)
	}
	s.left = ftStepRefs
	return true
}

// makes makes a step, of which cells may be many. A goroutine that comes back in another epoch has
// short ones, and its reads are better off in a history of each cell's own, that changes in place.
func (s *ftStep) makes(t *ftThread, a *ftAccess) bool {
	var list [ftSharedPlaces]uint64
	from, n := ftSharedOf(s.from), uint32(1)
	if from != nil {
		list = from.list
	} else {
		list[ftSlotOf(s.from)%ftSharedPlaces] = ftInHistory(s.from)
	}
	for i, e := range list {
		if e == 0 {
			continue
		}
		switch known := t.knows(e); {
		case a.kind == ftWrites && !known, a.kind == ftReads && ftSlotOf(e) == t.slot:
			return false
		case known && ftStands(s.mine>>ftKindShift, e):
			list[i] = 0
		default:
			n++
		}
	}
	switch {
	case a.kind == ftWrites:
		s.to = 0
	case n == 1:
		s.to = t.epoch | a.site
	case list[t.place] != 0: // the place is another's
		return false
	default:
		d := (*ftShared)(ftAlloc(unsafe.Sizeof(ftShared{})))
		d.n, d.list, d.refs = n, list, ftStepRefs
		d.list[t.place] = s.mine
		s.to = d.word()
	}
	if from != nil {
		ftAdd64(&from.refs, 1)
	}
	s.left = ftStepRefs
	return true
}

// end gives up the references of a step.
func (s *ftStep) end() {
	if s.made() {
		if d := ftSharedOf(s.from); d != nil {
			d.leave(uint64(s.gone) + 1)
		}
		if d := ftSharedOf(s.to); d != nil && s.left != 0 {
			d.leave(uint64(s.left))
		}
	}
	*s = ftStep{}
}

// end gives up the references of all steps.
func (l *ftSteps) end() {
	for i := range l {
		l[i].end()
	}
}
