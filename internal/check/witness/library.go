package witness

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	mathbits "math/bits"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// pure is a function of the standard library that an expr.Call may name. Unlike package expr, it is
// called by reflection, with arguments of its own types.
type pure struct {
	fn   any
	when domain
}

// domain reports whether a function has a value for some arguments.
type domain func(args []reflect.Value) bool

// library are the functions by their full names.
var library = map[string]pure{}

func init() {
	for _, list := range []struct {
		when domain
		fns  map[string]any
	}{{nil, exact}, {isASCII, ofASCII}, {isUTF8, ofUTF8}, {nil, ordered}} {
		for name, fn := range list.fns {
			library[name] = pure{fn, list.when}
		}
	}
	for name, when := range special {
		library[name] = pure{exact[name], when}
	}
	maps.Copy(functions, printed)
	for name, p := range library {
		for i := range reflect.TypeOf(p.fn).NumOut() {
			full := name
			if i > 0 {
				full += "#" + strconv.Itoa(i)
			}
			functions[full] = func(args []amount) amount {
				if out := apply(p, args); out != nil {
					return out[i]
				}
				return amount{}
			}
		}
	}
}

// printed are the functions of package fmt. The first argument has the kinds of the operands, which
// come last.
var printed = map[string]func(args []amount) amount{
	"fmt.Sprint":   func(args []amount) amount { return printOf(args[1:], args[0].text, fmt.Sprint) },
	"fmt.Sprintln": func(args []amount) amount { return printOf(args[1:], args[0].text, fmt.Sprintln) },
	"fmt.Sprintf": func(args []amount) amount {
		if len(args) < 2 || !plainFormat.MatchString(args[1].text) || len(args[1].text) > maxText {
			return amount{}
		}
		a := printOf(args[2:], args[0].text, func(list ...any) string { return fmt.Sprintf(args[1].text, list...) })
		if strings.Contains(a.text, "%!") {
			return amount{}
		}
		return a
	},
}

// plainFormat matches formats that print a value without the name of its type.
var plainFormat = regexp.MustCompile(`^([\x00-$&-\x7f]|%[-+ 0]*[0-9]{0,3}(\.[0-9]{0,3})?[vdsboxXtceEfFgGU%])*$`)

// kindTypes are the types of operands.
var kindTypes = map[string]reflect.Type{
	"bool": reflect.TypeFor[bool](), "i8": reflect.TypeFor[int8](), "i16": reflect.TypeFor[int16](), "i32": reflect.TypeFor[int32](), "i64": reflect.TypeFor[int64](),
	"u8": reflect.TypeFor[uint8](), "u16": reflect.TypeFor[uint16](), "u32": reflect.TypeFor[uint32](), "u64": reflect.TypeFor[uint64](),
	"f32": reflect.TypeFor[float32](), "f64": reflect.TypeFor[float64](), "str": reflect.TypeFor[string](),
}

func printOf(args []amount, kinds string, print func(...any) string) amount {
	names := strings.Fields(kinds)
	if len(names) != len(args) || len(args) > 16 {
		return amount{}
	}
	list := make([]any, len(args))
	for i, name := range names {
		t := kindTypes[name]
		if t == nil || len(args[i].text) > maxText {
			return amount{}
		}
		list[i] = argument(t, args[i]).Interface()
	}
	text := print(list...)
	return amount{text: text, ok: len(text) <= maxText}
}

