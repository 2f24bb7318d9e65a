package walk

import "github.com/presage-race/presage/internal/predict/expr"

// read is a string with its content, if that is known from where it is.
func read(texts *expr.Texts, s Value) Value {
	if _, ok := s.Content(); ok || texts == nil {
		return s
	}
	ptr, ok := s.Bits()
	n, ok2 := s.Word(1)
	if !ok || !ok2 {
		return s
	}
	if text, ok := texts.At(ptr, n); ok {
		return s.withText(text)
	}
	return s
}

// content is the content of a string: what it was computed to be, or what stands where it is (expr E6). Nil: nobody knows.
func content(texts *expr.Texts, t *term) *expr.Expr {
	switch {
	case t == nil:
		return nil
	case t.text != nil:
		return t.text
	}
	return expr.StringAt(texts, t.word(0), t.word(1))
}
