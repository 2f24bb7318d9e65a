package expr

import (
	"strconv"
	"time"
)

// (TE4) *The library* has functions of the standard library that are evaluated like operators:
//
//   - Each is a function of its arguments only, which are numbers and contents of strings. It has
//     no effect, and no argument leads to memory that can be written. Of a result that is a string,
//     the content is known and the address is not.
//   - Its results are the same bits in every version of Go. Functions that use tables of Unicode
//     are evaluated for ASCII only. Approximations (math.Sin) are not in it. A NaN has no value
//     (TE1).
//   - Arguments and results of more than MaxText bytes have no value.
//   - Where a function panics (strings.Repeat with a negative count) it has no value. A call that
//     must go on as recorded needs that its function has one (package walk).
//   - Of a last result of type error, it is known whether it is nil: 1 or 0.
//   - A variadic function of package fmt has, besides its Params, any number of operands of basic
//     types without methods. The first argument of its Call is a text with their kinds: "i64 str".

// A Function is a function of the library.
type Function struct {
	Params  []Kind // of the receiver, then of the parameters
	Results []Kind // without the error
	Errs    bool   // the last result is an error (TE4), of Kind Bool in a Call
	Panics  bool   // for some arguments (TE4)

	// Variadic: of package fmt (TE4).
	Variadic bool

	call func(a []Value) []Value
	fits func(a []Value) bool // whether call may be called; nil: always
}

// MaxText is the longest string that a function of the library is given and gives.
const MaxText = 4096

// Library are the functions by their full names, as go/types has them; of a generic one, with the
// kinds of its type arguments. TestLibrary of package witness compares each with compiled Go.
var Library = library(numbers, texts, conversions, characters, durations, orders, printers)

// A table is a part of the library.
type table map[string]Function

func library(parts ...table) table {
	all := table{}
	for _, t := range parts {
		for name, f := range t {
			all[name] = f
		}
	}
	return all
}

func init() {
	for name, f := range Library {
		for i := range f.Count() {
			Functions[ResultName(name, i)] = func(a []Value) (Value, bool) {
				out := f.Call(a)
				if i >= len(out) || isNaN(f.Result(i), out[i].Word) { // which NaN is not said (TE1)
					return Value{}, false
				}
				return out[i], true
			}
		}
	}
}

// Count is the number of results, the error among them.
func (f *Function) Count() int {
	if f.Errs {
		return len(f.Results) + 1
	}
	return len(f.Results)
}

// Result is the kind of result i.
func (f *Function) Result(i int) Kind {
	if i == len(f.Results) {
		return Bool
	}
	return f.Results[i]
}

// ResultName is what a Call is named that stands for result i of a function.
func ResultName(name string, i int) string {
	if i == 0 {
		return name
	}
	return name + "#" + strconv.Itoa(i)
}

// Call returns the results, nil if there is no value for these arguments (TE4). A NaN is among
// them.
func (f *Function) Call(a []Value) []Value {
	if len(a) != len(f.Params) && !f.Variadic || f.Variadic && len(a) <= len(f.Params) || !short(a) || f.fits != nil && !f.fits(a) {
		return nil
	}
	if out := f.call(a); short(out) {
		return out
	}
	return nil
}

func short(list []Value) bool {
	for i := range list {
		if len(list[i].Text) > MaxText {
			return false
		}
	}
	return true
}

// if_ restricts a function to some arguments.
func (f Function) if_(fits func(a []Value) bool) Function {
	was := f.fits
	f.fits = func(a []Value) bool { return fits(a) && (was == nil || was(a)) }
	return f
}

// panics says that it panics for some arguments, for which it must not be called.
func (f Function) panics() Function {
	f.Panics = true
	return f
}

// ascii restricts a function to what has been the same since there are computers.
func (f Function) ascii() Function {
	return f.if_(func(a []Value) bool {
		for i, k := range f.Params {
			if k == Int32 && a[i].Word >= 0x80 {
				return false
			}
			for j := range len(a[i].Text) {
				if a[i].Text[j] >= 0x80 {
					return false
				}
			}
		}
		return true
	})
}

// basic are the types of parameters and results.
type basic interface {
	bool | int | int8 | int16 | int32 | int64 | uint | uint8 | uint16 | uint32 | uint64 | float32 | float64 | string | time.Duration | time.Month | time.Weekday
}

// kindOf is the kind of a type.
func kindOf[T basic]() Kind {
	var x T
	switch any(x).(type) {
	case bool:
		return Bool
	case int8:
		return Int8
	case int16:
		return Int16
	case int32:
		return Int32
	case uint8:
		return Uint8
	case uint16:
		return Uint16
	case uint32:
		return Uint32
	case uint, uint64:
		return Uint64
	case float32:
		return Float32
	case float64:
		return Float64
	case string:
		return String
	}
	return Int64
}

// take is a value as Go has it.
func take[T basic](v Value) (x T) {
	switch p := any(&x).(type) {
	case *bool:
		*p = v.Word&1 == 1
	case *int:
		*p = int(v.Word)
	case *int8:
		*p = int8(v.Word)
	case *int16:
		*p = int16(v.Word)
	case *int32:
		*p = int32(v.Word)
	case *int64:
		*p = int64(v.Word)
	case *uint:
		*p = uint(v.Word)
	case *uint8:
		*p = uint8(v.Word)
	case *uint16:
		*p = uint16(v.Word)
	case *uint32:
		*p = uint32(v.Word)
	case *uint64:
		*p = v.Word
	case *float32:
		*p = float32Of(v.Word)
	case *float64:
		*p = float64Of(v.Word)
	case *string:
		*p = v.Text
	case *time.Duration:
		*p = time.Duration(v.Word)
	case *time.Month:
		*p = time.Month(v.Word)
	case *time.Weekday:
		*p = time.Weekday(v.Word)
	}
	return x
}

