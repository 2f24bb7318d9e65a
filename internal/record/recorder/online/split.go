package online

import "unsafe"

// Histories by processor (ON6). Where goroutines on several processors read one location again and
// again, each in epochs of its own, the lines of cache of its cell and of its history would go
// from one to the other with every read. So a history that two processors have come to in turn
// some times is split: each has a part of its own, and a read locks only that. An access that
// locks the cell for anything else gathers the parts.

// ftSplit is the history of a word's own cell, in parts. A cell that has one has its address in R,
// with ftSplitTag. There are plain reads in it, at most atomic ones in rest, and no cells inside
// the word count.
type ftSplit struct {
	_     ftOff
	lock  uint32     // of rest; its holder has a place as well
	rest  *ftHistory // reads before the split, and reads whose places other slots have taken
	next  *ftSplit   // if it is free
	_     [40]byte
	parts [ftMaxParts]ftHistoryPart // of which there are ftParts and one
}

// ftHistoryPart has a place for a slot's reads of the whole word, and one for those of its first
// location; other slots have the same. An access takes the place that it uses: ftTaken stands there
// meanwhile, so the lock is in the cache line that is needed anyway. The places of a free ftSplit
// stay taken, so a late reader fails.
type ftHistoryPart struct {
	_    ftOff
	list [2 * ftPlaces]uint64
}

// ftTaken stands in a place that is taken. It is the word of no plain read.
const ftTaken = ftAtomicReads << ftKindShift

const (
	ftMaxParts = 8
	ftPlaces   = 16
	ftPartSize = 16 * ftPlaces // that of a ftHistoryPart
	ftHeadSize = unsafe.Offsetof(ftSplit{}.parts)
)

// ftParts is how many parts there are, a power of two, less one.
var ftParts uint32

// ftTurns is how often another processor has to come to a history.
var ftTurns uint8 = 8

// ftInitSplits sets the number of parts for this many processors.
func ftInitSplits(processors uint32) {
	for ftParts = 0; ftParts+1 < min(processors, ftMaxParts); ftParts = 2*ftParts + 1 {
	}
}

// ftHere is which of as many the processor has that this runs on.
//
//go:nosplit
func ftHere() uint32 {
	if ftParts == 0 {
		return 0
	}
	return ftProcessor() & ftParts
}

// ftSplits are the free ones, and the memory for more.
var ftSplits struct {
	lock      uint32
	free      *ftSplit
	next, end uintptr
}

// ftNewSplit returns one with empty parts.
func ftNewSplit(rest *ftHistory) *ftSplit {
	l := &ftSplits
	ftLock(&l.lock)
	v := l.free
	if v != nil {
		l.free = v.next
	} else {
		size := ftHeadSize + uintptr(ftParts+1)*ftPartSize
		if l.end-l.next < size {
			l.next = ftToInt(ftMap(ftPiece))
			l.end = l.next + ftPiece
			ftAdd64(&ftMemory, ftPiece)
		}
		v = (*ftSplit)(ftFromInt(l.next))
		l.next += size
	}
	ftUnlock(&l.lock)
	v.rest = rest
	for i := range ftParts + 1 {
		v.parts[i].list = [2 * ftPlaces]uint64{}
	}
	return v
}

//go:nosplit
func ftSplitOf(r uint64) *ftSplit {
	if r>>ftSlotShift != ftSplitTag {
		return nil
	}
	return (*ftSplit)(ftFromInt(uintptr(r &^ (ftHistoryTag << ftSlotShift))))
}

func (v *ftSplit) word() uint64 {
	return ftSplitTag<<ftSlotShift | uint64(ftToInt(unsafe.Pointer(v)))
}

// here returns the part of t's processor.
//
//go:nosplit
func (v *ftSplit) here() *ftHistoryPart { return &v.parts[ftHere()%ftMaxParts] }

// place returns that of t's reads of a mark.
//
//go:nosplit
func (p *ftHistoryPart) place(t *ftThread, mark uint64) *uint64 {
	i := uint64(t.slot) % ftPlaces * 2
	if mark != ftWhole {
		i++
	}
	return &p.list[i%(2*ftPlaces)]
}

// wholeRead reports whether the whole of a word that has R, which is a history, has been read in
// t's context.
//
//go:nosplit
func (t *ftThread) wholeRead(r uint64) bool {
	if v := ftSplitOf(r); v != nil {
		return t.same(*v.here().place(t, ftWhole))
	}
	if s := ftSharedOf(r); s != nil {
		return s.wholeRead(t)
	}
	d := ftHistoryOf(r)
	return d != nil && d.has(t, true)
}

