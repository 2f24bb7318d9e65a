package offpath

import (
	"go/types"

	"github.com/presage-race/presage/internal/predict/expr"
)

// texts has the contents of string constants: bytes of the program's memory that nothing writes,
// and strings that have an address but are not in the trace.
type texts struct{ in *expr.Texts }

// at is the string of n bytes at an address.
func (t texts) at(addr, n uint64) (string, bool) {
	if t.in == nil {
		return "", n == 0
	}
	for _, s := range t.in.Spans() {
		if from := addr - s.Addr; addr >= s.Addr && from < uint64(len(s.Text)) {
			rest := s.Text[from:]
			return rest[:min(n, uint64(len(rest)))], n <= uint64(len(rest))
		}
	}
	s, _ := t.in.Placed(addr)
	p, ok := t.in.Place(s)
	if from := addr - p; ok && from <= uint64(len(s)) && n <= uint64(len(s))-from {
		return s[from : from+n], true
	}
	return "", n == 0
}

// of is the content of a string. ok is false if it is unknown.
func (t texts) of(v value) (string, bool) {
	if s, ok := v.content(); ok {
		return s, true
	}
	addr, ok := v.word(0)
	n, ok2 := v.word(1)
	if !ok || !ok2 {
		return "", false
	}
	return t.at(addr, n)
}

// read is a value with its content, if it is a string of known content.
func (t texts) read(typ types.Type, v value) value {
	if b, ok := typ.Underlying().(*types.Basic); !ok || b.Info()&types.IsString == 0 || v.text != nil || len(v.img) != 16 {
		return v
	}
	if s, ok := t.of(v); ok {
		v.text = &s
	}
	return v
}

// constant is a string constant. Its address is a name for its content.
func (t texts) constant(v value) value {
	if v.text == nil {
		return v
	}
	if at, ok := t.in.Place(*v.text); ok {
		text := v.text
		v = v.with(0, number(at, 8))
		v.text = text
	}
	return v
}
