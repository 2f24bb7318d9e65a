package witness

import (
	"encoding/binary"
	"math"
	"math/big"
	"unicode/utf8"

	"github.com/presage-race/presage/internal/predict/expr"
)

// This file evaluates expressions (docs/theory/model.md, V). It shares no code with expr.Evaluator,
// with which the engine found the witness. Each operator is Go's own, on operands of Go's own
// types; which expressions have no value is defined here a second time. Package expr states the
// rules. eval_test.go compares the two evaluators with each other and with compiled Go.

// amount is the value of an expression: a word or a string. ok is false if it has none.
type amount struct {
	bits uint64
	text string
	ok   bool
}

func of(bits uint64) amount { return amount{bits: bits, ok: true} }

func truth(b bool) amount {
	if b {
		return of(1)
	}
	return of(0)
}

// functions are the pure functions that an expr.Call may name.
var functions = map[string]func(args []amount) amount{}

// evaluation is one pass over an expression.
type evaluation struct {
	read func(n int64) (uint64, bool)
	done map[*expr.Expr]amount
}

// of computes e, each shared part once. Of an Ite it computes only the operand that is chosen.
func (v *evaluation) of(e *expr.Expr) amount {
	if a, ok := v.done[e]; ok {
		return a
	}
	a := v.compute(e)
	v.done[e] = a
	return a
}

func (v *evaluation) compute(e *expr.Expr) amount {
	switch e.Op() {
	case expr.Const:
		if text, ok := e.RecordedText(); ok {
			return amount{text: text, ok: true}
		}
		bits, ok := e.Recorded()
		return amount{bits: bits, ok: ok}
	case expr.Read:
		bits, ok := v.read(e.Number())
		return amount{bits: bits, ok: ok}
	case expr.Ite:
		switch c := v.of(e.Args()[0]); {
		case !c.ok:
			return amount{}
		case c.bits == 1:
			return v.of(e.Args()[1])
		}
		return v.of(e.Args()[2])
	}
	args := make([]amount, len(e.Args()))
	for i, x := range e.Args() {
		if args[i] = v.of(x); !args[i].ok {
			return amount{}
		}
	}
	return operate(e, args)
}

// operate applies an operator.
func operate(e *expr.Expr, a []amount) amount {
	k := e.Kind()
	switch e.Op() {
	case expr.Call:
		if f := functions[e.Name()]; f != nil {
			return f(a)
		}
		return amount{}
	case expr.TextAt:
		return stringAt(e.Texts(), a[0].bits, a[1].bits)
	case expr.Part:
		return part(a[0].bits, e.Number(), e.Bytes())
	case expr.Cat:
		return cat(a[0].bits, e.Number(), a[1].bits)
	case expr.Not:
		return truth(a[0].bits == 0)
	case expr.Convert:
		return convert(k, e.To(), a[0].bits)
	case expr.QuoRe, expr.QuoIm:
		q := divided(complex(f64(a[0].bits), f64(a[1].bits)), complex(f64(a[2].bits), f64(a[3].bits)))
		if e.Op() == expr.QuoRe {
			return image(real(q))
		}
		return image(imag(q))
	}
	switch k {
	case expr.String:
		return text(e.Op(), a)
	case expr.Bool:
		return logic(e.Op(), a[0].bits == 1, a[1].bits == 1)
	case expr.Float32:
		return floats[float32](e.Op(), a, f32)
	case expr.Float64:
		return floats[float64](e.Op(), a, f64)
	case expr.Int8:
		return integers[int8](e, a)
	case expr.Int16:
		return integers[int16](e, a)
	case expr.Int32:
		return integers[int32](e, a)
	case expr.Int64:
		return integers[int64](e, a)
	case expr.Uint8:
		return integers[uint8](e, a)
	case expr.Uint16:
		return integers[uint16](e, a)
	case expr.Uint32:
		return integers[uint32](e, a)
	case expr.Uint64:
		return integers[uint64](e, a)
	}
	return amount{}
}

func part(x uint64, from, n int64) amount {
	var in, out [8]byte
	binary.LittleEndian.PutUint64(in[:], x)
	copy(out[:n], in[from:])
	return of(binary.LittleEndian.Uint64(out[:]))
}

func cat(lo uint64, n int64, hi uint64) amount {
	var out, rest [8]byte
	binary.LittleEndian.PutUint64(out[:], lo)
	binary.LittleEndian.PutUint64(rest[:], hi)
	copy(out[n:], rest[:])
	return of(binary.LittleEndian.Uint64(out[:]))
}

type integer interface {
	int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64
}

type number interface{ integer | float32 | float64 }

