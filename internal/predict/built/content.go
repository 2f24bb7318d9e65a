package built

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/presage-race/presage/internal/predict/expr"
	"github.com/presage-race/presage/internal/trace"
)

// Content is what a read of the trace returns, put together from pieces. A piece that several
// goroutines access is what an event of the window sees. Another one is what the goroutine itself
// has written there.
type Content struct {
	Pieces []Piece
}

// A Piece is some bytes of a read, shifted down to the lowest, as an expression over events of the
// window.
type Piece struct {
	Mask uint8
	Is   *expr.Expr
}

// first returns the lowest byte of a mask, ones the number of bytes. A mask is dense if it has no
// gap.
func first(mask uint8) int64 { return int64(bits.TrailingZeros8(mask)) }
func ones(mask uint8) int64  { return int64(bits.OnesCount8(mask)) }
func dense(mask uint8) bool  { return mask>>first(mask) == 1<<ones(mask)-1 }

// AtomOf returns the bytes of mask of an aligned word in which an access wrote word, shift bits up.
func AtomOf(word *expr.Expr, shift uint64, mask uint8) *expr.Expr {
	off := first(mask)
	if dense(mask) && off >= int64(shift/8) {
		return expr.PartOf(word, off-int64(shift/8), ones(mask))
	}
	e := expr.Binary(expr.Shl, expr.Uint64, expr.Uint64, word, expr.Word(shift))
	e = expr.Binary(expr.And, expr.Uint64, 0, e, expr.Word(BitMask(mask)))
	return expr.Binary(expr.Shr, expr.Uint64, expr.Uint64, e, expr.Word(uint64(8*off)))
}

// Word returns what a read of the bytes of mask returns; nil if the pieces do not cover it.
func (c *Content) Word(mask uint8) *expr.Expr {
	covered := uint8(0)
	tidy := true
	for _, p := range c.Pieces {
		covered |= p.Mask
		tidy = tidy && dense(p.Mask)
	}
	switch {
	case covered != mask:
		return nil
	case len(c.Pieces) == 1:
		return c.Pieces[0].Is
	case tidy:
		return c.concat()
	}
	e := expr.Word(0)
	for _, p := range c.Pieces {
		x := expr.Binary(expr.Shl, expr.Uint64, expr.Uint64, p.Is, expr.Word(uint64(8*first(p.Mask))))
		x = expr.Binary(expr.And, expr.Uint64, 0, x, expr.Word(BitMask(p.Mask)))
		e = expr.Binary(expr.Or, expr.Uint64, 0, x, e)
	}
	return AtomOf(e, 0, mask)
}

// concat puts dense pieces together, the highest first.
func (c *Content) concat() *expr.Expr {
	list := slices.Clone(c.Pieces)
	slices.SortFunc(list, func(p, q Piece) int { return cmp.Compare(q.Mask, p.Mask) })
	e := list[0].Is
	for _, p := range list[1:] {
		e = expr.Concat(p.Is, ones(p.Mask), e)
	}
	return e
}

// ReadMask returns the bytes of an aligned word that an event reads. A receive takes a whole one.
func ReadMask(e *trace.Event) uint8 {
	if !e.Kind.IsAccess() {
		return 0xff
	}
	return ByteMask(uint64(e.Obj)&7, e.Size)
}
