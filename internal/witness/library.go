package witness

import (
	"math"
	mathbits "math/bits"
	"reflect"
	"time"
)

// library are the functions of the standard library that an expr.Call may name: themselves, called by reflection with arguments of their
// own types, which is what package expr does not do.
var library = map[string]any{
	"math.Abs": math.Abs, "math.Ceil": math.Ceil, "math.Copysign": math.Copysign, "math.Floor": math.Floor, "math.Max": math.Max,
	"math.Min": math.Min, "math.Mod": math.Mod, "math.Round": math.Round, "math.RoundToEven": math.RoundToEven, "math.Sqrt": math.Sqrt,
	"math.Trunc": math.Trunc, "math.IsNaN": math.IsNaN, "math.IsInf": math.IsInf, "math.Signbit": math.Signbit,
	"math.Float64bits": math.Float64bits, "math.Float64frombits": math.Float64frombits,
	"math.Float32bits": math.Float32bits, "math.Float32frombits": math.Float32frombits,
	"math/bits.Len": mathbits.Len, "math/bits.Len64": mathbits.Len64, "math/bits.Len32": mathbits.Len32,
	"math/bits.OnesCount": mathbits.OnesCount, "math/bits.OnesCount64": mathbits.OnesCount64, "math/bits.OnesCount32": mathbits.OnesCount32,
	"math/bits.LeadingZeros": mathbits.LeadingZeros, "math/bits.LeadingZeros64": mathbits.LeadingZeros64, "math/bits.LeadingZeros32": mathbits.LeadingZeros32,
	"math/bits.TrailingZeros": mathbits.TrailingZeros, "math/bits.TrailingZeros64": mathbits.TrailingZeros64, "math/bits.TrailingZeros32": mathbits.TrailingZeros32,
	"math/bits.Reverse64": mathbits.Reverse64, "math/bits.ReverseBytes64": mathbits.ReverseBytes64,
	"math/bits.RotateLeft": mathbits.RotateLeft, "math/bits.RotateLeft64": mathbits.RotateLeft64, "math/bits.RotateLeft32": mathbits.RotateLeft32,
	"(time.Duration).Nanoseconds": time.Duration.Nanoseconds, "(time.Duration).Microseconds": time.Duration.Microseconds,
	"(time.Duration).Milliseconds": time.Duration.Milliseconds, "(time.Duration).Seconds": time.Duration.Seconds,
	"(time.Duration).Minutes": time.Duration.Minutes, "(time.Duration).Hours": time.Duration.Hours, "(time.Duration).Abs": time.Duration.Abs,
	"(time.Duration).Truncate": time.Duration.Truncate, "(time.Duration).Round": time.Duration.Round,
}

func init() {
	for name := range library {
		functions[name] = func(args []amount) amount {
			words := make([]uint64, len(args))
			for i := range args {
				words[i] = args[i].bits
			}
			w, ok := Apply(name, words)
			return amount{bits: w, ok: ok}
		}
	}
}

// Knows reports whether there is such a function.
func Knows(name string) bool { return library[name] != nil }

// Apply calls a pure function of the standard library with numbers as they stand in memory. ok is false if there is no such function, or
// its result is no number.
func Apply(name string, args []uint64) (result uint64, ok bool) {
	fn := reflect.ValueOf(library[name])
	if !fn.IsValid() || fn.Type().NumIn() != len(args) {
		return 0, false
	}
	in := make([]reflect.Value, len(args))
	for i, a := range args {
		in[i] = reflect.New(fn.Type().In(i)).Elem()
		switch v := in[i]; {
		case v.CanInt():
			v.SetInt(int64(a))
		case v.CanUint():
			v.SetUint(a)
		case v.Kind() == reflect.Float32:
			v.SetFloat(float64(math.Float32frombits(uint32(a))))
		default:
			v.SetFloat(math.Float64frombits(a))
		}
	}
	switch r := fn.Call(in)[0]; {
	case r.Kind() == reflect.Bool:
		return uint64(truth(r.Bool()).bits), true
	case r.CanInt():
		return uint64(r.Int()), true
	case r.CanUint():
		return r.Uint(), true
	case r.Kind() == reflect.Float32:
		return uint64(math.Float32bits(float32(r.Float()))), r.Float() == r.Float()
	default:
		return math.Float64bits(r.Float()), r.Float() == r.Float()
	}
}
