package witness

import (
	"maps"
	"math"
	"math/rand/v2"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/presage-race/presage/internal/predict/expr"
)

// TestLibrary compares the two tables of pure functions: the same names, the same results, on
// numbers of every size and strings of every sort. Those of the checker are compiled Go: each is
// the function that its name says.
func TestLibrary(t *testing.T) {
	names := slices.Sorted(maps.Keys(expr.Library))
	if !slices.Equal(names, slices.Sorted(func(yield func(string) bool) { maps.Keys(library)(yield); maps.Keys(printed)(yield) })) {
		t.Fatal("the engine and the checker know different functions")
	}
	r := rand.New(rand.NewPCG(1, 2))
	for _, name := range names {
		f := expr.Library[name]
		if f.Variadic {
			comparePrinted(t, r, name)
			continue
		}
		if called := nameOf(library[name].fn); called != generic.ReplaceAllString(name, "") {
			t.Fatalf("the checker calls %s for %s", called, name)
		}
		if n := reflect.TypeOf(library[name].fn).NumOut(); n != f.Count() {
			t.Fatalf("%s has %d results, not %d", name, n, f.Count())
		}
		with := 0
		for range 2000 {
			args, vals := make([]amount, len(f.Params)), make([]expr.Value, len(f.Params))
			for i, k := range f.Params {
				vals[i] = someValue(r, k)
			}
			if name == "strconv.FormatFloat" && r.IntN(4) > 0 {
				vals[1].Word, vals[2].Word, vals[3].Word = uint64("beEfgGxX"[r.IntN(8)]), r.Uint64N(30)-1, 32+32*r.Uint64N(2)
			}
			for i := range args {
				args[i] = amount{bits: vals[i].Word, text: vals[i].Text, ok: true}
			}
			for i := range f.Count() {
				full := expr.ResultName(name, i)
				got, ok := expr.Functions[full](vals)
				want := functions[full](args)
				if ok != want.ok || ok && (got.Word != want.bits || got.Text != want.text) {
					t.Fatalf("%s(%x) = %x, %v; the checker has %x, %q, %v", full, vals, got, ok, want.bits, want.text, want.ok)
				}
				if ok {
					with++
				}
			}
		}
		if with < 100 {
			t.Errorf("%s has a value only %d times", name, with)
		}
	}
}

// generic matches the type arguments in a name.
var generic = regexp.MustCompile(`\[.*\]$`)

// nameOf is the full name of a function as go/types has it, without type arguments.
func nameOf(fn any) string {
	name := generic.ReplaceAllString(runtime.FuncForPC(reflect.ValueOf(fn).Pointer()).Name(), "")
	if last := strings.LastIndexByte(name, '.'); strings.Count(name, ".") == 2 {
		return "(" + name[:last] + ")" + name[last:]
	}
	return name
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
		if r.IntN(4) > 0 {
			return expr.Value{Text: someTexts[r.IntN(len(someTexts))]}
		}
		b := make([]byte, r.IntN(8))
		for i := range b {
			b[i] = "aAbB01- ./=\"\xc3\xa9"[r.IntN(14)]
		}
		return expr.Value{Text: string(b)}
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

// comparePrinted compares a function of package fmt.
func comparePrinted(t *testing.T, r *rand.Rand, name string) {
	kinds := []expr.Kind{expr.Bool, expr.Int8, expr.Int16, expr.Int32, expr.Int64, expr.Uint8, expr.Uint16, expr.Uint32, expr.Uint64, expr.Float32, expr.Float64, expr.String}
	with := 0
	for range 5000 {
		vals := []expr.Value{{}}
		if name == "fmt.Sprintf" {
			vals = append(vals, expr.Value{Text: someFormat(r)})
		}
		for range r.IntN(4) {
			k := kinds[r.IntN(len(kinds))]
			vals[0].Text += " " + k.String()
			vals = append(vals, someValue(r, k))
		}
		args := make([]amount, len(vals))
		for i, v := range vals {
			args[i] = amount{bits: v.Word, text: v.Text, ok: true}
		}
		got, ok := expr.Functions[name](vals)
		want := functions[name](args)
		if ok != want.ok || ok && got.Text != want.text {
			t.Fatalf("%s(%v) = %q, %v; the checker has %q, %v", name, vals, got.Text, ok, want.text, want.ok)
		}
		if ok {
			with++
		}
	}
	if with < 200 {
		t.Errorf("%s has a value only %d times", name, with)
	}
}

// someFormat is a format, mostly of verbs that are evaluated.
func someFormat(r *rand.Rand) (s string) {
	for range r.IntN(4) {
		s += []string{"a", "%d", "%v", "%s", "%5d", "%-3v", "%06.2f", "%x", "%t", "%c", "%%", "%q", "%T", "%#v", "%*d", "%[1]d", "%", "é", "%1234d", "%.1234f", "%+v", "% x", "%g", "%.3", "%U"}[r.IntN(25)]
	}
	return s
}
