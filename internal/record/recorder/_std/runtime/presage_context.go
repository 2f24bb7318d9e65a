package runtime

import "unsafe"

// context_presageDone records the channel of a context: a write of a word that stands for the
// context (package format).
//
//go:linkname context_presageDone context.presageDone
func context_presageDone(ctx unsafe.Pointer, done *hchan) {
	pgOfContext(uintptr(pgContexts)|uintptr(ctx), uint64(uintptr(unsafe.Pointer(done))))
}

//go:linkname context_presageMute context.presageMute
func context_presageMute(d int32) { sync_presageMute(d) }

//go:linkname context_presageInBubble context.presageInBubble
func context_presageInBubble() bool { return getg().bubble != nil }

//go:linkname context_presageContext context.presageContext
func context_presageContext(of, is unsafe.Pointer) {
	pgOfContext(uintptr(pgCancels)|uintptr(of), uint64(uintptr(is)))
}

func pgOfContext(word uintptr, v uint64) {
	s := pgAt(word)
	if s == nil {
		return
	}
	site := s.site
	s.site = 0
	st := pgEnter(s, word)
	s.put2(st, s.take(pgAtomicWrite, 0, 8), word, v)
	pgLeave(st)
	s.site = site
}
