package window

import (
	"slices"

	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// opened are the reads of a buffer that may return other values if goroutines do other things, or
// do them in another order: reads of what several goroutines access, and reads of what their
// goroutine has computed from such reads and written to memory. A captured variable is an example:
//
//	var a int
//	func() { mu.Lock(); a = y; mu.Unlock() }()
//	if a == 0 { … }
type opened struct {
	b    *buffer
	open []bool // by record
}

// opened finds these reads. others reports whether an alternative of another goroutine than g
// writes a word.
func (b *buffer) opened(others func(word uint64, g trace.GoID) bool) *opened {
	o := &opened{b: b, open: make([]bool, len(b.buf))}
	words := map[uint64]bool{} // those whose content depends on such reads
	for i := range b.buf {
		r := &b.buf[i]
		e := &r.Event
		if !e.Kind.IsAccess() {
			o.open[i] = e.Kind == format.ChanRecv
			continue
		}
		w := uint64(e.Obj) >> 3
		if reads(e.Kind) {
			o.open[i] = words[w] || b.foreign(e.G, uint64(e.Obj), int64(e.Size)) || others(w, e.G)
		}
		switch {
		case !e.Kind.IsWrite():
		case slices.ContainsFunc(r.From, o.read):
			words[w] = true
		case e.Kind != format.AtomicRMW && (e.Size == 0 || e.Size == 8):
			delete(words, w)
		}
	}
	return o
}

// read reports whether a read, by its number in the trace, is one of them.
func (o *opened) read(x int64) bool {
	i := o.b.recordOf(x)
	return i >= 0 && int(i) < len(o.open) && o.open[i]
}
