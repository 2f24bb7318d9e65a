package goval

import (
	"fmt"
	"math"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// Value is the memory image of a Go value: its bytes as they stand in memory, in
// little-endian 8-byte words, and which of the words are known. A scalar of fewer
// than 8 bytes is zero-extended, also if it is signed.
//
//	string     pointer, length          interface  type word, data word
//	slice      pointer, length, cap     struct     its fields, with padding
//
// A Value is immutable. The zero Value is unknown.
type Value struct {
	bits  uint64
	known uint64 // bit i: word i is known; bit 63 stands for word 63 and all after it
	more  *more
}

// more is the parts that only some values have.
type more struct {
	words []uint64      // words 1 and up
	text  *string       // the content of a string, if it is known
	fn    *ssa.Function // the function that a function value is, where its address is not known
	typ   *Dynamic      // of an interface: the type of what is in it, if that is known
}

// Known returns the value of at most 8 bytes whose bits are given.
func Known(bits uint64) Value { return Value{bits: bits, known: 1} }

// Words returns a value all of whose words are known.
func Words(w []uint64) Value {
	switch len(w) {
	case 0:
		return Known(0)
	case 1:
		return Known(w[0])
	}
	return Value{bits: w[0], known: LowBits(len(w)), more: &more{words: w[1:]}}
}

// Zero returns the zero value of a type of the given size.
func Zero(size int64) Value {
	if size <= 8 {
		return Known(0)
	}
	return Words(make([]uint64, (size+7)/8))
}

// Text returns a string of known content and unknown address.
func Text(s string) Value {
	return Value{known: 2, more: &more{words: []uint64{uint64(len(s))}, text: &s}}
}

// Partial returns the value of the words first and rest. Bit i of known is set if word i is
// known. The value keeps the slice.
func Partial(first uint64, rest []uint64, known uint64) Value {
	return Value{bits: first, known: known, more: &more{words: rest}}
}

// FunctionValue returns a function that captures nothing: its address is not known.
func FunctionValue(fn *ssa.Function) Value { return Value{more: &more{fn: fn}} }

// Function returns the function that a value is known to be, nil if it has none.
func (v Value) Function() *ssa.Function {
	if v.more == nil {
		return nil
	}
	return v.more.fn
}

// Dynamic returns the type of the content of an interface, nil if it is unknown.
func (v Value) Dynamic() *Dynamic {
	if v.more == nil {
		return nil
	}
	return v.more.typ
}

// WithDynamic adds the type of the content of an interface.
func (v Value) WithDynamic(t *Dynamic) Value {
	m := more{typ: t}
	if v.more != nil {
		m = *v.more
		m.typ = t
	}
	v.more = &m
	return v
}

// Unknown reports whether no word is known.
func (v Value) Unknown() bool { return v.known == 0 }

// IsWord reports whether the value has one word and nothing else.
func (v Value) IsWord() bool { return v.more == nil }

// Len returns the number of words that v has.
func (v Value) Len() int {
	if v.more == nil {
		return 1
	}
	return 1 + len(v.more.words)
}

// LowBits returns a word with its low n bits set.
func LowBits(n int) uint64 {
	if n >= 64 {
		return math.MaxUint64
	}
	return 1<<n - 1
}

// Word returns word i and whether it is known.
func (v Value) Word(i int) (uint64, bool) {
	if v.known>>min(i, 63)&1 == 0 {
		return 0, false
	}
	if i == 0 {
		return v.bits, true
	}
	if v.more == nil || i > len(v.more.words) {
		return 0, false
	}
	return v.more.words[i-1], true
}

// Bits returns the value as one word, and whether it is known.
func (v Value) Bits() (uint64, bool) { return v.bits, v.known&1 != 0 }

// Content returns the content of a string, if it is known.
func (v Value) Content() (string, bool) {
	if v.more != nil && v.more.text != nil {
		return *v.more.text, true
	}
	if n, ok := v.Word(1); ok && n == 0 {
		return "", true
	}
	return "", false
}

// WithText adds the content of a string whose words are known already.
func (v Value) WithText(s string) Value {
	m := &more{text: &s}
	if v.more != nil {
		m.words = v.more.words
	}
	v.more = m
	return v
}

// IsKnown reports whether all bytes of a value of the given size are known.
func (v Value) IsKnown(size int64) bool {
	want := LowBits(int(size+7) / 8)
	return v.known&want == want
}

// String prints the words of v in hexadecimal, unknown words as "?".
func (v Value) String() string {
	n := 1
	if v.more != nil {
		n += len(v.more.words)
	}
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteByte(' ')
		}
		if w, ok := v.Word(i); ok {
			fmt.Fprintf(&b, "%#x", w)
		} else {
			b.WriteByte('?')
		}
	}
	return b.String()
}

