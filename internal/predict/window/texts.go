package window

import "github.com/presage-race/presage/internal/trace/format"

// Strings over memory (docs/model.md):
//
//   - (T1) A read of what such a string says is an event like another read: what the goroutine does
//     with the string rests on it, and so does what it writes. It is in no race: the program reads
//     the bytes later, or not at all.
//   - (T2) Two strings in the same place that say different things have the same words. So a word
//     in which something that points there is put has, in the window, values that are their
//     writers' own: who reads it depends on who wrote it, and so on what that one has read.

// textGrain is how many bits of an address do not matter for what points to a string: strings are
// near each other, and what is kept is little.
const textGrain = 6

// says notes a read of what a string says.
func (b *state) noteText(e *format.Event) {
	if b.texts == nil {
		b.texts = make(map[uint64]struct{})
	}
	b.texts[uint64(e.Obj)>>textGrain] = struct{}{}
}

// keepsText reports whether an access leaves something in a word that points to what a string says
// (T2).
func (b *state) keepsText(e *format.Event) bool {
	v := e.Val
	switch e.Kind {
	case format.AtomicRMW:
		v = e.Aux
	case format.Write, format.AtomicWrite:
	default:
		return false
	}
	if e.Size != 8 || len(b.texts) == 0 {
		return false
	}
	_, ok := b.texts[v>>textGrain]
	return ok
}
