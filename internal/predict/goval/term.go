package goval

import (
	"cmp"
	"slices"

	"github.com/presage-race/presage/internal/predict/expr"
)

// A Term is a symbolic value: an expression over reads of the trace for each word of the value. A
// word without an expression is unknown. RECIPE calls this the symbolic trace (section III.A).
type Term struct {
	Words []*expr.Expr // nil: not known
	Text  *expr.Expr   // the content of a string, nil: not known
	Null  *expr.Expr   // of an error: whether it is nil; nil: the first word has the answer
	Type  *Dynamic     // of an interface: the type of what is in it, if that is known
	Load  bool         // the term is the result of a load
}

// Bounds of an expression of a term.
const (
	maxTerm      = 2048 // nodes
	maxTermReads = 64   // reads
)

// Word returns word i, nil if it is not known.
func (t *Term) Word(i int) *expr.Expr {
	if t == nil || i >= len(t.Words) {
		return nil
	}
	return t.Words[i]
}

// Single is the term of a value of one word.
func Single(e *expr.Expr) *Term {
	if e == nil {
		return nil
	}
	return &Term{Words: []*expr.Expr{e}}
}

// Fixed is the term of a value that is the same in every run.
func Fixed(v Value) *Term {
	t := &Term{Words: make([]*expr.Expr, 1)}
	if v.more != nil {
		t.Words = make([]*expr.Expr, 1+len(v.more.words))
	}
	for i := range t.Words {
		if w, ok := v.Word(i); ok {
			t.Words[i] = expr.Word(w)
		}
	}
	if s, ok := v.Content(); ok && v.more != nil {
		t.Text = expr.Text(s)
	}
	return t
}

// Part is size bytes at offset off: a field or an element.
func (t *Term) Part(off, size int64) *Term {
	if t == nil {
		return nil
	}
	if n := int64(len(t.Words)); off == 0 && size == 8*n {
		return t
	}
	p := &Term{Words: make([]*expr.Expr, max(1, (size+7)/8))}
	for i := range p.Words {
		p.Words[i] = t.bytes(off+8*int64(i), min(8, size-8*int64(i)))
	}
	return p
}

// bytes is n ≤ 8 bytes at offset off, which may lie in two words.
func (t *Term) bytes(off, n int64) *expr.Expr {
	i, from := int(off/8), off%8
	if n <= 0 {
		return expr.Word(0)
	}
	lo := expr.PartOf(t.Word(i), from, min(n, 8-from))
	if from+n <= 8 {
		return lo
	}
	return expr.Concat(lo, 8-from, expr.PartOf(t.Word(i+1), 0, from+n-8))
}

// LoadTerm is the term of a load whose parts are known, nil if they are not.
func LoadTerm(parts []LoadPart) *Term {
	if len(parts) == 0 || len(parts) > maxTermReads {
		return nil
	}
	last := parts[len(parts)-1]
	t := &Term{Words: make([]*expr.Expr, (last.At+last.Size+7)/8), Load: true}
	for _, p := range parts { // they follow each other
		e := expr.NewRead(p.Read, p.Size, p.Bits&Mask(p.Size))
		i, from := p.At/8, p.At%8
		if from == 0 {
			t.Words[i] = e
			continue
		}
		t.Words[i] = expr.Concat(t.Words[i], from, e)
		if from+p.Size > 8 {
			t.Words[i+1] = expr.PartOf(e, 8-from, from+p.Size-8)
		}
	}
	return t
}

// A LoadPart is a part of a load: a read, and the offset of its bytes in the value.
type LoadPart struct {
	Read int64
	At   int64
	Size int64
	Bits uint64 // recorded
}

// TooLarge reports whether an expression exceeds the bounds of a term.
func TooLarge(e *expr.Expr) bool { return len(e.Reads()) > maxTermReads || !e.Within(maxTerm) }

// Trimmed returns t without Text and Null if one of them is too large.
func (t *Term) Trimmed() *Term {
	if t.Text != nil && TooLarge(t.Text) || t.Null != nil && TooLarge(t.Null) {
		t = &Term{Words: t.Words}
	}
	return t
}