func f32(bits uint64) float32 { return math.Float32frombits(uint32(bits)) }
func f64(bits uint64) float64 { return math.Float64frombits(bits) }

// image is the word of a number. A NaN has none.
func image[T number](x T) amount {
	if x != x {
		return amount{}
	}
	switch x := any(x).(type) {
	case int8:
		return of(uint64(uint8(x)))
	case int16:
		return of(uint64(uint16(x)))
	case int32:
		return of(uint64(uint32(x)))
	case int64:
		return of(uint64(x))
	case uint8:
		return of(uint64(x))
	case uint16:
		return of(uint64(x))
	case uint32:
		return of(uint64(x))
	case uint64:
		return of(x)
	case float32:
		return of(uint64(math.Float32bits(x)))
	case float64:
		return of(math.Float64bits(x))
	}
	panic("witness: no such number")
}

func integers[T integer](e *expr.Expr, a []amount) amount {
	x := T(a[0].bits)
	switch e.Op() {
	case expr.Neg:
		return image(-x)
	case expr.Com:
		return image(^x)
	case expr.Shl, expr.Shr:
		return shift(e.Op(), e.To(), x, a[1].bits)
	}
	y := T(a[1].bits)
	switch e.Op() {
	case expr.Quo, expr.Rem:
		if y == 0 {
			return amount{}
		}
		if e.Op() == expr.Quo {
			return image(x / y)
		}
		return image(x % y)
	case expr.And:
		return image(x & y)
	case expr.Or:
		return image(x | y)
	case expr.Xor:
		return image(x ^ y)
	case expr.AndNot:
		return image(x &^ y)
	}
	return numbers(e.Op(), x, y)
}

// numbers has the operators that integers and floats have in common.
func numbers[T number](op expr.Op, x, y T) amount {
	switch op {
	case expr.Add:
		return image(x + y)
	case expr.Sub:
		return image(x - y)
	case expr.Mul:
		return image(x * y)
	case expr.Min:
		return image(min(x, y))
	case expr.Max:
		return image(max(x, y))
	}
	return order(op, x, y)
}

func order[T number | string](op expr.Op, x, y T) amount {
	switch op {
	case expr.Eql:
		return truth(x == y)
	case expr.Neq:
		return truth(x != y)
	case expr.Lss:
		return truth(x < y)
	case expr.Leq:
		return truth(x <= y)
	case expr.Gtr:
		return truth(x > y)
	case expr.Geq:
		return truth(x >= y)
	}
	return amount{}
}

func floats[T float32 | float64](op expr.Op, a []amount, from func(uint64) T) amount {
	x := from(a[0].bits)
	switch op {
	case expr.Neg:
		if x == x {
			return image(-x)
		}
		if _, ok := any(x).(float32); ok {
			return of(a[0].bits ^ 0x8000_0000)
		}
		return of(a[0].bits ^ 0x8000_0000_0000_0000)
	case expr.Quo:
		return image(x / from(a[1].bits))
	}
	return numbers(op, x, from(a[1].bits))
}

func logic(op expr.Op, x, y bool) amount {
	switch op {
	case expr.And:
		return truth(x && y)
	case expr.Or:
		return truth(x || y)
	case expr.Xor, expr.Neq:
		return truth(x != y)
	case expr.AndNot:
		return truth(x && !y)
	case expr.Eql:
		return truth(x == y)
	}
	return amount{}
}

// shift counts in the type of the count.
func shift[T integer](op expr.Op, count expr.Kind, x T, n uint64) amount {
	switch count {
	case expr.Int8:
		return shiftBy(op, x, int8(n))
	case expr.Int16:
		return shiftBy(op, x, int16(n))
	case expr.Int32:
		return shiftBy(op, x, int32(n))
	case expr.Int64:
		return shiftBy(op, x, int64(n))
	case expr.Uint8:
		return shiftBy(op, x, uint8(n))
	case expr.Uint16:
		return shiftBy(op, x, uint16(n))
	case expr.Uint32:
		return shiftBy(op, x, uint32(n))
	case expr.Uint64:
		return shiftBy(op, x, n)
	}
	return amount{}
}

func shiftBy[T, N integer](op expr.Op, x T, n N) amount {
	switch {
	case n < 0:
		return amount{} // a panic
	case op == expr.Shl:
		return image(x << n)
	}
	return image(x >> n)
}

