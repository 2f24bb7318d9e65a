package witness

import (
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"presage/internal/expr"
)

// TestLibrary compares the two tables of pure functions: the same names, the same results, on numbers of every size.
func TestLibrary(t *testing.T) {
	names := slices.Sorted(maps.Keys(expr.Library))
	if !slices.Equal(names, slices.Sorted(maps.Keys(library))) {
		t.Fatal("the engine and the checker know different functions")
	}
	r := rand.New(rand.NewPCG(1, 2))
	special := []uint64{0, 1, math.MaxUint64, 1 << 63, math.Float64bits(1.5), math.Float64bits(-2.5), math.Float64bits(math.Inf(1)), math.Float64bits(math.NaN()), 1500000000}
	for _, name := range names {
		f := expr.Library[name]
		for range 500 {
			args, vals := make([]uint64, len(f.Params)), make([]expr.Value, len(f.Params))
			for i, k := range f.Params {
				args[i] = r.Uint64() >> r.IntN(64)
				if r.IntN(3) == 0 {
					args[i] = special[r.IntN(len(special))]
				}
				if n := k.Size(); n < 8 {
					args[i] &= 1<<(8*n) - 1
				}
				if k == expr.Float32 && args[i]&0x7fffffff > 0x7f800000 { // a NaN does not keep its bits as a float64
					args[i] = 0
				}
				vals[i].Word = args[i]
			}
			got, ok := expr.Functions[name](vals)
			want, ok2 := Apply(name, args)
			if name == "math.Float32frombits" && want&0x7fffffff > 0x7f800000 {
				continue
			}
			if ok != ok2 || ok && got.Word != want {
				t.Fatalf("%s(%x) = %x, %v; the checker has %x, %v", name, args, got.Word, ok, want, ok2)
			}
		}
	}
}
