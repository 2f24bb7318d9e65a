package offpath

import (
	"go/types"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/presage-race/presage/internal/predict/expr"
)

var kindTypes = map[expr.Kind]types.BasicKind{
	expr.Bool: types.Bool, expr.Int8: types.Int8, expr.Int16: types.Int16, expr.Int32: types.Int32, expr.Int64: types.Int64, expr.Uint8: types.Uint8,
	expr.Uint16: types.Uint16, expr.Uint32: types.Uint32, expr.Uint64: types.Uint64, expr.Float32: types.Float32, expr.Float64: types.Float64, expr.String: types.String,
}

// TestLibrary compares the pure functions of the interpreter with those of the engine.
func TestLibrary(t *testing.T) {
	names := map[string]bool{}
	for name := range expr.Library {
		base, _, _ := strings.Cut(name, "[")
		names[base] = true
	}
	if !slices.Equal(slices.Sorted(maps.Keys(names)), slices.Sorted(maps.Keys(library))) {
		t.Fatal("the engine and the interpreter know different functions")
	}
	r := rand.New(rand.NewPCG(3, 4))
	for _, name := range slices.Sorted(maps.Keys(expr.Library)) {
		f := expr.Library[name]
		for range 1000 {
			kinds := slices.Clone(f.Params)
			if f.Variadic {
				for range r.IntN(4) {
					kinds = append(kinds, expr.Kind(1+r.IntN(len(kindTypes))))
				}
			}
			vals := make([]expr.Value, len(kinds))
			for i, k := range kinds {
				vals[i] = someValue(r, k)
			}
			if f.Variadic && len(f.Params) > 0 {
				vals[0].Text = someFormat(r)
			}
			compareCall(t, name, &f, kinds, vals)
		}
	}
}

// compareCall makes one call.
func compareCall(t *testing.T, name string, f *expr.Function, kinds []expr.Kind, vals []expr.Value) {
	t.Helper()
	want := make([]expr.Value, f.Count())
	known := make([]bool, f.Count())
	args := vals
	if f.Variadic {
		names := ""
		for _, k := range kinds[len(f.Params):] {
			names += " " + k.String()
		}
		args = append([]expr.Value{{Text: names}}, vals...)
	}
	for i := range want {
		want[i], known[i] = expr.Functions[expr.ResultName(name, i)](args)
	}
	got, panics := interpreted(name, f, kinds, vals)
	if panics != (f.Panics && !known[0]) {
		t.Fatalf("%s(%x) panics: %v", name, vals, panics)
	}
	for i, v := range got {
		switch {
		case i == len(f.Results):
			null, ok := isZero(v)
			if ok != known[i] || ok && null != (want[i].Word == 1) {
				t.Fatalf("%s(%x): an error that is nil: %v, %v; the engine has %d, %v", name, vals, null, ok, want[i].Word, known[i])
			}
		case f.Results[i] == expr.String:
			s, ok := v.content()
			n, _ := v.word(1)
			if ok != known[i] || ok && (s != want[i].Text || n != uint64(len(s))) {
				t.Fatalf("%s(%x) = %q, %v; the engine has %q, %v", name, vals, s, ok, want[i].Text, known[i])
			}
		default:
			x, ok := v.bits()
			if ok != known[i] || ok && (x != want[i].Word || len(v.img) != int(f.Results[i].Size())) {
				t.Fatalf("%s(%x) = %#x, %v; the engine has %#x, %v", name, vals, x, ok, want[i].Word, known[i])
			}
		}
	}
}

// interpreted is the call by the interpreter.
func interpreted(name string, f *expr.Function, kinds []expr.Kind, vals []expr.Value) (results []value, panics bool) {
	base, _, _ := strings.Cut(name, "[")
	c := &std{known: true}
	for i, k := range kinds {
		c.kinds = append(c.kinds, kindTypes[k])
		if k == expr.String {
			c.args = append(c.args, stringOf(vals[i].Text))
		} else {
			c.args = append(c.args, number(vals[i].Word, int(k.Size())))
		}
	}
	library[base](c)
	var vars []*types.Var
	for _, k := range f.Results {
		vars = append(vars, types.NewVar(0, nil, "", types.Typ[kindTypes[k]]))
	}
	if f.Errs {
		vars = append(vars, types.NewVar(0, nil, "", types.Universe.Lookup("error").Type()))
	}
	defer func() { panics = recover() != nil }()
	if len(vars) == 1 {
		return []value{c.value(vars[0].Type())}, false
	}
	return c.value(types.NewTuple(vars...)).tuple, false
}

var (
	someWords = []uint64{
		0, 1, 2, 3, 8, 10, 16, 32, 36, 37, 64, 'b', 'e', 'f', 'g', 'x', math.MaxUint64, 1 << 63, math.MaxInt64, 0xfffd, 0xd800, 0x10ffff, 0x110000, 0x212a, 'é',
		math.Float64bits(1.5), math.Float64bits(-2.5), math.Float64bits(math.Inf(1)), math.Float64bits(math.NaN()), 1500000000,
	}
	someTexts = []string{
		"", "a", "b", "ab", "abc", "aab", "A", "aBc", "ABC", " a b ", "\t\n", "0", "7", "-7", "+42", "0x1f", "1e3", "-1.5", "9223372036854775808", "1h2m", "true", "F", "nil",
		`"ab"`, `'\x61'`, "`a`", "é", "Straße", "\u212a", "k", "\xff", "a\xc3", "\ufffd", "key=value", "=", "a/b/c", "/", strings.Repeat("ab", 2000), strings.Repeat("a", 4096), strings.Repeat("b", 4097),
	}
)

// someValue is a value of a kind, often one that means something.
func someValue(r *rand.Rand, k expr.Kind) expr.Value {
	if k == expr.String {
		return expr.Value{Text: someTexts[r.IntN(len(someTexts))]}
	}
	w := r.Uint64() >> r.IntN(64)
	if r.IntN(3) > 0 {
		w = someWords[r.IntN(len(someWords))]
	}
	if n := k.Size(); n < 8 {
		w &= 1<<(8*n) - 1
	}
	if k == expr.Bool {
		w &= 1
	}
	return expr.Value{Word: w}
}

// someFormat is a format, mostly of verbs that are evaluated.
func someFormat(r *rand.Rand) (s string) {
	for range r.IntN(4) {
		s += []string{"a", "%d", "%v", "%s", "%5d", "%-3v", "%06.2f", "%x", "%t", "%c", "%%", "%q", "%T", "%#v", "%*d", "%[1]d", "%", "é", "%1234d", "%.1234f", "%+v", "% x", "%g", "%.3", "%U"}[r.IntN(25)]
	}
	return s
}
