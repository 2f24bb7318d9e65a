package goval

import (
	"github.com/presage-race/presage/internal/predict/expr"
)

// WithContent is a string with its content, if that is known from where it is.
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

// StringTerm is the content of a string: what it was computed to be, or what stands where it is (expr E6). Nil: nobody knows.
func StringTerm(texts *expr.Texts, t *Term) *expr.Expr {
	switch {
	case t == nil:
		return nil
	case t.Text != nil:
		return t.Text
	}
	return expr.StringAt(texts, t.Word(0), t.Word(1))
}
