package walk

import (
	"go/types"

	"github.com/presage-race/presage/internal/predict/expr"
)

// A term is the symbolic value of a register: the expressions over reads that the trace has
// unrolled its computation into, RECIPE's symbolic trace (seed 000 section III.A), a word
// each. Terms are made only for a walk that asks for them (NewSymbolic), and only for values that depend on a read
// that is not pinned. What an instruction means is in express.go.
//
// (T1) The term of a load is the words that its Read events return; of an operation that eval
// computes, the operation over the terms of its operands; of a call that is walked, a phi, a local
// variable, that of what was passed, chosen or stored. All else has none: what was recorded and not recomputed.
//
// (T2) An operand that must keep its value (rule F2) and has a term is a guard of the next event: term = recorded value,
// and its reads stay open. One without a term pins its reads, and so does one that is nothing but a load: the guard would say
// the same.
//
// (T3) With the values of the recorded run, a term amounts to the recorded value. That is checked whenever one is
// made: the expressions know what they amounted to (expr E5).
type term struct {
	words []*expr.Expr // nil: not known
	text  *expr.Expr   // the content of a string, nil: not known
	null  *expr.Expr   // of an error: whether it is nil; nil: its first word says it
	typ   *dynamic     // of an interface: of what is in it, where an alternative has put it there
	load  bool         // it is what a load returned
}

// Bounds of a term. What is larger has none, and is counted.
const (
	maxTerm      = 2048 // nodes of a word
	maxTermReads = 64   // reads of one
)

// word returns word i, nil if it is not known.
func (t *term) word(i int) *expr.Expr {
	if t == nil || i >= len(t.words) {
		return nil
	}
	return t.words[i]
}

// single is the term of a value of one word.
func single(e *expr.Expr) *term {
	if e == nil {
		return nil
	}
	return &term{words: []*expr.Expr{e}}
}

// fixed is the term of a value that is the same in every run.
func fixed(v Value) *term {
	t := &term{words: make([]*expr.Expr, 1)}
	if v.more != nil {
		t.words = make([]*expr.Expr, 1+len(v.more.words))
	}
	for i := range t.words {
		if w, ok := v.Word(i); ok {
			t.words[i] = expr.Word(w)
		}
	}
	if s, ok := v.Content(); ok && v.more != nil {
		t.text = expr.Text(s)
	}
	return t
}

// part is size bytes at offset off: a field or an element.
func (t *term) part(off, size int64) *term {
	if t == nil {
		return nil
	}
	if n := int64(len(t.words)); off == 0 && size == 8*n {
		return t
	}
	p := &term{words: make([]*expr.Expr, max(1, (size+7)/8))}
	for i := range p.words {
		p.words[i] = t.bytes(off+8*int64(i), min(8, size-8*int64(i)))
	}
	return p
}

// bytes is n ≤ 8 bytes at offset off, which may lie in two words.
func (t *term) bytes(off, n int64) *expr.Expr {
	i, from := int(off/8), off%8
	if n <= 0 {
		return expr.Word(0)
	}
	lo := expr.PartOf(t.word(i), from, min(n, 8-from))
	if from+n <= 8 {
		return lo
	}
	return expr.Concat(lo, 8-from, expr.PartOf(t.word(i+1), 0, from+n-8))
}

// leaf is the term of a load whose parts are known, nil if they are not.
func leaf(parts []loaded) *term {
	if len(parts) == 0 || len(parts) > maxTermReads {
		return nil
	}
	last := parts[len(parts)-1]
	t := &term{words: make([]*expr.Expr, (last.at+last.n+7)/8), load: true}
	for _, p := range parts { // they follow each other
		e := expr.NewRead(p.read, p.n, p.val&mask(p.n))
		i, from := p.at/8, p.at%8
		if from == 0 {
			t.words[i] = e
			continue
		}
		t.words[i] = expr.Concat(t.words[i], from, e)
		if from+p.n > 8 {
			t.words[i+1] = expr.PartOf(e, 8-from, from+p.n-8)
		}
	}
	return t
}

// loaded is a part of a load: a Read event, and where its bytes stand in the value.
type loaded struct {
	read int64
	at   int64
	n    int64
	val  uint64 // recorded
}

func tooLarge(e *expr.Expr) bool { return len(e.Reads()) > maxTermReads || !e.Within(maxTerm) }

// known is t without a content, and a null, that is too large.
func (t *term) known() *term {
	if t.text != nil && tooLarge(t.text) || t.null != nil && tooLarge(t.null) {
		t = &term{words: t.words}
	}
	return t
}

func truth(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

func amounts(e *expr.Expr, want, m uint64) bool {
	v, ok := e.Recorded()
	return ok && (v^want)&m == 0
}

// without returns t without the term of word i.
func (t *term) without(i int) *term {
	c := &term{words: append([]*expr.Expr(nil), t.words...), text: t.text, null: t.null}
	c.words[i] = nil
	return c
}

// set gives t size bytes of v at offset at. It changes t.
func (t *term) set(at, size int64, v *term) {
	for i := int64(0); i*8 < size; i++ {
		t.setBytes(at+i*8, min(8, size-i*8), v.word(int(i)))
	}
}

// setBytes sets n ≤ 8 bytes at offset at, which may lie in two words.
func (t *term) setBytes(at, n int64, e *expr.Expr) {
	i, from := at/8, at%8
	if first := 8 - from; n > first {
		t.setBytes(at, first, expr.PartOf(e, 0, first))
		t.setBytes(at+first, n-first, expr.PartOf(e, first, n-first))
		return
	}
	if n == 8 {
		t.words[i] = e
		return
	}
	old := t.words[i]
	high := expr.Concat(e, n, expr.PartOf(old, from+n, 8-from-n))
	t.words[i] = expr.Concat(expr.PartOf(old, 0, from), from, high)
}

// valued is t without what has no value whatever is read.
func (t *term) valued() *term {
	nothing := func(e *expr.Expr) bool {
		if e == nil || len(e.Reads()) > 0 {
			return false
		}
		_, word := e.Recorded()
		_, text := e.RecordedText()
		return !word && !text
	}
	for i, e := range t.words {
		if nothing(e) {
			t = t.without(i)
		}
	}
	if nothing(t.text) {
		t = &term{words: t.words}
	}
	return t
}

// isInterface is not true of type parameters.
func isInterface(t types.Type) bool {
	_, param := types.Unalias(t).(*types.TypeParam)
	return types.IsInterface(t) && !param
}
