package expr

import (
	"math"
	"math/bits"
	"time"
)

// A Function is a function of the standard library that is nothing but a function of its numbers: it has no effect, does not
// panic, and gives the same bits in every version of Go. (Those of math that are approximations are not here.)
type Function struct {
	Params []Kind // of the receiver, then of the parameters
	Result Kind
	Call   func(a []uint64) uint64
}

// Library are the functions by their full names, as go/types has them. Each is tested against itself in compiled Go.
var Library = map[string]Function{
	"math.Abs":             float1(math.Abs),
	"math.Ceil":            float1(math.Ceil),
	"math.Copysign":        float2(math.Copysign),
	"math.Floor":           float1(math.Floor),
	"math.Max":             float2(math.Max),
	"math.Min":             float2(math.Min),
	"math.Mod":             float2(math.Mod),
	"math.Round":           float1(math.Round),
	"math.RoundToEven":     float1(math.RoundToEven),
	"math.Sqrt":            float1(math.Sqrt),
	"math.Trunc":           float1(math.Trunc),
	"math.IsNaN":           {[]Kind{Float64}, Bool, func(a []uint64) uint64 { return bit(math.IsNaN(math.Float64frombits(a[0]))) }},
	"math.IsInf":           {[]Kind{Float64, Int64}, Bool, func(a []uint64) uint64 { return bit(math.IsInf(math.Float64frombits(a[0]), int(a[1]))) }},
	"math.Signbit":         {[]Kind{Float64}, Bool, func(a []uint64) uint64 { return a[0] >> 63 }},
	"math.Float64bits":     {[]Kind{Float64}, Uint64, unchanged},
	"math.Float64frombits": {[]Kind{Uint64}, Float64, unchanged},
	"math.Float32bits":     {[]Kind{Float32}, Uint32, unchanged},
	"math.Float32frombits": {[]Kind{Uint32}, Float32, unchanged},

	"math/bits.Len":             count(Uint64, bits.Len64),
	"math/bits.Len64":           count(Uint64, bits.Len64),
	"math/bits.Len32":           count(Uint32, bits.Len32),
	"math/bits.OnesCount":       count(Uint64, bits.OnesCount64),
	"math/bits.OnesCount64":     count(Uint64, bits.OnesCount64),
	"math/bits.OnesCount32":     count(Uint32, bits.OnesCount32),
	"math/bits.LeadingZeros":    count(Uint64, bits.LeadingZeros64),
	"math/bits.LeadingZeros64":  count(Uint64, bits.LeadingZeros64),
	"math/bits.LeadingZeros32":  count(Uint32, bits.LeadingZeros32),
	"math/bits.TrailingZeros":   count(Uint64, bits.TrailingZeros64),
	"math/bits.TrailingZeros64": count(Uint64, bits.TrailingZeros64),
	"math/bits.TrailingZeros32": count(Uint32, bits.TrailingZeros32),
	"math/bits.Reverse64":       {[]Kind{Uint64}, Uint64, func(a []uint64) uint64 { return bits.Reverse64(a[0]) }},
	"math/bits.ReverseBytes64":  {[]Kind{Uint64}, Uint64, func(a []uint64) uint64 { return bits.ReverseBytes64(a[0]) }},
	"math/bits.RotateLeft":      {[]Kind{Uint64, Int64}, Uint64, func(a []uint64) uint64 { return bits.RotateLeft64(a[0], int(a[1])) }},
	"math/bits.RotateLeft64":    {[]Kind{Uint64, Int64}, Uint64, func(a []uint64) uint64 { return bits.RotateLeft64(a[0], int(a[1])) }},
	"math/bits.RotateLeft32":    {[]Kind{Uint32, Int64}, Uint32, func(a []uint64) uint64 { return uint64(bits.RotateLeft32(uint32(a[0]), int(a[1]))) }},

	"(time.Duration).Nanoseconds":  duration(time.Duration.Nanoseconds),
	"(time.Duration).Microseconds": duration(time.Duration.Microseconds),
	"(time.Duration).Milliseconds": duration(time.Duration.Milliseconds),
	"(time.Duration).Seconds":      seconds(time.Duration.Seconds),
	"(time.Duration).Minutes":      seconds(time.Duration.Minutes),
	"(time.Duration).Hours":        seconds(time.Duration.Hours),
	"(time.Duration).Abs":          duration(func(d time.Duration) int64 { return int64(d.Abs()) }),
	"(time.Duration).Truncate":     durations(time.Duration.Truncate),
	"(time.Duration).Round":        durations(time.Duration.Round),
}

func init() {
	for name, f := range Library {
		Functions[name] = func(a []Value) (Value, bool) {
			words := make([]uint64, len(a))
			for i := range a {
				words[i] = a[i].Word
			}
			w := f.Call(words)
			return Value{Word: w}, !isNaN(f.Result, w) // which NaN is not said (E4)
		}
	}
}

func unchanged(a []uint64) uint64 { return a[0] }

func isNaN(k Kind, w uint64) bool {
	switch k {
	case Float32:
		return w&0x7fffffff > 0x7f800000
	case Float64:
		return w<<1 > 0x7ff<<53
	}
	return false
}

func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

func float1(f func(float64) float64) Function {
	return Function{[]Kind{Float64}, Float64, func(a []uint64) uint64 { return math.Float64bits(f(math.Float64frombits(a[0]))) }}
}

func float2(f func(x, y float64) float64) Function {
	return Function{[]Kind{Float64, Float64}, Float64, func(a []uint64) uint64 {
		return math.Float64bits(f(math.Float64frombits(a[0]), math.Float64frombits(a[1])))
	}}
}

func count[T uint32 | uint64](k Kind, f func(T) int) Function {
	return Function{[]Kind{k}, Int64, func(a []uint64) uint64 { return uint64(f(T(a[0]))) }}
}

func duration(f func(time.Duration) int64) Function {
	return Function{[]Kind{Int64}, Int64, func(a []uint64) uint64 { return uint64(f(time.Duration(a[0]))) }}
}

func seconds(f func(time.Duration) float64) Function {
	return Function{[]Kind{Int64}, Float64, func(a []uint64) uint64 { return math.Float64bits(f(time.Duration(a[0]))) }}
}

func durations(f func(d, m time.Duration) time.Duration) Function {
	return Function{[]Kind{Int64, Int64}, Int64, func(a []uint64) uint64 { return uint64(f(time.Duration(a[0]), time.Duration(a[1]))) }}
}