func convert(from, to expr.Kind, bits uint64) amount {
	switch from {
	case expr.Int8:
		return convertInteger(to, int8(bits))
	case expr.Int16:
		return convertInteger(to, int16(bits))
	case expr.Int32:
		return convertInteger(to, int32(bits))
	case expr.Int64:
		return convertInteger(to, int64(bits))
	case expr.Uint8:
		return convertInteger(to, uint8(bits))
	case expr.Uint16:
		return convertInteger(to, uint16(bits))
	case expr.Uint32:
		return convertInteger(to, uint32(bits))
	case expr.Uint64:
		return convertInteger(to, bits)
	case expr.Float32:
		return convertFloat(to, f32(bits))
	case expr.Float64:
		return convertFloat(to, f64(bits))
	}
	return amount{}
}

func convertInteger[T integer](to expr.Kind, x T) amount {
	switch to {
	case expr.Int8:
		return image(int8(x))
	case expr.Int16:
		return image(int16(x))
	case expr.Int32:
		return image(int32(x))
	case expr.Int64:
		return image(int64(x))
	case expr.Uint8:
		return image(uint8(x))
	case expr.Uint16:
		return image(uint16(x))
	case expr.Uint32:
		return image(uint32(x))
	case expr.Uint64:
		return image(uint64(x))
	case expr.Float32:
		return image(float32(x))
	case expr.Float64:
		return image(float64(x))
	case expr.String:
		if x >= 0 && uint64(x) <= utf8.MaxRune {
			return amount{text: string(rune(x)), ok: true}
		}
		return amount{text: "\uFFFD", ok: true}
	}
	return amount{}
}

// convertFloat is the integer part of a number, if the type can represent it.
func convertFloat[T float32 | float64](to expr.Kind, x T) amount {
	switch {
	case to == expr.Float32:
		return image(float32(x))
	case to == expr.Float64:
		return image(float64(x))
	case x != x || x-x != 0: // NaN, infinite
		return amount{}
	}
	i, _ := big.NewFloat(float64(x)).Int(nil)
	low, high := new(big.Int), new(big.Int).Lsh(big.NewInt(1), uint(8*to.Size()))
	if to.IsSigned() {
		high.Rsh(high, 1)
		low.Neg(high)
	}
	switch {
	case !to.IsInteger() || i.Cmp(low) < 0 || i.Cmp(high) >= 0:
		return amount{}
	case to.IsSigned():
		return convertInteger(to, i.Int64())
	}
	return convertInteger(to, i.Uint64())
}

// stringAt is the string of n bytes at an address, if that is in read-only memory.
func stringAt(in *expr.Texts, addr, n uint64) amount {
	if n == 0 {
		return amount{ok: true}
	}
	if in == nil {
		return amount{}
	}
	s, _ := in.Placed(addr)
	from, ok := in.Place(s)
	if !ok || addr-from >= uint64(len(s)) {
		for _, span := range in.Spans() {
			if span.Addr <= addr {
				s, from = span.Text, span.Addr
			}
		}
	}
	if addr < from || addr-from > uint64(len(s)) || n > uint64(len(s))-(addr-from) {
		return amount{}
	}
	return amount{text: s[addr-from:][:n], ok: true}
}

// text is an operator of strings.
func text(op expr.Op, a []amount) amount {
	s := a[0].text
	switch op {
	case expr.Add:
		return amount{text: s + a[1].text, ok: true}
	case expr.Min:
		return amount{text: min(s, a[1].text), ok: true}
	case expr.Max:
		return amount{text: max(s, a[1].text), ok: true}
	case expr.Len:
		return image(int64(len(s)))
	case expr.At:
		if i := int64(a[1].bits); i >= 0 && i < int64(len(s)) {
			return image(s[i])
		}
		return amount{}
	case expr.Substr:
		lo, hi := int64(a[1].bits), int64(a[2].bits)
		if 0 <= lo && lo <= hi && hi <= int64(len(s)) {
			return amount{text: s[lo:hi], ok: true}
		}
		return amount{}
	}
	return order(op, s, a[1].text)
}

// divided returns n/m as runtime.complex128div does. The conversions keep the compiler from
// rounding a product and a sum at once.
func divided(n, m complex128) complex128 {
	re, im, c, d := real(n), imag(n), real(m), imag(m)
	var e, f float64
	if math.Abs(c) >= math.Abs(d) {
		ratio := d / c
		by := c + float64(ratio*d)
		e, f = (re+float64(im*ratio))/by, (im-float64(re*ratio))/by
	} else {
		ratio := c / d
		by := d + float64(ratio*c)
		e, f = (float64(re*ratio)+im)/by, (float64(im*ratio)-re)/by
	}
	if e != e && f != f { // products of infinities and zeros, which are exact
		return n / m
	}
	return complex(e, f)
}
