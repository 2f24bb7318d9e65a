package format

// The bits of the flags of a RawShort; below them its size.
const (
	ShortWrite Flags = 1 << 7
	ShortAddr  Flags = 1 << 6 // the address is there
	ShortFirst Flags = 1 << 5 // the first word is
	ShortRest  Flags = 1 << 4 // the others are, if there are any
)

// ShortHeader packs the header of a RawShort but for its step. Size is 1 to 8, 16 or 24.
func ShortHeader(f Flags, size int64, site uint32) uint64 {
	if size > 8 {
		size = 7 + size/8
	}
	return uint64(RawShort)<<56 | uint64(f)<<48 | uint64(size)<<48 | uint64(site)
}

// ShortSize returns the size of the access with the header h of a RawShort, and its words.
func ShortSize(h uint64) (size uint16, words int) {
	if n := h >> 48 & 0xF; n > 8 {
		return uint16(n-7) * 8, int(n - 7)
	} else {
		return uint16(n), 1
	}
}

// ShortStep returns the step of a RawShort.
func ShortStep(h uint64) uint64 { return uint64(int16(h >> 32)) }

func shortLen(h uint64) int {
	f := Flags(h >> 48)
	size, words := ShortSize(h)
	if size == 0 || size > 24 {
		return 0
	}
	n := 1
	if f&ShortAddr != 0 {
		n++
	}
	if f&ShortFirst != 0 {
		n++
	}
	if f&ShortRest != 0 {
		n += words - 1
	}
	return n
}