// quickSplit takes a read where R is a split history and t's place is its own, or of a read that it
// knows of. To take the place and to lock the cell exclude each other: of a reader and an access
// that locks the cell, one sees the lock of the other.
//
//go:nosplit
func (c *ftCell) quickSplit(t *ftThread, r, site uint64) bool {
	word := t.epoch | ftMarked(site)
	p := ftSplitOf(r).here().place(t, word>>ftKindShift&3)
	e := ftSwap64(p, ftTaken)
	if e == ftTaken {
		return false
	}
	w := ftLoad64(&c.w)
	ok := w&ftLockBit == 0 && ftLoad64(&c.r) == r && (w == 0 || t.recalls(w)) && (e == 0 || t.recalls(e))
	if ok {
		e = word
		t.acted = t.clock
		t.stats.readShared++
	}
	ftStore64(p, e)
	return ok
}

// readSplit is quickSplit where W is to be looked for in C(t), or the place is another's, whose
// read goes to rest.
func (c *ftCell) readSplit(t *ftThread, a *ftAccess) bool {
	r, w := ftLoad64(&c.r), ftLoad64(&c.w)
	v := ftSplitOf(r)
	if v == nil || w&ftLockBit != 0 || a.where() != 1 && a.site&ftFull == 0 {
		return false
	}
	if w != 0 && !t.recalls(w) {
		if !t.knows(w) {
			return false
		}
		t.learn(ftSlotOf(w), t.vc.get(ftSlotOf(w)))
	}
	p := v.here().place(t, ftMarked(a.site)>>ftKindShift&3)
	e := ftSwap64(p, ftTaken)
	for i := 0; e == ftTaken; i++ {
		if ftLoad64(&c.r) != r {
			return false
		}
		ftYield(i)
		e = ftSwap64(p, ftTaken)
	}
	if ftLoad64(&c.r) == r && e != 0 && !t.recalls(e) {
		if !t.knows(e) {
			v.add(t, e)
		}
		e = 0
	}
	ftStore64(p, e)
	return c.quickSplit(t, r, a.site)
}

// add adds a read to rest. The caller has a place.
func (v *ftSplit) add(t *ftThread, e uint64) {
	ftLock(&v.lock)
	v.rest = v.rest.merge(t, e)
	ftUnlock(&v.lock)
}

// merge adds a read, or puts it in place of one of its slot that it stands for. It returns the
// history, which may have moved.
func (c *ftHistory) merge(t *ftThread, e uint64) *ftHistory {
	for i := uint32(0); i < c.n; i++ {
		switch w := c.list[i]; {
		case w>>ftSlotShift != e>>ftSlotShift:
		case ftClockOf(w) >= ftClockOf(e) && ftStands(w>>ftKindShift, e):
			return c
		case ftClockOf(w) <= ftClockOf(e) && ftStands(e>>ftKindShift, w):
			c.list[i] = e
			return c
		}
	}
	return c.add(t, e)
}

// turned notes that t's processor has come to a history, and reports whether it is to be split.
//
//go:nosplit
func (c *ftHistory) turned() bool {
	if by := uint8(ftHere()); c.by != by && c.turns < ftTurns {
		c.by = by
		c.turns++
	}
	return c.turns == ftTurns
}

// split splits the history of a word's own cell, which is held. Where atomic operations look for
// their object, or cells inside the word count, it stays as it is.
func (c *ftCell) split(word uintptr) {
	d := ftHistoryOf(c.r)
	if d == nil || !d.turned() {
		return
	}
	d.turns = 0
	if d.writes != 0 || d.o != nil || *ftGroupsOf(word) != 0 {
		return
	}
	ftStore64(&c.r, ftNewSplit(d).word())
}

// gather makes one history of the parts again, if c has a split one. c is held.
func (c *ftCell) gather(t *ftThread) {
	c.own()
	v := ftSplitOf(c.r)
	if v == nil {
		return
	}
	for i := range ftParts + 1 {
		for j := range v.parts[i].list {
			if e := v.parts[i].take(j); e != 0 {
				v.add(t, e)
			}
		}
	}
	ftStore64(&c.r, v.rest.word()) // no reader has a place any more
	v.free()
}

// take takes the jth place, for good, and returns its read.
func (p *ftHistoryPart) take(j int) uint64 {
	for i := 0; ; i++ {
		if e := ftSwap64(&p.list[j], ftTaken); e != ftTaken {
			return e
		}
		ftYield(i)
	}
}

// ftNobody gathers when memory is new.
var ftNobody ftThread

func (v *ftSplit) free() {
	ftLock(&ftSplits.lock)
	v.next = ftSplits.free
	ftSplits.free = v
	ftUnlock(&ftSplits.lock)
}
