package expr

import (
	"fmt"
	"strings"
)

// maxOperands bounds the operands.
const maxOperands = 16

var printers = table{
	"fmt.Sprint":   printer(nil, func(_ []Value, list []any) string { return fmt.Sprint(list...) }),
	"fmt.Sprintln": printer(nil, func(_ []Value, list []any) string { return fmt.Sprintln(list...) }),
	"fmt.Sprintf": printer([]Kind{String}, func(a []Value, list []any) string {
		return fmt.Sprintf(a[0].Text, list...)
	}).if_(func(a []Value) bool { return plain(a[1].Text) }).only(func(out []Value) bool {
		return !strings.Contains(out[0].Text, "%!") // it may say a type
	}),
}

func printer(params []Kind, f func(params []Value, list []any) string) Function {
	n := len(params)
	return Function{Params: params, Results: []Kind{String}, Variadic: true, call: func(a []Value) []Value {
		list, ok := operands(a[0].Text, a[1+n:])
		if !ok {
			return nil
		}
		return []Value{give(f(a[1:1+n], list))}
	}}
}

// only restricts a function to some results.
func (f Function) only(fits func(out []Value) bool) Function {
	call := f.call
	f.call = func(a []Value) []Value {
		if out := call(a); out != nil && fits(out) {
			return out
		}
		return nil
	}
	return f
}

// operands are values of some kinds as Go has them.
func operands(kinds string, a []Value) (list []any, ok bool) {
	for k := range strings.FieldsSeq(kinds) {
		if len(list) == len(a) || len(list) == maxOperands {
			return nil, false
		}
		x := box(k, a[len(list)])
		if x == nil {
			return nil, false
		}
		list = append(list, x)
	}
	return list, len(list) == len(a)
}

func box(kind string, v Value) any {
	switch kind {
	case "bool":
		return take[bool](v)
	case "i8":
		return take[int8](v)
	case "i16":
		return take[int16](v)
	case "i32":
		return take[int32](v)
	case "i64":
		return take[int64](v)
	case "u8":
		return take[uint8](v)
	case "u16":
		return take[uint16](v)
	case "u32":
		return take[uint32](v)
	case "u64":
		return take[uint64](v)
	case "f32":
		return take[float32](v)
	case "f64":
		return take[float64](v)
	case "str":
		return take[string](v)
	}
	return nil
}

// plain reports whether a format is ASCII and has only verbs that print a basic value in the same
// way in every version of Go, whatever its type is called: %, flags but #, at most three digits,
// and perhaps a point and at most three more, and one of the verbs below.
func plain(format string) bool {
	for i := 0; i < len(format); i++ {
		if format[i] >= 0x80 {
			return false
		}
		if format[i] != '%' {
			continue
		}
		i++
		i += span(format[i:], "-+ 0", len(format))
		i += span(format[i:], "0123456789", 3)
		if i < len(format) && format[i] == '.' {
			i++
			i += span(format[i:], "0123456789", 3)
		}
		if i >= len(format) || strings.IndexByte("vdsboxXtceEfFgGU%", format[i]) < 0 {
			return false
		}
	}
	return true
}

// span counts the characters at the beginning of s that are in set, up to most.
func span(s, set string, most int) (n int) {
	for n < len(s) && n < most && strings.IndexByte(set, s[n]) >= 0 {
		n++
	}
	return n
}