// Part returns the size bytes of v that start at byte off: a field or an element.
func (v Value) Part(off, size int64) Value {
	if off == 0 && size <= 8 {
		return Value{bits: v.bits & Mask(size), known: v.known & 1}
	}
	if size <= 8 {
		w, ok := v.Word(int(off / 8))
		r := Known(w >> (8 * (off % 8)) & Mask(size))
		if off%8+size > 8 { // unaligned: two words
			hi, ok2 := v.Word(int(off/8) + 1)
			r.bits = (r.bits | hi<<(64-8*(off%8))) & Mask(size)
			ok = ok && ok2
		}
		if !ok {
			return Value{}
		}
		return r
	}
	n := int(size+7) / 8
	m := &more{words: make([]uint64, n-1)}
	r := Value{more: m}
	for j := range n {
		p := v.Part(off+int64(j)*8, min(8, size-int64(j)*8))
		w, ok := p.Bits()
		if !ok {
			continue
		}
		if j == 0 {
			r.bits = w
		} else {
			m.words[j-1] = w
		}
		if j < 63 {
			r.known |= 1 << j
		}
	}
	if n > 63 { // bit 63 stands for all the rest
		all := true
		for j := 63; j < n; j++ {
			_, ok := v.Part(off+int64(j)*8, min(8, size-int64(j)*8)).Bits()
			all = all && ok
		}
		if all {
			r.known |= 1 << 63
		}
	}
	return r
}

// Join returns the value of size bytes made of parts: p[i] is at byte off[i]
// and has n[i] bytes. Bytes that no part covers are zero.
func Join(size int64, off, n []int64, p []Value) Value {
	if size <= 8 {
		r := Known(0)
		for i := range p {
			r.bits |= p[i].bits & Mask(n[i]) << (8 * off[i])
			r.known &= p[i].known
		}
		return r
	}
	w := make([]uint64, (size+7)/8)
	r := Words(w)
	w = append([]uint64(nil), w...)
	for i := range p {
		for j := int64(0); j*8 < n[i]; j++ {
			x, ok := p[i].Word(int(j))
			k := min(8, n[i]-j*8)
			at, sh := int((off[i]+j*8)/8), 8*(off[i]%8)
			w[at] |= x & Mask(k) << sh
			if !ok {
				r.known &^= 1 << min(at, 63)
			}
			if sh/8+k > 8 { // the rest is in the next word
				w[at+1] |= x & Mask(k) >> (64 - sh)
				if !ok {
					r.known &^= 1 << min(at+1, 63)
				}
			}
		}
	}
	r.bits, r.more = w[0], &more{words: w[1:]}
	return r
}

// Mask covers the low n bytes of a word, all of it for n ≥ 8.
func Mask(n int64) uint64 {
	if n >= 8 {
		return math.MaxUint64
	}
	return 1<<(8*n) - 1
}

// Differ reports whether a and b are known to differ in a byte of their first size bytes.
func Differ(a, b Value, size int64) bool {
	for i := int64(0); i*8 < size; i++ {
		x, ok := a.Word(int(i))
		y, ok2 := b.Word(int(i))
		if ok && ok2 && (x^y)&Mask(size-i*8) != 0 {
			return true
		}
	}
	return false
}
