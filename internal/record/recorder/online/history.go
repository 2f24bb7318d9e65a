package online

import "unsafe"

// ftHistory is the accesses of a location that are unordered among themselves, if one word cannot
// hold them: reads by several goroutines, and atomic accesses. A cell with a history has its
// address in R.
type ftHistory struct {
	_      ftOff
	n      uint32
	cap    uint8
	writes uint8                 // 0: no atomic write was ever there
	by     uint8                 // the processor that has come here last,
	turns  uint8                 // and how often it was another (split.go)
	o      *ftObject             // of the location's atomic operations; nil: to be looked for
	list   [ftHistoryList]uint64 // words, with the kind in place of full and lock
}

// Kinds of accesses, in a word of a history and in what is found.
const (
	ftReads = iota
	ftAtomicReads
	ftAtomicWrites
	ftWrites
)

const (
	ftKindShift    = 24
	ftKindMask     = 3 << ftKindShift
	ftHistoryHead  = 16
	ftFirstHistory = 2 // 32 bytes with the head
	ftLineHistory  = 6 // a line of cache
	ftMaxHistory   = 62
	ftHistoryList  = 1 << 12
	ftFront        = 7 // so many the rules of the same epoch look at
)

// ftWhole, in a history, is a read of the whole word; plain writes are never there.
const ftWhole = 3

//go:nosplit
func ftWholeRead(w uint64) bool { return w>>ftKindShift&3 == ftWhole }

func ftKindOf(w uint64) uint8 {
	if k := uint8(w >> ftKindShift & 3); k != ftWhole {
		return k
	}
	return ftReads
}

// has reports whether a read in t's context is there, and of the whole word if that is asked for.
// It takes no lock: an access that frees c meanwhile has found the read there, or comes before it
// and t would not have found c.
//
//go:nosplit
func (c *ftHistory) has(t *ftThread, whole bool) bool {
	for i := uint32(0); i < ftFront && i < c.n; i++ {
		if w := c.list[i]; t.same(w) {
			k := w >> ftKindShift & 3
			return k == ftWhole || k == ftReads && !whole
		}
	}
	return false
}

// ftConflict reports whether two kinds of access can race: the table of (FT1).
func ftConflict(a, b uint8) bool {
	switch {
	case a == ftWrites || b == ftWrites:
		return true
	case a == ftReads:
		return b == ftAtomicWrites
	case b == ftReads:
		return a == ftAtomicWrites
	}
	return false
}

// ftStands reports whether an access of kind mark (a read of the whole word: ftWhole) stands for w
// of a history, if it knows of it: an access that races with w races with it. One of the first
// location alone does not for a read of the whole word.
//
//go:nosplit
func ftStands(mark, w uint64) bool {
	const stands = 1<<ftReads | 1<<ftAtomicReads | // 16 bits: four for each mark
		1<<(4*ftAtomicReads+ftAtomicReads) |
		1<<(4*ftAtomicWrites+ftAtomicReads) | 1<<(4*ftAtomicWrites+ftAtomicWrites) |
		1<<(4*ftWhole+ftReads) | 1<<(4*ftWhole+ftAtomicReads) | 1<<(4*ftWhole+ftWhole)
	return stands>>(mark&3*4+w>>ftKindShift&3)&1 != 0
}

func ftNewHistory(cap uint32) *ftHistory {
	c := (*ftHistory)(ftAlloc(ftHistoryHead + uintptr(cap)*8))
	c.cap = uint8(cap)
	return c
}

// copy returns a history of the same accesses, for other locations.
func (c *ftHistory) copy() *ftHistory {
	d := ftNewHistory(uint32(c.cap))
	d.n, d.writes = c.n, c.writes
	for i, e := range c.list[:c.n] {
		if ftWholeRead(e) {
			e &^= ftKindMask
		}
		d.list[i] = e
	}
	return d
}

// ftMarked returns the low bits of a read's word in a history.
//
// both: ftWhole
//
//go:nosplit
func ftMarked(site uint64) uint64 { return site&(ftSiteMask|ftFull) | site&ftFull>>1 }

func (c *ftHistory) free() { ftFree(unsafe.Pointer(c), ftHistoryHead+uintptr(c.cap)*8) }

//go:nosplit
func ftHistoryOf(r uint64) *ftHistory {
	if r>>ftSlotShift != ftHistoryTag {
		return nil
	}
	return (*ftHistory)(ftFromInt(uintptr(r &^ (ftHistoryTag << ftSlotShift))))
}

func (c *ftHistory) word() uint64 {
	return ftHistoryTag<<ftSlotShift | uint64(ftToInt(unsafe.Pointer(c)))
}

// first puts the word that R was.
func (c *ftHistory) first(r uint64) {
	c.list[0] = ftInHistory(r)
	c.n = 1
}

// ftInHistory converts a read in R to its word in a history.
func ftInHistory(r uint64) uint64 { return r&^ftKindMask | ftMarked(r)&ftKindMask }

// put adds an access of t, in place of those that it covers. It returns the history, which may have
// moved.
func (c *ftHistory) put(t *ftThread, kind uint8, site uint64) *ftHistory {
	mark := uint64(kind)
	if kind == ftReads && site&ftFull != 0 {
		mark = ftWhole
	}
	site &= ftSiteMask
	n := uint32(0)
	for i := uint32(0); i < c.n; i++ {
		if w := c.list[i]; !ftStands(mark, w) || !t.knows(w) {
			c.list[n] = w
			n++
		}
	}
	c.n = n
	return c.add(t, t.epoch|mark<<ftKindShift|site)
}

// add puts a word, and returns the history, which may have moved.
func (c *ftHistory) add(t *ftThread, word uint64) *ftHistory {
	n := c.n
	if n == uint32(c.cap) {
		if c.cap == ftMaxHistory { // (ON1)
			t.stats.readsForgotten++
			copy(c.list[:n-1], c.list[1:n])
			c.n--
		} else {
			d := ftNewHistory(2*n + 2)
			copy(d.list[:n], c.list[:n])
			d.n, d.writes, d.o = n, c.writes, c.o
			c.free()
			c = d
		}
	}
	c.n++
	c.show(c.n-1, word)
	return c
}

// mine returns where a read of the slot is that one with the mark stands for; n: nowhere.
//
//go:nosplit
func (c *ftHistory) mine(slot, mark uint64) uint32 {
	for i := min(c.n, ftFront); i > 0; i-- {
		if e := c.list[(i-1)%ftHistoryList]; e>>ftSlotShift == slot && ftStands(mark, e) {
			return i - 1
		}
	}
	for i := uint32(ftFront); i < c.n; i++ {
		if e := c.list[i%ftHistoryList]; e>>ftSlotShift == slot && ftStands(mark, e) {
			return i
		}
	}
	return c.n
}

// show puts a word in place of the ith. A read comes where the rules of the same epoch look: most
// often it is t again that reads.
//
//go:nosplit
func (c *ftHistory) show(i uint32, word uint64) {
	if k := word >> ftKindShift & 3; k == ftAtomicWrites {
		c.writes = 1
	} else if i >= ftFront && k != ftAtomicReads {
		there := uint32(word>>ftSlotShift) % ftFront
		c.list[i%ftHistoryList] = c.list[there]
		i = there
	}
	c.list[i%ftHistoryList] = word
}
