package goval

import (
	"go/types"
	"math"
	"testing"
)

// TestConvertFloat: a conversion to an integer is known where the value fits the type, and only
// there.
func TestConvertFloat(t *testing.T) {
	for _, c := range []struct {
		x    float64
		to   types.BasicKind
		want uint64
		fits bool
	}{
		{-1.5, types.Int8, 0xff, true},
		{-128.9, types.Int8, 0x80, true},
		{-129, types.Int8, 0, false},
		{127.9, types.Int8, 127, true},
		{128, types.Int8, 0, false},
		{-0.9, types.Uint8, 0, true},
		{-1, types.Uint8, 0, false},
		{255.9, types.Uint8, 255, true},
		{256, types.Uint8, 0, false},
		{math.MaxInt32, types.Int32, math.MaxInt32, true},
		{math.MaxInt32 + 1, types.Int32, 0, false},
		{math.MinInt64, types.Int64, 1 << 63, true},
		{1 << 63, types.Int64, 0, false},
		{1 << 63, types.Uint64, 1 << 63, true},
		{1 << 64, types.Uint64, 0, false},
		{math.NaN(), types.Int32, 0, false},
		{math.Inf(-1), types.Int64, 0, false},
	} {
		got, ok := ConvertBasic(c.to, types.Float64, Known(math.Float64bits(c.x))).Bits()
		if ok != c.fits || got != c.want {
			t.Errorf("%v to %v: %#x, %t, want %#x, %t", c.x, types.Typ[c.to], got, ok, c.want, c.fits)
		}
	}
}
