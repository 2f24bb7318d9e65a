package runtime

import (
	"internal/abi"
	"unsafe"
)

// What a string says is recorded where unsafe code makes the string, and the program reads it
// later, if at all. So the memory may be one that cannot be read: with no access (mprotect),
// unmapped, or behind the end of a mapped file. Then the record has no value, and the program goes
// on.

// pgTextBytes is the number of bytes up to which a text is recorded with its value: MaxValues of
// package plan.
const pgTextBytes = 64

// Text records the n bytes at a, which a string points to.
func (s *PresageG) Text(h uint64, a unsafe.Pointer, n uintptr) {
	var text [pgTextBytes]byte
	to := noescape(unsafe.Pointer(&text))
	if n <= pgTextBytes && pgCopy(to, a, n) {
		s.Mem(h, a, to, n)
	} else {
		s.Range(h, a, n)
	}
}

// pgCopy copies n bytes. It reports false if the memory cannot be read.
//
//go:noescape
func pgCopy(to, from unsafe.Pointer, n uintptr) bool

// presageFault goes on after a fault in pgCopy, as if that returned false.
//
//go:nosplit
func presageFault(sig uint32, c *sigctxt) bool {
	if sig != _SIGSEGV && sig != _SIGBUS || c.sigFromUser() {
		return false
	}
	f := findfunc(c.sigpc())
	if !f.valid() || f.entry() != abi.FuncPCABI0(pgCopy) {
		return false
	}
	presageResume(c)
	return true
}