// exact are the functions that have a value for all arguments, or whose domain is in special.
var exact = map[string]any{
	"math.Abs": math.Abs, "math.Ceil": math.Ceil, "math.Copysign": math.Copysign, "math.Floor": math.Floor, "math.Max": math.Max,
	"math.Min": math.Min, "math.Mod": math.Mod, "math.Round": math.Round, "math.RoundToEven": math.RoundToEven, "math.Sqrt": math.Sqrt,
	"math.Trunc": math.Trunc, "math.IsNaN": math.IsNaN, "math.IsInf": math.IsInf, "math.Signbit": math.Signbit, "math.Inf": math.Inf, "math.Modf": math.Modf,
	"math.Float64bits": math.Float64bits, "math.Float64frombits": math.Float64frombits,
	"math.Float32bits": math.Float32bits, "math.Float32frombits": math.Float32frombits,
	"math/bits.Len": mathbits.Len, "math/bits.Len64": mathbits.Len64, "math/bits.Len32": mathbits.Len32, "math/bits.Len16": mathbits.Len16, "math/bits.Len8": mathbits.Len8,
	"math/bits.OnesCount": mathbits.OnesCount, "math/bits.OnesCount64": mathbits.OnesCount64, "math/bits.OnesCount32": mathbits.OnesCount32,
	"math/bits.OnesCount16": mathbits.OnesCount16, "math/bits.OnesCount8": mathbits.OnesCount8,
	"math/bits.LeadingZeros": mathbits.LeadingZeros, "math/bits.LeadingZeros64": mathbits.LeadingZeros64, "math/bits.LeadingZeros32": mathbits.LeadingZeros32,
	"math/bits.LeadingZeros16": mathbits.LeadingZeros16, "math/bits.LeadingZeros8": mathbits.LeadingZeros8,
	"math/bits.TrailingZeros": mathbits.TrailingZeros, "math/bits.TrailingZeros64": mathbits.TrailingZeros64, "math/bits.TrailingZeros32": mathbits.TrailingZeros32,
	"math/bits.TrailingZeros16": mathbits.TrailingZeros16, "math/bits.TrailingZeros8": mathbits.TrailingZeros8,
	"math/bits.Reverse": mathbits.Reverse, "math/bits.Reverse64": mathbits.Reverse64, "math/bits.Reverse32": mathbits.Reverse32, "math/bits.Reverse16": mathbits.Reverse16,
	"math/bits.Reverse8": mathbits.Reverse8, "math/bits.ReverseBytes": mathbits.ReverseBytes, "math/bits.ReverseBytes64": mathbits.ReverseBytes64,
	"math/bits.ReverseBytes32": mathbits.ReverseBytes32, "math/bits.ReverseBytes16": mathbits.ReverseBytes16,
	"math/bits.RotateLeft": mathbits.RotateLeft, "math/bits.RotateLeft64": mathbits.RotateLeft64, "math/bits.RotateLeft32": mathbits.RotateLeft32,
	"math/bits.RotateLeft16": mathbits.RotateLeft16, "math/bits.RotateLeft8": mathbits.RotateLeft8,
	"math/bits.Mul64": mathbits.Mul64, "math/bits.Add64": mathbits.Add64, "math/bits.Sub64": mathbits.Sub64,

	"(time.Duration).Nanoseconds": time.Duration.Nanoseconds, "(time.Duration).Microseconds": time.Duration.Microseconds,
	"(time.Duration).Milliseconds": time.Duration.Milliseconds, "(time.Duration).Seconds": time.Duration.Seconds,
	"(time.Duration).Minutes": time.Duration.Minutes, "(time.Duration).Hours": time.Duration.Hours, "(time.Duration).Abs": time.Duration.Abs,
	"(time.Duration).Truncate": time.Duration.Truncate, "(time.Duration).Round": time.Duration.Round, "(time.Duration).String": time.Duration.String,
	"(time.Month).String": time.Month.String, "(time.Weekday).String": time.Weekday.String, "time.ParseDuration": time.ParseDuration,

	"strings.Clone": strings.Clone, "strings.Compare": strings.Compare, "strings.Contains": strings.Contains, "strings.HasPrefix": strings.HasPrefix, "strings.HasSuffix": strings.HasSuffix,
	"strings.Index": strings.Index, "strings.IndexByte": strings.IndexByte, "strings.LastIndex": strings.LastIndex, "strings.LastIndexByte": strings.LastIndexByte,
	"strings.Repeat": strings.Repeat, "strings.ToValidUTF8": strings.ToValidUTF8, "strings.TrimPrefix": strings.TrimPrefix, "strings.TrimSuffix": strings.TrimSuffix,
	"strings.Cut": strings.Cut, "strings.CutPrefix": strings.CutPrefix, "strings.CutSuffix": strings.CutSuffix,

	"strconv.Atoi": strconv.Atoi, "strconv.CanBackquote": strconv.CanBackquote, "strconv.FormatBool": strconv.FormatBool, "strconv.FormatFloat": strconv.FormatFloat,
	"strconv.FormatInt": strconv.FormatInt, "strconv.FormatUint": strconv.FormatUint, "strconv.Itoa": strconv.Itoa, "strconv.ParseBool": strconv.ParseBool,
	"strconv.ParseFloat": strconv.ParseFloat, "strconv.ParseInt": strconv.ParseInt, "strconv.ParseUint": strconv.ParseUint,
	"strconv.QuoteRuneToASCII": strconv.QuoteRuneToASCII, "strconv.QuoteToASCII": strconv.QuoteToASCII, "strconv.Unquote": strconv.Unquote,

	"unicode/utf8.DecodeLastRuneInString": utf8.DecodeLastRuneInString, "unicode/utf8.DecodeRuneInString": utf8.DecodeRuneInString,
	"unicode/utf8.FullRuneInString": utf8.FullRuneInString, "unicode/utf8.RuneCountInString": utf8.RuneCountInString, "unicode/utf8.RuneLen": utf8.RuneLen,
	"unicode/utf8.RuneStart": utf8.RuneStart, "unicode/utf8.ValidRune": utf8.ValidRune, "unicode/utf8.ValidString": utf8.ValidString,
}

