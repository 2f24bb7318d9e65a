package expr

import "unicode/utf8"

// Strings by content.

// Functions are the pure functions that a Call may name. Where one panics for its arguments it has
// no value.
var Functions = map[string]func(args []Value) (Value, bool){}

// text applies an operator of strings.
func (e *Expr) text(a []Value) (Value, bool) {
	switch s := a[0].Text; e.op {
	case Add:
		return Value{Text: s + a[1].Text}, true
	case Min:
		return Value{Text: min(s, a[1].Text)}, true
	case Max:
		return Value{Text: max(s, a[1].Text)}, true
	case Len:
		return Value{Word: uint64(len(s))}, true
	case At:
		if i := a[1].Word; i < uint64(len(s)) {
			return Value{Word: uint64(s[i])}, true
		}
	case Substr:
		if lo, hi := a[1].Word, a[2].Word; lo <= hi && hi <= uint64(len(s)) {
			return Value{Text: s[lo:hi]}, true
		}
	default:
		w, ok := compare(e.op, s, a[1].Text)
		return Value{Word: w}, ok
	}
	return Value{}, false
}

// runeText is string(x) for an integer x.
func runeText(k Kind, x uint64) string {
	if i := extend(k, x); i >= 0 && i <= utf8.MaxRune {
		return string(rune(i))
	}
	return string(utf8.RuneError)
}
