package expr

import (
	"sort"
	"sync"

	"github.com/cespare/xxhash/v2"
)

// Texts is what strings say, by where they are: read-only memory, which says the same in every
// execution and all the time. So the content of a string whose pointer and length are words of an
// execution is a function of these words ([TextAt]), and a string in memory need not keep its
// pointer for a comparison of contents to be known.
//
// Besides the program's memory it has a place of its own for every string that is put in by its
// content only (Place): constants of code that the recorded run has not executed. No program has an
// address like it.
type Texts struct {
	spans []TextSpan // by address, not overlapping

	lock   sync.Mutex
	placed map[uint64]string
}

// TextSpan is some bytes of read-only memory.
type TextSpan struct {
	Addr uint64
	Text string
}

// The places of strings that are put in by content.
const (
	placeBase  = uint64(1) << 59
	placeShift = 13
	maxPlaced  = 1<<placeShift - 1 // bytes
)

// NewTexts returns the strings in some spans of memory, by address and not overlapping.
func NewTexts(spans []TextSpan) *Texts {
	return &Texts{spans: spans, placed: map[uint64]string{}}
}

// Spans returns the spans of the program's memory. They must not be changed.
func (t *Texts) Spans() []TextSpan { return t.spans }

// At returns the string of n bytes at an address, if it is known.
func (t *Texts) At(addr, n uint64) (string, bool) {
	switch {
	case n == 0:
		return "", true
	case t == nil:
		return "", false
	case addr >= placeBase:
		s, ok := t.Placed(addr)
		if at := addr - (addr &^ (1<<placeShift - 1)); ok && n <= uint64(len(s))-at {
			return s[at : at+n], true
		}
		return "", false
	}
	k := sort.Search(len(t.spans), func(i int) bool { return t.spans[i].Addr > addr }) - 1
	if k < 0 {
		return "", false
	}
	s := &t.spans[k]
	if at, size := addr-s.Addr, uint64(len(s.Text)); at < size && n <= size-at {
		return s.Text[at : at+n], true
	}
	return "", false
}

// Placed returns the string that contains an address.
func (t *Texts) Placed(addr uint64) (string, bool) {
	t.lock.Lock()
	defer t.lock.Unlock()
	s, ok := t.placed[addr&^(1<<placeShift-1)]
	return s, ok && addr&(1<<placeShift-1) <= uint64(len(s))
}

// Place gives a string an address, the same at every call. ok is false if the string is too
// long.
func (t *Texts) Place(s string) (addr uint64, ok bool) {
	if t == nil || len(s) == 0 || len(s) > maxPlaced {
		return 0, false
	}
	t.lock.Lock()
	defer t.lock.Unlock()
	addr = placeBase | xxhash.Sum64String(s)<<placeShift&(placeBase-1)
	was, taken := t.placed[addr]
	if taken && was != s {
		return 0, false
	}
	t.placed[addr] = s
	return addr, true
}
