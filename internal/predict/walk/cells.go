package walk

import (
	"github.com/presage-race/presage/internal/predict/expr"
	"github.com/presage-race/presage/internal/predict/goval"
	"github.com/presage-race/presage/internal/source/plan"
)

// A cell is a local variable whose address does not leave the function (package plan).
type cell struct {
	words []uint64 // nil: too large to follow, nothing is known
	known uint64
	deps  *reads       // the union over the stores to any part of it (WA4)
	terms []*expr.Expr // of the words; nil: they depend on no read
}

// maxCell bounds the size of a local variable whose content is followed, in words.
const maxCell = plan.MaxFollowed / 8

func (c *cell) clear(size int64) {
	c.deps, c.terms, c.known = nil, nil, 0
	n := int(size+7) / 8
	if size < 0 || n > maxCell {
		c.words = nil
		return
	}
	if cap(c.words) < n {
		c.words = make([]uint64, n)
	}
	c.words = c.words[:n]
	clear(c.words)
	c.known = goval.LowBits(n)
}

// load returns size bytes at offset off.
func (c *cell) load(off goval.Value, size int64) goval.Value {
	at, ok := off.Bits()
	if !ok || size <= 0 || at+uint64(size) > uint64(len(c.words))*8 {
		return goval.Value{} // of size zero, there is nothing to know
	}
	return goval.Partial(c.words[0], c.words[1:], c.known).Part(int64(at), size)
}

// store sets size bytes at offset off.
func (c *cell) store(off goval.Value, size int64, v goval.Value) {
	at, ok := off.Bits()
	if !ok || size < 0 || at+uint64(size) > uint64(len(c.words))*8 {
		c.known = 0
		return
	}
	for i := int64(0); i*8 < size; i++ {
		n := min(8, size-i*8)
		w, ok := v.Word(int(i))
		c.setWord(int64(at)+i*8, n, w, ok)
	}
}

// setWord sets n ≤ 8 bytes at offset at, which may lie in two words.
func (c *cell) setWord(at, n int64, w uint64, ok bool) {
	if first := 8 - at%8; n > first {
		c.setWord(at, first, w, ok)
		at, n, w = at+first, n-first, w>>(8*first)
	}
	i, sh := at/8, 8*(at%8)
	m := goval.Mask(n) << sh
	c.words[i] = c.words[i]&^m | w<<sh&m
	switch {
	case !ok:
		c.known &^= 1 << i
	case n == 8:
		c.known |= 1 << i
	}
}

// storeTerm updates the terms of a local variable for a store. It is called before the store.
func (c *cell) storeTerm(off goval.Value, size int64, t *goval.Term, changes, whole bool) {
	at, ok := off.Bits()
	switch {
	case !changes && (whole || c.terms == nil && ok):
		c.terms = nil // the words have the values
		return
	case c.words == nil:
		return
	case c.terms == nil:
		c.terms = goval.Fixed(goval.Partial(c.words[0], c.words[1:], c.known)).Words
	default:
		c.terms = append([]*expr.Expr(nil), c.terms...) // loads of the whole share it
	}
	if !ok || size < 0 || at+uint64(size) > uint64(len(c.words))*8 {
		clear(c.terms)
		return
	}
	if whole {
		c.terms = make([]*expr.Expr, len(c.terms))
		for i := range c.terms {
			c.terms[i] = t.Word(i)
		}
		return
	}
	(&goval.Term{Words: c.terms}).Set(int64(at), size, t)
}