// RecordedIs reports whether the recorded value of e is want, in the bits of m.
func RecordedIs(e *expr.Expr, want, m uint64) bool {
	v, ok := e.Recorded()
	return ok && (v^want)&m == 0
}

// Without returns t without the term of word i.
func (t *Term) Without(i int) *Term {
	c := &Term{Words: append([]*expr.Expr(nil), t.Words...), Text: t.Text, Null: t.Null}
	c.Words[i] = nil
	return c
}

// Set gives t size bytes of v at offset at. It changes t.
func (t *Term) Set(at, size int64, v *Term) {
	for i := int64(0); i*8 < size; i++ {
		t.setBytes(at+i*8, min(8, size-i*8), v.Word(int(i)))
	}
}

// setBytes sets n ≤ 8 bytes at offset at, which may lie in two words.
func (t *Term) setBytes(at, n int64, e *expr.Expr) {
	i, from := at/8, at%8
	if first := 8 - from; n > first {
		t.setBytes(at, first, expr.PartOf(e, 0, first))
		t.setBytes(at+first, n-first, expr.PartOf(e, first, n-first))
		return
	}
	if n == 8 {
		t.Words[i] = e
		return
	}
	old := t.Words[i]
	high := expr.Concat(e, n, expr.PartOf(old, from+n, 8-from-n))
	t.Words[i] = expr.Concat(expr.PartOf(old, 0, from), from, high)
}

// Valued returns t without the expressions that have no value for any values of the reads.
func (t *Term) Valued() *Term {
	nothing := func(e *expr.Expr) bool {
		if e == nil || len(e.Reads()) > 0 {
			return false
		}
		_, word := e.Recorded()
		_, text := e.RecordedText()
		return !word && !text
	}
	for i, e := range t.Words {
		if nothing(e) {
			t = t.Without(i)
		}
	}
	if nothing(t.Text) {
		t = &Term{Words: t.Words}
	}
	return t
}

// ReadsOf returns the reads of a term, ascending by number.
func ReadsOf(t *Term) []*expr.Expr {
	var reads []*expr.Expr
	for _, e := range t.Words {
		if e != nil {
			reads = append(reads, e.Reads()...)
		}
	}
	slices.SortFunc(reads, func(a, b *expr.Expr) int { return cmp.Compare(a.Number(), b.Number()) })
	return slices.CompactFunc(reads, func(a, b *expr.Expr) bool { return a.Number() == b.Number() })
}

// RecordedValue returns the value of a term in the recorded run. ok is false if one of its
// expressions has no value.
func RecordedValue(t *Term) (v Value, ok bool) {
	return t.Evaluate(func(e *expr.Expr) (uint64, bool) { return e.Recorded() })
}

// Evaluate returns the value of a term whose expressions have the values that of returns. ok is
// false if one of them has none.
func (t *Term) Evaluate(of func(*expr.Expr) (uint64, bool)) (v Value, ok bool) {
	words := make([]uint64, max(1, len(t.Words)))
	known := uint64(0)
	for i, e := range t.Words {
		if e == nil {
			continue
		}
		if words[i], ok = of(e); !ok {
			return Value{}, false
		}
		known |= 1 << min(i, 63)
	}
	if v = Words(words); len(words) > 63 && known>>63 != 0 { // bit 63 stands for all the rest
		for _, e := range t.Words[63:] {
			if e == nil {
				known &^= 1 << 63
			}
		}
	}
	v.known = known
	if t.Text != nil {
		if s, ok := t.Text.RecordedText(); ok && t.Text.IsConst() {
			v = v.WithText(s)
		}
	}
	return v, true
}

// Same reports whether two values are known in all their words, and equal.
func Same(a, b Value) bool {
	n := a.Len()
	if n != b.Len() {
		return false
	}
	for i := range n {
		x, ok := a.Word(i)
		y, ok2 := b.Word(i)
		if !ok || !ok2 || x != y {
			return false
		}
	}
	return true
}
