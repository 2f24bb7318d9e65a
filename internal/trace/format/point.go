package format

// PointWords is the lowest address of a word that stands for an access in a steered run (package
// steer). An AtomicRead of the word comes before the access, at its site. The word has the address
// of the access, whether it is a write, and its number of bytes, at most PointSize. Package merge
// takes these events out of the trace.
const PointWords Addr = 1 << 57

// Where a word has what.
const (
	PointWrite Addr = 1 << 48
	PointShift      = 49
	PointSize       = 1<<8 - 1
)

// IsPointWord reports whether an address stands for an access.
func IsPointWord(a Addr) bool { return a >= PointWords && a < PoolWords }

// PointAt returns the access that a word stands for.
func PointAt(a Addr) (at Addr, size uint64, write bool) {
	return a & (PointWrite - 1), uint64(a>>PointShift) & PointSize, a&PointWrite != 0
}
