// Package visible writes text that a terminal must not obey: names and lines that come from
// sources, traces and reports. A character that moves the cursor, changes colours or the direction
// of the text, or cannot be seen, becomes an escape of Go: \x1b, \u202e, \n.
//
//	(V1) Control characters (also C1, U+0080 to U+009F), format characters (marks of direction,
//	     zero-width characters), separators of lines and paragraphs, and bytes that are no UTF-8
//	     become escapes. A tab stays.
//	(V2) Line does so with newlines, too: a name cannot make up a line of its own. Text keeps
//	     them, for what has several lines.
//	(V3) Fprintf does so with its arguments, not with its format, which is presage's own: strings
//	     as Line does, errors and Block as Text does.
//	(V4) Copy does so with all strings of a message.
//
// A backslash stays one: a line of Go reads as it is written. So an escape can also be text.
package visible

import (
	"fmt"
	"io"
	"reflect"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Line returns s as one line (V2).
func Line(s string) string { return escape(s, false) }

// Text returns s with its lines (V2).
func Text(s string) string { return escape(s, true) }

func escape(s string, lines bool) string {
	clean := func(r rune) bool { return r == '\t' || r == '\n' && lines || !hidden(r) }
	if utf8.ValidString(s) && strings.IndexFunc(s, func(r rune) bool { return !clean(r) }) < 0 {
		return s
	}
	var b strings.Builder
	for i, n := 0, 0; i < len(s); i += n {
		var r rune
		r, n = utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case clean(r):
			b.WriteString(s[i : i+n])
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r < utf8.RuneSelf:
			fmt.Fprintf(&b, `\x%02x`, r)
		case r > 0xffff:
			fmt.Fprintf(&b, `\U%08x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

// hidden reports whether a character is to be an escape (V1).
func hidden(r rune) bool { return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) }

// Block is text of several lines, for Fprintf (V3).
type Block string

// Fprintf is fmt.Fprintf with arguments that a terminal does not obey (V3).
func Fprintf(w io.Writer, format string, args ...any) (int, error) {
	return io.WriteString(w, Sprintf(format, args...))
}

// Sprintf is fmt.Sprintf likewise.
func Sprintf(format string, args ...any) string {
	shown := make([]any, len(args))
	for i, a := range args {
		switch a := a.(type) {
		case nil:
		case Block:
			shown[i] = Text(string(a))
		case error:
			shown[i] = Text(a.Error())
		case fmt.Stringer:
			shown[i] = Line(a.String())
		default:
			if shown[i] = a; reflect.TypeOf(a).Kind() == reflect.String {
				shown[i] = Line(reflect.ValueOf(a).String())
			}
		}
	}
	return fmt.Sprintf(format, shown...)
}

// Copy returns a deep copy of a message whose strings are as Line makes them (V4). A message has
// structs, pointers, slices and maps of exported fields.
func Copy[T any](m T) T { return copied(reflect.ValueOf(&m).Elem()).Interface().(T) }

func copied(v reflect.Value) reflect.Value {
	out := reflect.New(v.Type()).Elem()
	out.Set(v)
	switch v.Kind() {
	case reflect.String:
		out.SetString(Line(v.String()))
	case reflect.Pointer:
		if !v.IsNil() {
			out.Set(reflect.New(v.Type().Elem()))
			out.Elem().Set(copied(v.Elem()))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				out.Field(i).Set(copied(v.Field(i)))
			}
		}
	case reflect.Slice:
		if !v.IsNil() {
			out.Set(reflect.MakeSlice(v.Type(), v.Len(), v.Len()))
			for i := range v.Len() {
				out.Index(i).Set(copied(v.Index(i)))
			}
		}
	case reflect.Map:
		if !v.IsNil() {
			out.Set(reflect.MakeMap(v.Type()))
			for k, x := range v.Seq2() {
				out.SetMapIndex(copied(k), copied(x))
			}
		}
	}
	return out
}