// ofASCII use tables of Unicode that differ between versions of Go. They have a value for ASCII.
var ofASCII = map[string]any{
	"strings.EqualFold": strings.EqualFold, "strings.ToLower": strings.ToLower, "strings.ToTitle": strings.ToTitle,
	"strings.ToUpper": strings.ToUpper, "strings.TrimSpace": strings.TrimSpace,
	//lint:ignore SA1019 programs call it
	"strings.Title": strings.Title,
	"strconv.Quote": strconv.Quote, "strconv.QuoteRune": strconv.QuoteRune,
	"unicode.IsControl": unicode.IsControl, "unicode.IsDigit": unicode.IsDigit, "unicode.IsGraphic": unicode.IsGraphic, "unicode.IsLetter": unicode.IsLetter,
	"unicode.IsLower": unicode.IsLower, "unicode.IsMark": unicode.IsMark, "unicode.IsNumber": unicode.IsNumber, "unicode.IsPrint": unicode.IsPrint,
	"unicode.IsPunct": unicode.IsPunct, "unicode.IsSpace": unicode.IsSpace, "unicode.IsSymbol": unicode.IsSymbol, "unicode.IsTitle": unicode.IsTitle,
	"unicode.IsUpper": unicode.IsUpper, "unicode.ToLower": unicode.ToLower, "unicode.ToTitle": unicode.ToTitle, "unicode.ToUpper": unicode.ToUpper,
}

// ofUTF8 decode runes. They have a value for valid UTF-8.
var ofUTF8 = map[string]any{
	"strings.ContainsAny": strings.ContainsAny, "strings.ContainsRune": strings.ContainsRune, "strings.Count": strings.Count, "strings.IndexAny": strings.IndexAny,
	"strings.IndexRune": strings.IndexRune, "strings.LastIndexAny": strings.LastIndexAny, "strings.Replace": strings.Replace, "strings.ReplaceAll": strings.ReplaceAll,
	"strings.Trim": strings.Trim, "strings.TrimLeft": strings.TrimLeft, "strings.TrimRight": strings.TrimRight,
}

// ordered are instances of generic functions.
var ordered = map[string]any{
	"cmp.Compare[i8]": cmp.Compare[int8], "cmp.Compare[i16]": cmp.Compare[int16], "cmp.Compare[i32]": cmp.Compare[int32], "cmp.Compare[i64]": cmp.Compare[int64],
	"cmp.Compare[u8]": cmp.Compare[uint8], "cmp.Compare[u16]": cmp.Compare[uint16], "cmp.Compare[u32]": cmp.Compare[uint32], "cmp.Compare[u64]": cmp.Compare[uint64],
	"cmp.Compare[f32]": cmp.Compare[float32], "cmp.Compare[f64]": cmp.Compare[float64], "cmp.Compare[str]": cmp.Compare[string],
	"cmp.Less[i8]": cmp.Less[int8], "cmp.Less[i16]": cmp.Less[int16], "cmp.Less[i32]": cmp.Less[int32], "cmp.Less[i64]": cmp.Less[int64],
	"cmp.Less[u8]": cmp.Less[uint8], "cmp.Less[u16]": cmp.Less[uint16], "cmp.Less[u32]": cmp.Less[uint32], "cmp.Less[u64]": cmp.Less[uint64],
	"cmp.Less[f32]": cmp.Less[float32], "cmp.Less[f64]": cmp.Less[float64], "cmp.Less[str]": cmp.Less[string],
}

