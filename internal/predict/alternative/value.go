package alternative

import (
	"github.com/presage-race/presage/internal/predict/expr"
	"github.com/presage-race/presage/internal/predict/goval"
)

// A Value is a symbolic value: it has a Term, or what is known of Concrete. If there is no term and
// no word of Concrete is known, the value is unknown.
type Value struct {
	Concrete goval.Value
	Term     *goval.Term
}

// known returns a value of one word.
func known(bits uint64) Value { return Value{Concrete: goval.Known(bits)} }

// truth returns a bool.
func truth(b bool) Value {
	if b {
		return known(1)
	}
	return known(0)
}

// zero returns the zero value of a type of size bytes.
func zero(size int64) Value { return Value{Concrete: goval.Zero(size)} }

// readValue returns what an event reads: size bytes, by the number of its step.
func readValue(step, size int64) Value {
	return Value{Term: goval.LoadTerm([]goval.LoadPart{{Read: step, Size: size}})}
}

// FromTerm returns the value of a term. It is concrete if the term depends on no read.
func FromTerm(t *goval.Term) Value {
	if t == nil {
		return Value{}
	}
	some := false
	for _, e := range t.Words {
		if e != nil && !e.IsConst() {
			return Value{Term: t}
		}
		some = some || e != nil
	}
	switch {
	case t.Text != nil && !t.Text.IsConst(), t.Null != nil && !goval.IsNil(t.Word(0)):
		return Value{Term: t}
	case !some && t.Text == nil:
		return Value{}
	}
	v, _ := goval.RecordedValue(t)
	return Value{Concrete: v}
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

func (v *Value) symbolic() bool { return v.Term != nil }

// isZero reports whether the first word of a value is known to be zero.
func (v *Value) isZero() bool {
	w, ok := v.Concrete.Bits()
	return ok && w == 0 && !v.symbolic()
}

// term returns a value as a term.
func (v *Value) term() *goval.Term {
	if v.symbolic() {
		return v.Term
	}
	return goval.Fixed(v.Concrete)
}

// terms returns values as terms.
func terms(vals []Value) []*goval.Term {
	list := make([]*goval.Term, len(vals))
	for i := range vals {
		list[i] = vals[i].term()
	}
	return list
}

// piece returns size bytes of a value, at offset at.
func (v *Value) piece(at, size int64) Value {
	if !v.symbolic() {
		return Value{Concrete: v.Concrete.Part(at, size)}
	}
	return bounded(v.Term.Part(at, size))
}

// patched returns a value of size whole in which w replaces n bytes at offset at.
func (v *Value) patched(w Value, at, n, whole int64) Value {
	none, other := !v.symbolic() && v.Concrete.Unknown(), !w.symbolic() && w.Concrete.Unknown()
	switch {
	case !v.symbolic() && !w.symbolic() && !none:
		return Value{Concrete: patch(v.Concrete, w.Concrete, at, n, whole)}
	case none || other:
		return Value{}
	}
	t := &goval.Term{Words: make([]*expr.Expr, max(1, (whole+7)/8))}
	copy(t.Words, v.term().Words)
	t.Set(at, n, w.term())
	return bounded(t)
}

// patch is [Value.patched] of known values.
func patch(v, w goval.Value, at, n, whole int64) goval.Value {
	if at+n < whole {
		return goval.Join(whole, []int64{0, at, at + n}, []int64{at, n, whole - at - n}, []goval.Value{v.Part(0, at), w, v.Part(at+n, whole-at-n)})
	}
	return goval.Join(whole, []int64{0, at}, []int64{at, n}, []goval.Value{v.Part(0, at), w})
}
