package runtime

import "unsafe"

// What package testing says of the tests that goroutines run.

//go:linkname testing_presageTest testing.presageTest
func testing_presageTest(name string) {
	if name != "" {
		presageNames(0, name)
	}
}

//go:linkname testing_presageTested testing.presageTested
func testing_presageTested(path string) { presageNames(pgFlagFirst, path) }

// presageNames writes a RawTest.
func presageNames(flags uint64, name string) {
	if !presage.on {
		return
	}
	s := pgState(getg())
	if s == nil || s.off {
		return
	}
	name = name[:min(len(name), 4000)]
	words := max(1, (len(name)+7)/8)
	p := s.room(1 + words)
	pgStore(p+8, 0)
	memmove(unsafe.Pointer(p+8), unsafe.Pointer(unsafe.StringData(name)), uintptr(len(name)))
	pgStore(p, pgHead(pgRawTest, flags, uint64(len(name)), 0))
	s.pos = p + uintptr(1+words)*8
}
