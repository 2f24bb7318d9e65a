package runtime

import "unsafe"

// context_presageDone records the channel of a context: a write of a word that stands for the
// context (package format).
//
//go:linkname context_presageDone context.presageDone
func context_presageDone(ctx unsafe.Pointer, done *hchan) {
	word := uintptr(pgContexts) | uintptr(ctx)
	s := pgAt(word)
	if s == nil {
		return
	}
	site := s.site
	s.site = 0
	st := pgEnter(s, word)
	s.put2(st, s.take(pgAtomicWrite, 0, 8), word, uint64(uintptr(unsafe.Pointer(done))))
	pgLeave(st)
	s.site = site
}
