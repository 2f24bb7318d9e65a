package presagert

import "unicode/utf8"

// Loops that SSA takes apart: over strings, and over functions.

// StrIter is the iterator of a range loop over a string.
type StrIter struct {
	s string
	i int
}

// RangeStr returns an iterator over s.
func RangeStr(s string) *StrIter { return &StrIter{s: s} }

// Next returns the next rune and where it starts; ok is false after the last.
func (s *StrIter) Next() (ok bool, i int, r rune) {
	if s.i >= len(s.s) {
		return
	}
	i = s.i
	r, n := utf8.DecodeRuneInString(s.s[i:])
	s.i += n
	return true, i, r
}

// RangeState fails as a range over a function does that is in the state in which SSA says that it
// is: left (> 0), in its body (-1), or over (-2); 0 stands for one whose iterator returned though
// the body had panicked. The compiler knows how: each case is such a loop.
func RangeState(jump int) {
	var kept func() bool
	switch jump {
	case -1:
		for range func(yield func() bool) { kept = yield; yield() } {
			kept()
		}
	case -2:
		for range func(yield func() bool) { kept = yield } {
		}
		kept()
	case 0:
		for range func(yield func() bool) { defer func() { recover() }(); yield() } {
			panic(0)
		}
	default:
		for range func(yield func() bool) { yield(); yield() } {
			break
		}
	}
}
