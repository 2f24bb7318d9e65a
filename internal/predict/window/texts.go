package window

import "github.com/presage-race/presage/internal/trace/format"

// Strings over memory (docs/theory/model.md).
//
//   - (WI10) A read of the bytes of such a string is an event like another read: what the goroutine
//     does with the string depends on it, and so does what it writes. It is in no race, because the
//     program reads the bytes later, or not at all. Two strings in the same place with different
//     bytes have the same words. So if something that points there is written to a word, the values
//     of that word are unique to their writers in the window. A read of the word then depends on
//     the writer, and so on the bytes that the writer read.

// textGrain is the number of low bits of an address that noteText drops. Strings are near each
// other, so the set stays small.
const textGrain = 6

// noteText notes a read of the bytes of a string.
func (b *state) noteText(e *format.Event) {
	if b.texts == nil {
		b.texts = make(map[uint64]struct{})
	}
	b.texts[uint64(e.Obj)>>textGrain] = struct{}{}
}

// keepsText reports whether an access writes a pointer to the bytes of a string (WI10).
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