// special are domains of single functions.
var special = map[string]domain{
	"math/bits.Add64": func(a []reflect.Value) bool { return a[2].Uint() < 2 },
	"math/bits.Sub64": func(a []reflect.Value) bool { return a[2].Uint() < 2 },
	"strings.Repeat": func(a []reflect.Value) bool {
		n := a[1].Int()
		return n >= 0 && (a[0].Len() == 0 || n <= maxText && a[0].Len()*int(n) <= maxText)
	},
	"strconv.FormatInt":  func(a []reflect.Value) bool { return a[1].Int() > 1 && a[1].Int() < 37 },
	"strconv.FormatUint": func(a []reflect.Value) bool { return a[1].Int() > 1 && a[1].Int() < 37 },
	"strconv.ParseFloat": func(a []reflect.Value) bool { return a[1].Int() == 32 || a[1].Int() == 64 },
	"strconv.FormatFloat": func(a []reflect.Value) bool {
		prec, size := a[2].Int(), a[3].Int()
		return strings.IndexByte("beEfgGxX", byte(a[1].Uint())) >= 0 && -1 <= prec && prec <= 1024 && (size == 32 || size == 64)
	},
}

// maxText bounds the strings that have a value.
const maxText = 4096

func isASCII(args []reflect.Value) bool {
	for _, a := range args {
		switch a.Kind() {
		case reflect.String:
			if strings.ContainsFunc(a.String(), func(r rune) bool { return r > unicode.MaxASCII }) {
				return false
			}
		case reflect.Int32:
			if r := a.Int(); r < 0 || r > unicode.MaxASCII {
				return false
			}
		}
	}
	return true
}

func isUTF8(args []reflect.Value) bool {
	for _, a := range args {
		switch a.Kind() {
		case reflect.String:
			if s := a.String(); string([]rune(s)) != s {
				return false
			}
		case reflect.Int32:
			if r := rune(a.Int()); r != utf8.RuneError && string(r) == string(utf8.RuneError) {
				return false
			}
		}
	}
	return true
}

// apply calls a function with words and strings. The result is nil if it has no value for them.
func apply(p pure, args []amount) []amount {
	fn := reflect.ValueOf(p.fn)
	if fn.Type().NumIn() != len(args) {
		return nil
	}
	in := make([]reflect.Value, len(args))
	for i, a := range args {
		if in[i] = argument(fn.Type().In(i), a); len(a.text) > maxText {
			return nil
		}
	}
	if p.when != nil && !p.when(in) {
		return nil
	}
	var out []amount
	for _, r := range fn.Call(in) {
		a := result(r)
		if len(a.text) > maxText {
			return nil
		}
		out = append(out, a)
	}
	return out
}

func argument(t reflect.Type, a amount) reflect.Value {
	v := reflect.New(t).Elem()
	switch {
	case v.Kind() == reflect.String:
		v.SetString(a.text)
	case v.Kind() == reflect.Bool:
		v.SetBool(a.bits == 1)
	case v.CanInt():
		v.SetInt(int64(a.bits))
	case v.CanUint():
		v.SetUint(a.bits)
	case v.Kind() == reflect.Float32: // bit by bit, for NaNs
		v.Set(reflect.ValueOf(math.Float32frombits(uint32(a.bits))))
	default:
		v.SetFloat(math.Float64frombits(a.bits))
	}
	return v
}

func result(r reflect.Value) amount {
	switch {
	case r.Kind() == reflect.Interface:
		return truth(r.IsNil())
	case r.Kind() == reflect.String:
		return amount{text: r.String(), ok: true}
	case r.Kind() == reflect.Bool:
		return truth(r.Bool())
	case r.CanInt():
		return of(uint64(r.Int()) & (1<<(8*r.Type().Size()-1)<<1 - 1))
	case r.CanUint():
		return of(r.Uint())
	case r.Kind() == reflect.Float32:
		return image(float32(r.Float()))
	}
	return image(r.Float())
}
