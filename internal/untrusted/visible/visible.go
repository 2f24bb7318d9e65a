// Package visible writes text of sources, traces and reports such that it cannot control a
// terminal. Active characters become escapes of Go: \x1b, \u202e, \n. These are control characters
// (also C1, U+0080 to U+009F), format characters (marks of direction, zero-width characters),
// separators of lines and paragraphs, and bytes that are no UTF-8. A tab stays.
//
// Line also escapes newlines: a name cannot begin a line of its own. Text keeps them.
//
// A backslash stays, so that a line of Go reads as it is written. Therefore an escape in the output
// may also be the original text.
package visible

import (
	"fmt"
	"io"
	"reflect"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Line returns s as one line, without active characters.
func Line(s string) string { return escape(s, false) }

// Text returns s without active characters, but with its lines.
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

// hidden reports whether a character becomes an escape.
func hidden(r rune) bool {
	if r < utf8.RuneSelf { // most text
		return r < ' ' || r == 0x7f
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp)
}

// Block is text of several lines, for Fprintf.
type Block string

// Fprintf is fmt.Fprintf with arguments without active characters: errors and Blocks as Text makes
// them, other strings as Line does. The format is presage's own and stays.
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

// Copy returns a deep copy of a message whose strings are as Line makes them. A message has
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
