package built

// Masks of the bytes of an aligned word: bit k stands for the byte k up from its address.

// ByteMask returns the bytes of its word that an access covers. Size 0 means the whole word.
func ByteMask(addr uint64, size uint16) uint8 {
	off := addr & 7
	if size == 0 || size >= 8 {
		return 0xff << off
	}
	return uint8((1<<size - 1) << off)
}

// BitMask widens each bit of mask to a byte.
func BitMask(mask uint8) uint64 {
	var b uint64
	for i := range 8 {
		if mask>>i&1 != 0 {
			b |= 0xff << (8 * i)
		}
	}
	return b
}

// Extract returns the bytes of mask in word, shifted down to the lowest.
func Extract(word uint64, mask uint8) uint64 {
	if mask == 0 {
		return 0
	}
	off := 0
	for mask>>off&1 == 0 {
		off++
	}
	return word & BitMask(mask) >> (8 * off)
}
