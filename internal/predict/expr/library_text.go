package expr

import (
	"cmp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// texts are those of strings. Not here: what makes or takes a slice (Split, Join, Fields), and what
// is given a function (Map, IndexFunc).
var texts = table{
	"strings.Clone":         of1(strings.Clone),
	"strings.Compare":       of2(strings.Compare),
	"strings.Contains":      of2(strings.Contains),
	"strings.ContainsAny":   of2(strings.ContainsAny).valid(),
	"strings.ContainsRune":  of2(strings.ContainsRune).valid(),
	"strings.Count":         of2(strings.Count).valid(),
	"strings.EqualFold":     of2(strings.EqualFold).ascii(),
	"strings.HasPrefix":     of2(strings.HasPrefix),
	"strings.HasSuffix":     of2(strings.HasSuffix),
	"strings.Index":         of2(strings.Index),
	"strings.IndexAny":      of2(strings.IndexAny).valid(),
	"strings.IndexByte":     of2(strings.IndexByte),
	"strings.IndexRune":     of2(strings.IndexRune).valid(),
	"strings.LastIndex":     of2(strings.LastIndex),
	"strings.LastIndexAny":  of2(strings.LastIndexAny).valid(),
	"strings.LastIndexByte": of2(strings.LastIndexByte),
	"strings.Repeat":        of2(strings.Repeat).if_(repeats).panics(),
	"strings.Replace":       of4(strings.Replace).valid(),
	"strings.ReplaceAll":    of3(strings.ReplaceAll).valid(),
	//lint:ignore SA1019 programs call it
	"strings.Title":       of1(strings.Title).ascii(),
	"strings.ToLower":     of1(strings.ToLower).ascii(),
	"strings.ToTitle":     of1(strings.ToTitle).ascii(),
	"strings.ToUpper":     of1(strings.ToUpper).ascii(),
	"strings.ToValidUTF8": of2(strings.ToValidUTF8),
	"strings.Trim":        of2(strings.Trim).valid(),
	"strings.TrimLeft":    of2(strings.TrimLeft).valid(),
	"strings.TrimPrefix":  of2(strings.TrimPrefix),
	"strings.TrimRight":   of2(strings.TrimRight).valid(),
	"strings.TrimSpace":   of1(strings.TrimSpace).ascii(),
	"strings.TrimSuffix":  of2(strings.TrimSuffix),
	"strings.CutPrefix":   pair2(strings.CutPrefix),
	"strings.CutSuffix":   pair2(strings.CutSuffix),
	"strings.Cut":         cut,
}

// cut is the one with three results.
var cut = Function{Params: []Kind{String, String}, Results: []Kind{String, String, Bool}, call: func(a []Value) []Value {
	before, after, found := strings.Cut(a[0].Text, a[1].Text)
	return []Value{give(before), give(after), give(found)}
}}

// valid restricts a function to UTF-8: what is none of it has been looked at in several ways.
func (f Function) valid() Function {
	return f.if_(func(a []Value) bool {
		for i, k := range f.Params {
			if k == Int32 && !utf8.ValidRune(rune(a[i].Word)) || !utf8.ValidString(a[i].Text) {
				return false
			}
		}
		return true
	})
}

func repeats(a []Value) bool {
	n, count := uint64(len(a[0].Text)), a[1].Word
	return int64(count) >= 0 && (n == 0 || count <= MaxText/n)
}

// characters are those of unicode, for ASCII, and unicode/utf8.
var characters = table{
	"unicode.IsControl": of1(unicode.IsControl).ascii(),
	"unicode.IsDigit":   of1(unicode.IsDigit).ascii(),
	"unicode.IsGraphic": of1(unicode.IsGraphic).ascii(),
	"unicode.IsLetter":  of1(unicode.IsLetter).ascii(),
	"unicode.IsLower":   of1(unicode.IsLower).ascii(),
	"unicode.IsMark":    of1(unicode.IsMark).ascii(),
	"unicode.IsNumber":  of1(unicode.IsNumber).ascii(),
	"unicode.IsPrint":   of1(unicode.IsPrint).ascii(),
	"unicode.IsPunct":   of1(unicode.IsPunct).ascii(),
	"unicode.IsSpace":   of1(unicode.IsSpace).ascii(),
	"unicode.IsSymbol":  of1(unicode.IsSymbol).ascii(),
	"unicode.IsTitle":   of1(unicode.IsTitle).ascii(),
	"unicode.IsUpper":   of1(unicode.IsUpper).ascii(),
	"unicode.ToLower":   of1(unicode.ToLower).ascii(),
	"unicode.ToTitle":   of1(unicode.ToTitle).ascii(),
	"unicode.ToUpper":   of1(unicode.ToUpper).ascii(),

	"unicode/utf8.DecodeLastRuneInString": pair1(utf8.DecodeLastRuneInString),
	"unicode/utf8.DecodeRuneInString":     pair1(utf8.DecodeRuneInString),
	"unicode/utf8.FullRuneInString":       of1(utf8.FullRuneInString),
	"unicode/utf8.RuneCountInString":      of1(utf8.RuneCountInString),
	"unicode/utf8.RuneLen":                of1(utf8.RuneLen),
	"unicode/utf8.RuneStart":              of1(utf8.RuneStart),
	"unicode/utf8.ValidRune":              of1(utf8.ValidRune),
	"unicode/utf8.ValidString":            of1(utf8.ValidString),
}

// orders are those of cmp, for each kind of ordered type.
var orders = library(
	ordered[int8]("i8"), ordered[int16]("i16"), ordered[int32]("i32"), ordered[int64]("i64"), ordered[uint8]("u8"), ordered[uint16]("u16"),
	ordered[uint32]("u32"), ordered[uint64]("u64"), ordered[float32]("f32"), ordered[float64]("f64"), ordered[string]("str"),
)

func ordered[T int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 | float32 | float64 | string](kind string) table {
	return table{"cmp.Compare[" + kind + "]": of2(cmp.Compare[T]), "cmp.Less[" + kind + "]": of2(cmp.Less[T])}
}
