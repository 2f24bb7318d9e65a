package goval

import (
	"github.com/presage-race/presage/internal/predict/expr"
)

// WithContent returns a string with its content, if texts has the content at its address.
func WithContent(texts *expr.Texts, s Value) Value {
	if _, ok := s.Content(); ok || texts == nil {
		return s
	}
	ptr, ok := s.Bits()
	n, ok2 := s.Word(1)
	if !ok || !ok2 {
		return s
	}
	if text, ok := texts.At(ptr, n); ok {
		return s.WithText(text)
	}
	return s
}

// StringTerm returns the content of a string: the one that was computed, or the one that texts has
// at its address (TE3). It is nil if the content is not known.
func StringTerm(texts *expr.Texts, t *Term) *expr.Expr {
	switch {
	case t == nil:
		return nil
	case t.Text != nil:
		return t.Text
	}
	return expr.StringAt(texts, t.Word(0), t.Word(1))
}