// give is the inverse of take.
func give[T basic](x T) Value {
	switch x := any(x).(type) {
	case bool:
		return Value{Word: truth(x)}
	case int:
		return Value{Word: uint64(x)}
	case int8:
		return Value{Word: uint64(uint8(x))}
	case int16:
		return Value{Word: uint64(uint16(x))}
	case int32:
		return Value{Word: uint64(uint32(x))}
	case int64:
		return Value{Word: uint64(x)}
	case uint:
		return Value{Word: uint64(x)}
	case uint8:
		return Value{Word: uint64(x)}
	case uint16:
		return Value{Word: uint64(x)}
	case uint32:
		return Value{Word: uint64(x)}
	case uint64:
		return Value{Word: x}
	case float32:
		w, _ := image32(x, true)
		return Value{Word: w}
	case float64:
		w, _ := image64(x, true)
		return Value{Word: w}
	case string:
		return Value{Text: x}
	case time.Duration:
		return Value{Word: uint64(x)}
	}
	panic("expr: no such result")
}

func isNaN(k Kind, w uint64) bool {
	switch k {
	case Float32:
		return w&0x7fffffff > 0x7f800000
	case Float64:
		return w<<1 > 0x7ff<<53
	}
	return false
}

func of1[A, R basic](f func(A) R) Function {
	return Function{Params: []Kind{kindOf[A]()}, Results: []Kind{kindOf[R]()}, call: func(a []Value) []Value { return []Value{give(f(take[A](a[0])))} }}
}

func of2[A, B, R basic](f func(A, B) R) Function {
	return Function{Params: []Kind{kindOf[A](), kindOf[B]()}, Results: []Kind{kindOf[R]()}, call: func(a []Value) []Value {
		return []Value{give(f(take[A](a[0]), take[B](a[1])))}
	}}
}

func of3[A, B, C, R basic](f func(A, B, C) R) Function {
	return Function{Params: []Kind{kindOf[A](), kindOf[B](), kindOf[C]()}, Results: []Kind{kindOf[R]()}, call: func(a []Value) []Value {
		return []Value{give(f(take[A](a[0]), take[B](a[1]), take[C](a[2])))}
	}}
}

func of4[A, B, C, D, R basic](f func(A, B, C, D) R) Function {
	return Function{Params: []Kind{kindOf[A](), kindOf[B](), kindOf[C](), kindOf[D]()}, Results: []Kind{kindOf[R]()}, call: func(a []Value) []Value {
		return []Value{give(f(take[A](a[0]), take[B](a[1]), take[C](a[2]), take[D](a[3])))}
	}}
}

// pair1, pair2 and pair3 have two results.
func pair1[A, R, S basic](f func(A) (R, S)) Function {
	return Function{Params: []Kind{kindOf[A]()}, Results: []Kind{kindOf[R](), kindOf[S]()}, call: func(a []Value) []Value {
		r, s := f(take[A](a[0]))
		return []Value{give(r), give(s)}
	}}
}

func pair2[A, B, R, S basic](f func(A, B) (R, S)) Function {
	return Function{Params: []Kind{kindOf[A](), kindOf[B]()}, Results: []Kind{kindOf[R](), kindOf[S]()}, call: func(a []Value) []Value {
		r, s := f(take[A](a[0]), take[B](a[1]))
		return []Value{give(r), give(s)}
	}}
}

func pair3[A, B, C, R, S basic](f func(A, B, C) (R, S)) Function {
	return Function{Params: []Kind{kindOf[A](), kindOf[B](), kindOf[C]()}, Results: []Kind{kindOf[R](), kindOf[S]()}, call: func(a []Value) []Value {
		r, s := f(take[A](a[0]), take[B](a[1]), take[C](a[2]))
		return []Value{give(r), give(s)}
	}}
}

// errs1, errs2 and errs3 have an error.
func errs1[A, R basic](f func(A) (R, error)) Function {
	return Function{Params: []Kind{kindOf[A]()}, Results: []Kind{kindOf[R]()}, Errs: true, call: func(a []Value) []Value {
		r, err := f(take[A](a[0]))
		return []Value{give(r), give(err == nil)}
	}}
}

func errs2[A, B, R basic](f func(A, B) (R, error)) Function {
	return Function{Params: []Kind{kindOf[A](), kindOf[B]()}, Results: []Kind{kindOf[R]()}, Errs: true, call: func(a []Value) []Value {
		r, err := f(take[A](a[0]), take[B](a[1]))
		return []Value{give(r), give(err == nil)}
	}}
}

func errs3[A, B, C, R basic](f func(A, B, C) (R, error)) Function {
	return Function{Params: []Kind{kindOf[A](), kindOf[B](), kindOf[C]()}, Results: []Kind{kindOf[R]()}, Errs: true, call: func(a []Value) []Value {
		r, err := f(take[A](a[0]), take[B](a[1]), take[C](a[2]))
		return []Value{give(r), give(err == nil)}
	}}
}
