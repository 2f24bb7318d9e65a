package online

// A word is one access in a cell: 0, or
//
//	63        48 47        26  25    24    23        0
//	slot         clock         full  lock  site
//
// slot and clock are the epoch; full says that the access covered the eight bytes from the cell's
// own on; lock is of the cell and stands in its W alone.
const (
	ftSiteBits   = 24
	ftLockBit    = 1 << 24
	ftFullBit    = 25
	ftFull       = 1 << ftFullBit
	ftEpochShift = 26
	ftClockBits  = 22
	ftSlotShift  = ftEpochShift + ftClockBits

	ftMaxClock   = 1<<ftClockBits - 1
	ftHistoryTag = 0xffff // in place of the slot: the rest is the address of a history
	ftLazySlot   = 0xfffe // in place of the slot: the goroutine has none yet
	ftSplitTag   = 0xfffd // in place of the slot: the rest is the address of a history by processor
	// in place of the slot: the rest is the address of a history that cells share
	ftSharedTag = 0xfffc
	ftSiteMask  = 1<<ftSiteBits - 1
)

//go:nosplit
func ftEpoch(slot, clock uint32) uint64 {
	return uint64(slot)<<ftSlotShift | uint64(clock)<<ftEpochShift
}

//go:nosplit
func ftSlotOf(w uint64) uint32 { return uint32(w >> ftSlotShift) }

//go:nosplit
func ftClockOf(w uint64) uint32 { return uint32(w>>ftEpochShift) & ftMaxClock }
