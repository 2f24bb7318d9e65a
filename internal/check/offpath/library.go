package offpath

import (
	"cmp"
	"go/types"
	"math"
	"math/bits"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// std is a call of a pure function of the standard library. The function is called itself, with Go
// values that are taken from the arguments one after the other. For which arguments it has a value
// is defined here, independently of package expr.
type std struct {
	args   []value
	kinds  []types.BasicKind // of args, where that matters
	known  bool              // all arguments so far are known, and so is the result for them
	panics bool              // the call may panic
	out    []value
}

func (c *std) next() value {
	v := c.args[0]
	c.args, c.kinds = c.args[1:], c.kinds[1:]
	return v
}

func (c *std) word() uint64 {
	x, ok := c.next().bits()
	c.known = c.known && ok
	return x
}

// maxText bounds the strings that are evaluated.
const maxText = 4096

func (c *std) str() string {
	s, ok := c.next().content()
	if !ok || len(s) > maxText {
		c.known = false
		return ""
	}
	return s
}

// ascii is a string for which all versions of Go compute the same result.
func (c *std) ascii() string {
	s := c.str()
	for _, b := range []byte(s) {
		c.known = c.known && b <= unicode.MaxASCII
	}
	return s
}

// utf8 is a string that is valid UTF-8.
func (c *std) utf8() string {
	s := c.str()
	c.known = c.known && utf8.ValidString(s)
	return s
}

func (c *std) int() int                { return int(c.word()) }
func (c *std) rune() rune              { return rune(c.word()) }
func (c *std) byte() byte              { return byte(c.word()) }
func (c *std) float() float64          { return math.Float64frombits(c.word()) }
func (c *std) duration() time.Duration { return time.Duration(c.word()) }

func (c *std) asciiRune() rune {
	r := c.rune()
	c.known = c.known && 0 <= r && r <= unicode.MaxASCII
	return r
}

func (c *std) validRune() rune {
	r := c.rune()
	c.known = c.known && utf8.ValidRune(r)
	return r
}

// need is a condition without which the result is unknown.
func (c *std) need(cond bool) bool {
	c.known = c.known && cond
	return c.known
}

// must is a condition without which the call panics or is too large to evaluate.
func (c *std) must(cond bool) bool {
	c.panics = c.panics || !c.known || !cond
	return !c.panics
}

// The results.
func (c *std) givesInt(x int)            { c.out = append(c.out, number(uint64(x), 8)) }
func (c *std) givesRune(x rune)          { c.out = append(c.out, number(uint64(x), 4)) }
func (c *std) givesUint(x uint64)        { c.out = append(c.out, number(x, 8)) }
func (c *std) givesBits(x uint64)        { c.out = append(c.out, number(x, 4)) }
func (c *std) givesSome(x uint64, n int) { c.out = append(c.out, number(x, n)) }
func (c *std) givesBool(x bool)          { c.out = append(c.out, truth(x)) }

func (c *std) givesFloat(x float64) {
	v, ok := floating(x)
	if !ok {
		v = unknown(8)
	}
	c.out = append(c.out, v)
}

func (c *std) givesText(s string) {
	v := stringOf(s)
	if len(s) > maxText {
		c.known = false
	}
	c.out = append(c.out, v)
}

// givesError is nil, or an unknown error that is not nil.
func (c *std) givesError(err error) {
	v := zero(16)
	if err != nil {
		v = unknown(16)
		v.some = true
	}
	c.out = append(c.out, v)
}

// value is the result of the call, of a type.
func (c *std) value(t types.Type) value {
	if c.panics {
		throw("a call that may panic")
	}
	tuple, ok := t.(*types.Tuple)
	if !ok {
		if c.known && len(c.out) == 1 {
			return c.out[0]
		}
		return unknown(sizeof(t))
	}
	v := value{tuple: make([]value, tuple.Len())}
	for i := range v.tuple {
		switch {
		case c.known && len(c.out) == tuple.Len():
			v.tuple[i] = c.out[i]
		case !invalid(tuple.At(i).Type()):
			v.tuple[i] = unknown(sizeof(tuple.At(i).Type()))
		}
	}
	return v
}

// library are the functions by their full names. Arguments are evaluated from left to right.
var library = map[string]func(c *std){
	"math.Abs":             func(c *std) { c.givesFloat(math.Abs(c.float())) },
	"math.Ceil":            func(c *std) { c.givesFloat(math.Ceil(c.float())) },
	"math.Copysign":        func(c *std) { c.givesFloat(math.Copysign(c.float(), c.float())) },
	"math.Floor":           func(c *std) { c.givesFloat(math.Floor(c.float())) },
	"math.Inf":             func(c *std) { c.givesFloat(math.Inf(c.int())) },
	"math.Max":             func(c *std) { c.givesFloat(math.Max(c.float(), c.float())) },
	"math.Min":             func(c *std) { c.givesFloat(math.Min(c.float(), c.float())) },
	"math.Mod":             func(c *std) { c.givesFloat(math.Mod(c.float(), c.float())) },
	"math.Modf":            func(c *std) { i, f := math.Modf(c.float()); c.givesFloat(i); c.givesFloat(f) },
	"math.Round":           func(c *std) { c.givesFloat(math.Round(c.float())) },
	"math.RoundToEven":     func(c *std) { c.givesFloat(math.RoundToEven(c.float())) },
	"math.Sqrt":            func(c *std) { c.givesFloat(math.Sqrt(c.float())) },
	"math.Trunc":           func(c *std) { c.givesFloat(math.Trunc(c.float())) },
	"math.IsNaN":           func(c *std) { c.givesBool(math.IsNaN(c.float())) },
	"math.IsInf":           func(c *std) { c.givesBool(math.IsInf(c.float(), c.int())) },
	"math.Signbit":         func(c *std) { c.givesBool(math.Signbit(c.float())) },
	"math.Float64bits":     func(c *std) { c.givesUint(c.word()) },
	"math.Float64frombits": func(c *std) { c.givesFloat(math.Float64frombits(c.word())) },
	"math.Float32bits":     func(c *std) { c.givesBits(c.word()) },
	"math.Float32frombits": func(c *std) {
		if v, ok := floating(math.Float32frombits(uint32(c.word()))); c.need(ok) {
			c.out = append(c.out, v)
		}
	},

	"math/bits.Len":             func(c *std) { c.givesInt(bits.Len64(c.word())) },
	"math/bits.Len64":           func(c *std) { c.givesInt(bits.Len64(c.word())) },
	"math/bits.Len32":           func(c *std) { c.givesInt(bits.Len32(uint32(c.word()))) },
	"math/bits.Len16":           func(c *std) { c.givesInt(bits.Len16(uint16(c.word()))) },
	"math/bits.Len8":            func(c *std) { c.givesInt(bits.Len8(c.byte())) },
	"math/bits.OnesCount":       func(c *std) { c.givesInt(bits.OnesCount64(c.word())) },
	"math/bits.OnesCount64":     func(c *std) { c.givesInt(bits.OnesCount64(c.word())) },
	"math/bits.OnesCount32":     func(c *std) { c.givesInt(bits.OnesCount32(uint32(c.word()))) },
	"math/bits.OnesCount16":     func(c *std) { c.givesInt(bits.OnesCount16(uint16(c.word()))) },
	"math/bits.OnesCount8":      func(c *std) { c.givesInt(bits.OnesCount8(c.byte())) },
	"math/bits.LeadingZeros":    func(c *std) { c.givesInt(bits.LeadingZeros64(c.word())) },
	"math/bits.LeadingZeros64":  func(c *std) { c.givesInt(bits.LeadingZeros64(c.word())) },
	"math/bits.LeadingZeros32":  func(c *std) { c.givesInt(bits.LeadingZeros32(uint32(c.word()))) },
	"math/bits.LeadingZeros16":  func(c *std) { c.givesInt(bits.LeadingZeros16(uint16(c.word()))) },
	"math/bits.LeadingZeros8":   func(c *std) { c.givesInt(bits.LeadingZeros8(c.byte())) },
	"math/bits.TrailingZeros":   func(c *std) { c.givesInt(bits.TrailingZeros64(c.word())) },
	"math/bits.TrailingZeros64": func(c *std) { c.givesInt(bits.TrailingZeros64(c.word())) },
	"math/bits.TrailingZeros32": func(c *std) { c.givesInt(bits.TrailingZeros32(uint32(c.word()))) },
	"math/bits.TrailingZeros16": func(c *std) { c.givesInt(bits.TrailingZeros16(uint16(c.word()))) },
	"math/bits.TrailingZeros8":  func(c *std) { c.givesInt(bits.TrailingZeros8(c.byte())) },
	"math/bits.Reverse":         func(c *std) { c.givesUint(bits.Reverse64(c.word())) },
	"math/bits.Reverse64":       func(c *std) { c.givesUint(bits.Reverse64(c.word())) },
	"math/bits.Reverse32":       func(c *std) { c.givesBits(uint64(bits.Reverse32(uint32(c.word())))) },
	"math/bits.Reverse16":       func(c *std) { c.givesSome(uint64(bits.Reverse16(uint16(c.word()))), 2) },
	"math/bits.Reverse8":        func(c *std) { c.givesSome(uint64(bits.Reverse8(c.byte())), 1) },
	"math/bits.ReverseBytes":    func(c *std) { c.givesUint(bits.ReverseBytes64(c.word())) },
	"math/bits.ReverseBytes64":  func(c *std) { c.givesUint(bits.ReverseBytes64(c.word())) },
	"math/bits.ReverseBytes32":  func(c *std) { c.givesBits(uint64(bits.ReverseBytes32(uint32(c.word())))) },
	"math/bits.ReverseBytes16":  func(c *std) { c.givesSome(uint64(bits.ReverseBytes16(uint16(c.word()))), 2) },
	"math/bits.RotateLeft":      func(c *std) { c.givesUint(bits.RotateLeft64(c.word(), c.int())) },
	"math/bits.RotateLeft64":    func(c *std) { c.givesUint(bits.RotateLeft64(c.word(), c.int())) },
	"math/bits.RotateLeft32":    func(c *std) { c.givesBits(uint64(bits.RotateLeft32(uint32(c.word()), c.int()))) },
	"math/bits.RotateLeft16":    func(c *std) { c.givesSome(uint64(bits.RotateLeft16(uint16(c.word()), c.int())), 2) },
	"math/bits.RotateLeft8":     func(c *std) { c.givesSome(uint64(bits.RotateLeft8(c.byte(), c.int())), 1) },
	"math/bits.Mul64":           func(c *std) { hi, lo := bits.Mul64(c.word(), c.word()); c.givesUint(hi); c.givesUint(lo) },
	"math/bits.Add64":           func(c *std) { c.carried(bits.Add64) },
	"math/bits.Sub64":           func(c *std) { c.carried(bits.Sub64) },

	"(time.Duration).Nanoseconds":  func(c *std) { c.givesInt(c.int()) },
	"(time.Duration).Microseconds": func(c *std) { c.givesInt(int(c.duration().Microseconds())) },
	"(time.Duration).Milliseconds": func(c *std) { c.givesInt(int(c.duration().Milliseconds())) },
	"(time.Duration).Seconds":      func(c *std) { c.givesFloat(c.duration().Seconds()) },
	"(time.Duration).Minutes":      func(c *std) { c.givesFloat(c.duration().Minutes()) },
	"(time.Duration).Hours":        func(c *std) { c.givesFloat(c.duration().Hours()) },
	"(time.Duration).Abs":          func(c *std) { c.givesInt(int(c.duration().Abs())) },
	"(time.Duration).Truncate":     func(c *std) { c.givesInt(int(c.duration().Truncate(c.duration()))) },
	"(time.Duration).Round":        func(c *std) { c.givesInt(int(c.duration().Round(c.duration()))) },
	"(time.Duration).String":       func(c *std) { c.givesText(c.duration().String()) },
	"(time.Month).String":          func(c *std) { c.givesText(time.Month(c.int()).String()) },
	"(time.Weekday).String":        func(c *std) { c.givesText(time.Weekday(c.int()).String()) },
	"time.ParseDuration":           func(c *std) { d, err := time.ParseDuration(c.str()); c.givesInt(int(d)); c.givesError(err) },

	"cmp.Compare": func(c *std) { c.givesInt(c.compared()) },
	"cmp.Less":    func(c *std) { c.givesBool(c.compared() < 0) },
}

// carried is addition or subtraction of three words.
func (c *std) carried(f func(x, y, carry uint64) (uint64, uint64)) {
	x, y, carry := c.word(), c.word(), c.word()
	if c.need(carry == 0 || carry == 1) {
		sum, out := f(x, y, carry)
		c.givesUint(sum)
		c.givesUint(out)
	}
}

// compared orders two arguments of one type.
func (c *std) compared() int {
	k := c.kinds[0]
	switch k {
	case types.String:
		return strings.Compare(c.str(), c.str())
	case types.Float64:
		return cmp.Compare(c.float(), c.float())
	case types.Float32:
		return cmp.Compare(math.Float32frombits(uint32(c.word())), math.Float32frombits(uint32(c.word())))
	case types.Int8, types.Int16, types.Int32, types.Int64:
		return cmp.Compare(signExtended(k, c.word()), signExtended(k, c.word()))
	case types.Uint8, types.Uint16, types.Uint32, types.Uint64:
		return cmp.Compare(c.word(), c.word())
	}
	c.known = false
	return 0
}
