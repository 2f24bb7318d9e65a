package walk

import (
	"go/types"
	"math"
	"testing"

	"github.com/presage-race/presage/internal/predict/goval"
	"github.com/presage-race/presage/internal/source/plan"
)

// TestDiffer compares values with NaN and padding in them: two NaN are the same wherever they
// stand, other numbers and integers with the same bits are not.
func TestDiffer(t *testing.T) {
	field := func(name string, k types.BasicKind) *types.Var {
		return types.NewField(0, nil, name, types.Typ[k], false)
	}
	pair := types.NewStruct([]*types.Var{field("n", types.Int8), field("f", types.Float32), field("_", types.Int64)}, nil)
	const one, two = 0x7ff8000000000001, 0xfff8000000000001 // NaN
	const small, other = 0x7fc00000, 0xffc00001
	f := math.Float64bits
	for _, c := range []struct {
		t      types.Type
		a, b   []uint64
		differ bool
	}{
		{types.Typ[types.Float64], []uint64{one}, []uint64{two}, false},
		{types.Typ[types.Float64], []uint64{one}, []uint64{f(1)}, true},
		{types.Typ[types.Float64], []uint64{0}, []uint64{f(math.Copysign(0, -1))}, true},
		{types.Typ[types.Uint64], []uint64{one}, []uint64{two}, true},
		{types.Typ[types.Float32], []uint64{small}, []uint64{other}, false},
		{types.Typ[types.Complex128], []uint64{one, f(1)}, []uint64{two, f(1)}, false},
		{types.Typ[types.Complex128], []uint64{one, f(1)}, []uint64{two, f(2)}, true},
		{types.Typ[types.Complex128], []uint64{f(1), two}, []uint64{f(1), one}, false},
		{types.Typ[types.Complex64], []uint64{small<<32 | 1}, []uint64{other<<32 | 1}, false},
		{types.Typ[types.Complex64], []uint64{small<<32 | small}, []uint64{other<<32 | 1}, true},
		{types.NewArray(types.Typ[types.Float32], 3), []uint64{small << 32, small}, []uint64{other << 32, other}, false},
		{types.NewArray(types.Typ[types.Float32], 3), []uint64{small << 32, 5}, []uint64{other << 32, 6}, true},
		{pair, []uint64{small<<32 | 7, 1}, []uint64{other<<32 | 0xaa07, 2}, false},
		{pair, []uint64{small<<32 | 7, 1}, []uint64{other<<32 | 8, 1}, true},
	} {
		w := &Walker{meanings: map[types.Type]*meaning{}}
		sizes := types.SizesFor("gc", "amd64")
		if got := w.differ(c.t, sizes, goval.Words(c.a), goval.Words(c.b), sizes.Sizeof(c.t)); got != c.differ {
			t.Errorf("%v: %#x and %#x: differ = %v", c.t, c.a, c.b, got)
		}
	}
}

// TestPadding asks for the bytes without a meaning of one word of an access.
func TestPadding(t *testing.T) {
	field := func(name string, k types.BasicKind) *types.Var {
		return types.NewField(0, nil, name, types.Typ[k], false)
	}
	tail := types.NewStruct([]*types.Var{field("n", types.Int64), field("last", types.Bool)}, nil)
	holes := types.NewStruct([]*types.Var{field("b", types.Int8), field("n", types.Int32), field("_", types.Int32), field("s", types.Int16)}, nil)
	word := types.Typ[types.Int64]
	for _, c := range []struct {
		t         types.Type
		extent    plan.Extent
		off, size int64
		want      uint8
	}{
		{tail, plan.Pointee, 0, 8, 0},
		{tail, plan.Pointee, 8, 8, 0b11111110},
		{tail, plan.AppendTail, 24, 8, 0b11111110}, // of the second element
		{tail, plan.AppendTail, 16, 8, 0},
		{types.NewArray(tail, 2), plan.Pointee, 24, 8, 0b11111110},
		{holes, plan.Pointee, 0, 8, 0b00001110},
		{holes, plan.Pointee, 8, 8, 0b11001111},
		{holes, plan.Pointee, 8, 4, 0b00001111},
		{word, plan.Pointee, 0, 8, 0},
		{tail, plan.MapObject, 8, 8, 0},
		{types.NewStruct(nil, nil), plan.Pointee, 0, 1, 0},
	} {
		w := &Walker{meanings: map[types.Type]*meaning{}}
		if got := w.padding(&plan.Hook{Type: c.t, Extent: c.extent}, types.SizesFor("gc", "amd64"), c.off, c.size); got != c.want {
			t.Errorf("%v, byte %d: %#b, want %#b", c.t, c.off, got, c.want)
		}
	}
}
