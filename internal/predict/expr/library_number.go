package expr

import (
	"math"
	"math/bits"
	"time"
)

// numbers are those of math that are exact, and of math/bits.
var numbers = table{
	"math.Abs":             of1(math.Abs),
	"math.Ceil":            of1(math.Ceil),
	"math.Copysign":        of2(math.Copysign),
	"math.Floor":           of1(math.Floor),
	"math.Inf":             of1(math.Inf),
	"math.Max":             of2(math.Max),
	"math.Min":             of2(math.Min),
	"math.Mod":             of2(math.Mod),
	"math.Modf":            pair1(math.Modf),
	"math.Round":           of1(math.Round),
	"math.RoundToEven":     of1(math.RoundToEven),
	"math.Sqrt":            of1(math.Sqrt),
	"math.Trunc":           of1(math.Trunc),
	"math.IsNaN":           of1(math.IsNaN),
	"math.IsInf":           of2(math.IsInf),
	"math.Signbit":         of1(math.Signbit),
	"math.Float64bits":     unchanged(Float64, Uint64),
	"math.Float64frombits": unchanged(Uint64, Float64),
	"math.Float32bits":     unchanged(Float32, Uint32),
	"math.Float32frombits": unchanged(Uint32, Float32),

	"math/bits.Len":             of1(bits.Len),
	"math/bits.Len64":           of1(bits.Len64),
	"math/bits.Len32":           of1(bits.Len32),
	"math/bits.Len16":           of1(bits.Len16),
	"math/bits.Len8":            of1(bits.Len8),
	"math/bits.OnesCount":       of1(bits.OnesCount),
	"math/bits.OnesCount64":     of1(bits.OnesCount64),
	"math/bits.OnesCount32":     of1(bits.OnesCount32),
	"math/bits.OnesCount16":     of1(bits.OnesCount16),
	"math/bits.OnesCount8":      of1(bits.OnesCount8),
	"math/bits.LeadingZeros":    of1(bits.LeadingZeros),
	"math/bits.LeadingZeros64":  of1(bits.LeadingZeros64),
	"math/bits.LeadingZeros32":  of1(bits.LeadingZeros32),
	"math/bits.LeadingZeros16":  of1(bits.LeadingZeros16),
	"math/bits.LeadingZeros8":   of1(bits.LeadingZeros8),
	"math/bits.TrailingZeros":   of1(bits.TrailingZeros),
	"math/bits.TrailingZeros64": of1(bits.TrailingZeros64),
	"math/bits.TrailingZeros32": of1(bits.TrailingZeros32),
	"math/bits.TrailingZeros16": of1(bits.TrailingZeros16),
	"math/bits.TrailingZeros8":  of1(bits.TrailingZeros8),
	"math/bits.Reverse":         of1(bits.Reverse),
	"math/bits.Reverse64":       of1(bits.Reverse64),
	"math/bits.Reverse32":       of1(bits.Reverse32),
	"math/bits.Reverse16":       of1(bits.Reverse16),
	"math/bits.Reverse8":        of1(bits.Reverse8),
	"math/bits.ReverseBytes":    of1(bits.ReverseBytes),
	"math/bits.ReverseBytes64":  of1(bits.ReverseBytes64),
	"math/bits.ReverseBytes32":  of1(bits.ReverseBytes32),
	"math/bits.ReverseBytes16":  of1(bits.ReverseBytes16),
	"math/bits.RotateLeft":      of2(bits.RotateLeft),
	"math/bits.RotateLeft64":    of2(bits.RotateLeft64),
	"math/bits.RotateLeft32":    of2(bits.RotateLeft32),
	"math/bits.RotateLeft16":    of2(bits.RotateLeft16),
	"math/bits.RotateLeft8":     of2(bits.RotateLeft8),
	"math/bits.Mul64":           pair2(bits.Mul64),
	"math/bits.Add64":           pair3(bits.Add64).if_(carries),
	"math/bits.Sub64":           pair3(bits.Sub64).if_(carries),
}

// carries reports whether the carry is one; what another does is not said.
func carries(a []Value) bool { return a[2].Word <= 1 }

func unchanged(from, to Kind) Function {
	return Function{Params: []Kind{from}, Results: []Kind{to}, call: func(a []Value) []Value { return []Value{{Word: a[0].Word}} }}
}

// durations are arithmetic.
var durations = table{
	"(time.Duration).Nanoseconds":  of1(time.Duration.Nanoseconds),
	"(time.Duration).Microseconds": of1(time.Duration.Microseconds),
	"(time.Duration).Milliseconds": of1(time.Duration.Milliseconds),
	"(time.Duration).Seconds":      of1(time.Duration.Seconds),
	"(time.Duration).Minutes":      of1(time.Duration.Minutes),
	"(time.Duration).Hours":        of1(time.Duration.Hours),
	"(time.Duration).Abs":          of1(time.Duration.Abs),
	"(time.Duration).Truncate":     of2(time.Duration.Truncate),
	"(time.Duration).Round":        of2(time.Duration.Round),
	"(time.Duration).String":       of1(time.Duration.String),
	"(time.Month).String":          of1(time.Month.String),
	"(time.Weekday).String":        of1(time.Weekday.String),
	"time.ParseDuration":           errs1(time.ParseDuration),
}
