package alternative

import (
	"github.com/presage-race/presage/internal/predict/goval"
)

// A Value is a symbolic value: it has a Term, or what is known of Concrete. If there is no term and
// no word of Concrete is known, nothing is known of the value.
type Value struct {
	Concrete goval.Value
	Term     *goval.Term
}

func (s *Value) symbolic() bool { return s.Term != nil }

// FromTerm returns the value of a term. It is concrete if the term depends on no read.
func FromTerm(t *goval.Term) Value {
	if t == nil {
		return Value{}
	}
	known := false
	for _, e := range t.Words {
		if e != nil && !e.IsConst() {
			return Value{Term: t}
		}
		known = known || e != nil
	}
	switch {
	case t.Text != nil && !t.Text.IsConst(), t.Null != nil && !goval.IsNil(t.Word(0)):
		return Value{Term: t}
	case !known && t.Text == nil:
		return Value{}
	}
	v, _ := goval.RecordedValue(t)
	return Value{Concrete: v}
}

// term returns a value as a term.
func (s *Value) term() *goval.Term {
	if s.symbolic() {
		return s.Term
	}
	return goval.Fixed(s.Concrete)
}

// pieceOf returns size bytes of a value, at offset at.
func pieceOf(s Value, at, size int64) Value {
	if !s.symbolic() {
		return Value{Concrete: s.Concrete.Part(at, size)}
	}
	return bounded(s.Term.Part(at, size))
}

// bounded returns the value of a term without the words that are too large.
func bounded(t *goval.Term) Value {
	if t == nil {
		return Value{}
	}
	for i, e := range t.Words {
		if e != nil && goval.TooLarge(e) {
			t = t.Without(i)
		}
	}
	return FromTerm(t.Trimmed())
}
