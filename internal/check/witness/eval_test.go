package witness

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/presage-race/presage/internal/predict/expr"
)

// judge compares the engine's evaluator, the checker's and compiled Go.
type judge struct {
	t      *testing.T
	engine expr.Evaluator
	seen   map[string]int // cases with a value, by operator and kinds
}

// same checks that e, of reads of the words in, is want; without a value if not ok.
func (j *judge) same(e *expr.Expr, in []uint64, want uint64, ok bool) {
	j.t.Helper()
	name := fmt.Sprint(e.Op(), " ", e.Kind(), " ", e.To())
	read := func(n int64) (uint64, bool) { return in[n], true }
	got, ok1 := j.engine.Eval(e, read)
	v := evaluation{read: read, done: map[*expr.Expr]amount{}}
	a := v.of(e)
	if ok1 != ok || a.ok != ok || ok && (got != want || a.bits != want) {
		j.t.Fatalf("%v of %#x: Go has %#x (%v), the engine %#x (%v), the checker %#x (%v)", e, in, want, ok, got, ok1, a.bits, a.ok)
	}
	if j.seen[name]++; !ok {
		j.seen[name]--
		j.seen[name+" none"]++
	}
}

func reads(in []uint64, k expr.Kind) []*expr.Expr {
	list := make([]*expr.Expr, len(in))
	for i := range in {
		list[i] = expr.NewRead(int64(i), k.Size(), 0)
	}
	return list
}

// bits is the word of a number, written anew: NaN too.
func bits[T number](x T) uint64 {
	switch x := any(x).(type) {
	case float32:
		return uint64(math.Float32bits(x))
	case float64:
		return math.Float64bits(x)
	case uint64:
		return x
	}
	n := uint(8 * kindOf(x).Size())
	var u uint64
	for i := range n {
		if bit(x, i) {
			u |= 1 << i
		}
	}
	return u
}

// bit is bit i of an integer.
func bit[T number](x T, i uint) bool {
	switch x := any(x).(type) {
	case int8:
		return x>>i&1 != 0
	case int16:
		return x>>i&1 != 0
	case int32:
		return x>>i&1 != 0
	case int64:
		return x>>i&1 != 0
	case uint8:
		return x>>i&1 != 0
	case uint16:
		return x>>i&1 != 0
	case uint32:
		return x>>i&1 != 0
	}
	panic("no integer")
}

func kindOf[T number](x T) expr.Kind {
	switch any(x).(type) {
	case int8:
		return expr.Int8
	case int16:
		return expr.Int16
	case int32:
		return expr.Int32
	case int64:
		return expr.Int64
	case uint8:
		return expr.Uint8
	case uint16:
		return expr.Uint16
	case uint32:
		return expr.Uint32
	case uint64:
		return expr.Uint64
	case float32:
		return expr.Float32
	}
	return expr.Float64
}

// some are the ends of a type, numbers around them and around 0, powers of two, and random ones.
func some[T integer](r *rand.Rand) []T {
	var high T = 1
	for h := high<<1 | 1; h > high; h = h<<1 | 1 {
		high = h
	}
	low := -high - 1 // of unsigned types: 0
	list := []T{0, 1, 2, 3, 7, 8, 15, 16, 31, 32, 33, 63, 64, 65, 100, 127, high, high - 1, high/2 + 1, low, low + 1}
	for _, x := range list[:8] {
		list = append(list, -x)
	}
	for range 12 {
		list = append(list, T(r.Uint64()), T(r.Uint64()>>r.IntN(64)))
	}
	return list
}

func integersOf[T integer](j *judge, r *rand.Rand) {
	k := kindOf(T(0))
	list := some[T](r)
	for _, x := range list {
		one := []uint64{bits(x)}
		a := reads(one, k)[0]
		j.same(expr.Unary(expr.Neg, k, a), one, bits(-x), true)
		j.same(expr.Unary(expr.Com, k, a), one, bits(^x), true)
		for _, y := range list {
			in := []uint64{bits(x), bits(y)}
			arg := reads(in, k)
			for op, f := range map[expr.Op]func() T{
				expr.Add: func() T { return x + y }, expr.Sub: func() T { return x - y }, expr.Mul: func() T { return x * y },
				expr.And: func() T { return x & y }, expr.Or: func() T { return x | y }, expr.Xor: func() T { return x ^ y },
				expr.AndNot: func() T { return x &^ y }, expr.Min: func() T { return min(x, y) }, expr.Max: func() T { return max(x, y) },
				expr.Quo: func() T { return x / y }, expr.Rem: func() T { return x % y },
			} {
				v, ok := tried(f)
				j.same(expr.Binary(op, k, 0, arg[0], arg[1]), in, bits(v), ok)
			}
			comparisons(j, k, in, x, y)
		}
	}
	shifts[T, int8](j, r)
	shifts[T, int16](j, r)
	shifts[T, int32](j, r)
	shifts[T, int64](j, r)
	shifts[T, uint8](j, r)
	shifts[T, uint16](j, r)
	shifts[T, uint32](j, r)
	shifts[T, uint64](j, r)
}

// tried is what f returns; ok is false if it panics.
func tried[T any](f func() T) (v T, ok bool) {
	defer func() { _ = recover() }()
	v = f()
	return v, true
}

func comparisons[T number](j *judge, k expr.Kind, in []uint64, x, y T) {
	arg := reads(in, k)
	for op, b := range map[expr.Op]bool{
		expr.Eql: x == y, expr.Neq: x != y, expr.Lss: x < y, expr.Leq: x <= y, expr.Gtr: x > y, expr.Geq: x >= y,
	} {
		j.same(expr.Binary(op, k, 0, arg[0], arg[1]), in, truth(b).bits, true)
	}
}

func shifts[T, N integer](j *judge, r *rand.Rand) {
	k, n := kindOf(T(0)), kindOf(N(0))
	for _, x := range some[T](r) {
		for _, y := range some[N](r) {
			in := []uint64{bits(x), bits(y)}
			a, b := expr.NewRead(0, k.Size(), 0), expr.NewRead(1, n.Size(), 0)
			v, ok := tried(func() T { return x << y })
			j.same(expr.Binary(expr.Shl, k, n, a, b), in, bits(v), ok)
			v, ok = tried(func() T { return x >> y })
			j.same(expr.Binary(expr.Shr, k, n, a, b), in, bits(v), ok)
		}
	}
}

// floatsOf has the numbers of both types that are special, and random bits.
func floatsOf[T float32 | float64](j *judge, r *rand.Rand, from func(uint64) T) {
	k := kindOf(T(0))
	special := []float64{
		0, math.Copysign(0, -1), 1, -1, 0.5, 1.5, -2.5, math.Inf(1), math.Inf(-1), math.NaN(), math.MaxFloat64, math.SmallestNonzeroFloat64,
		math.MaxFloat32, math.SmallestNonzeroFloat32, 1 << 24, 1<<24 + 1, 1 << 53, 127, 128, -128, -129, 255, 256, 32767, 32768, 65535.9, 65536, -0.9, -1,
		1<<31 - 1, 1 << 31, -1 << 31, -1<<31 - 1, 1<<32 - 1, 1 << 32, 1 << 62, 1 << 63, -1 << 63, 1 << 64, -1<<63 - 2000, 1<<63 - 1024, 1<<64 - 4096, 1e300, -1e300,
	}
	var list []T
	for _, x := range special {
		list = append(list, T(x))
	}
	for range 30 {
		list = append(list, from(r.Uint64()), T(r.NormFloat64()*math.Exp2(float64(r.IntN(70)))))
	}
	for _, x := range list {
		one := []uint64{bits(x)}
		a := reads(one, k)[0]
		j.same(expr.Unary(expr.Neg, k, a), one, bits(-x), true)
		conversions(j, a, one, x)
		for _, y := range list {
			in := []uint64{bits(x), bits(y)}
			arg := reads(in, k)
			for op, v := range map[expr.Op]T{
				expr.Add: x + y, expr.Sub: x - y, expr.Mul: x * y, expr.Quo: x / y, expr.Min: min(x, y), expr.Max: max(x, y),
			} {
				j.same(expr.Binary(op, k, 0, arg[0], arg[1]), in, bits(v), v == v)
			}
			comparisons(j, k, in, x, y)
		}
	}
}

// conversions are those to all types: to an integer type if the number fits.
func conversions[T number](j *judge, a *expr.Expr, in []uint64, x T) {
	from := kindOf(x)
	to := func(k expr.Kind, v uint64, fits bool) {
		if k != from {
			j.same(expr.ConvertTo(k, from, a), in, v, fits)
		}
	}
	to(expr.Int8, bits(int8(x)), !from.IsFloat() || fits(x, -0x1p7, 0x1p7))
	to(expr.Int16, bits(int16(x)), !from.IsFloat() || fits(x, -0x1p15, 0x1p15))
	to(expr.Int32, bits(int32(x)), !from.IsFloat() || fits(x, -0x1p31, 0x1p31))
	to(expr.Int64, bits(int64(x)), !from.IsFloat() || fits(x, -0x1p63, 0x1p63))
	to(expr.Uint8, bits(uint8(x)), !from.IsFloat() || fits(x, 0, 0x1p8))
	to(expr.Uint16, bits(uint16(x)), !from.IsFloat() || fits(x, 0, 0x1p16))
	to(expr.Uint32, bits(uint32(x)), !from.IsFloat() || fits(x, 0, 0x1p32))
	to(expr.Uint64, bits(uint64(x)), !from.IsFloat() || fits(x, 0, 0x1p64))
	to(expr.Float32, bits(float32(x)), x == x)
	to(expr.Float64, bits(float64(x)), x == x)
}

// fits reports whether low ≤ x < high, its fraction dropped.
func fits[T number](x T, low, high float64) bool {
	f := math.Trunc(float64(x))
	return f >= low && f < high
}

// TestOperators: every operator of every kind, on the numbers that are special and random ones.
func TestOperators(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	j := &judge{t: t, seen: map[string]int{}}
	integersOf[int8](j, r)
	integersOf[int16](j, r)
	integersOf[int32](j, r)
	integersOf[int64](j, r)
	integersOf[uint8](j, r)
	integersOf[uint16](j, r)
	integersOf[uint32](j, r)
	integersOf[uint64](j, r)
	floatsOf(j, r, f32)
	floatsOf(j, r, f64)
	integerConversions[int8](j, r)
	integerConversions[int16](j, r)
	integerConversions[int32](j, r)
	integerConversions[int64](j, r)
	integerConversions[uint8](j, r)
	integerConversions[uint16](j, r)
	integerConversions[uint32](j, r)
	integerConversions[uint64](j, r)
	bools(j)
	words(j, r)
	quotients(j, r)
	// 8 kinds: 17 binary, 2 unary, 2 shifts by 8; 2 kinds: 12 binary, 1 unary; 10 kinds to 9, of
	// which 8 change nothing and leave the read; 6 of bools; 3 of words; 2 quotients.
	want := 8*(17+2+16) + 2*13 + 90 - 8 + 1 + 6 + 3 + 2
	got, none := 0, 0
	for name, n := range j.seen {
		if n > 0 && len(name) > 5 && name[len(name)-4:] == "none" {
			none++
		} else if n > 0 {
			got++
		}
	}
	if got != want {
		t.Errorf("%d operators of kinds have values, not %d: %v", got, want, j.seen)
	}
	t.Logf("%d operators of kinds; %d have no value for some operands", got, none)
}

func integerConversions[T integer](j *judge, r *rand.Rand) {
	for _, x := range some[T](r) {
		in := []uint64{bits(x)}
		a := reads(in, kindOf(x))[0]
		conversions(j, a, in, x)
	}
}

func bools(j *judge) {
	for n := range uint64(4) {
		in := []uint64{n & 1, n >> 1}
		x, y := in[0] == 1, in[1] == 1
		arg := reads(in, expr.Bool)
		for op, b := range map[expr.Op]bool{expr.And: x && y, expr.Or: x || y, expr.Xor: x != y, expr.Eql: x == y, expr.Neq: x != y} {
			j.same(expr.Binary(op, expr.Bool, 0, arg[0], arg[1]), in, truth(b).bits, true)
		}
		j.same(expr.Unary(expr.Not, expr.Bool, arg[0]), in, truth(!x).bits, true)
	}
}

// words are what takes words apart and puts them together.
func words(j *judge, r *rand.Rand) {
	for range 500 {
		in := []uint64{r.Uint64(), r.Uint64(), r.Uint64N(2)}
		arg := []*expr.Expr{expr.NewRead(0, 8, 0), expr.NewRead(1, 8, 0), expr.NewRead(2, 1, 0)}
		for off := range int64(8) {
			for n := int64(1); off+n < 8; n++ {
				v := uint64(0)
				for i := range n {
					v |= in[0] >> (8 * (off + i)) & 0xff << (8 * i)
				}
				j.same(expr.PartOf(arg[0], off, n), in, v, true)
			}
			if off > 0 {
				j.same(expr.Concat(arg[0], off, arg[1]), in, in[0]<<(64-8*off)>>(64-8*off)|in[1]<<(8*off), true)
			}
		}
		v := in[1]
		if in[2] == 1 {
			v = in[0]
		}
		j.same(expr.Choose(arg[2], arg[0], arg[1]), in, v, true)
	}
}

func quotients(j *judge, r *rand.Rand) {
	special := []float64{0, math.Copysign(0, -1), 1, -1, 2.5, math.Inf(1), math.Inf(-1), math.NaN(), math.MaxFloat64, 1e-300}
	pick := func() float64 {
		if r.IntN(3) == 0 {
			return r.NormFloat64()
		}
		return special[r.IntN(len(special))]
	}
	for range 5000 {
		a, b, c, d := pick(), pick(), pick(), pick()
		in := []uint64{bits(a), bits(b), bits(c), bits(d)}
		x := reads(in, expr.Float64)
		q := complex(a, b) / complex(c, d)
		if fuses() {
			q = expr.Divide(complex(a, b), complex(c, d))
		}
		j.same(expr.Quotient(expr.QuoRe, x[0], x[1], x[2], x[3]), in, bits(real(q)), real(q) == real(q))
		j.same(expr.Quotient(expr.QuoIm, x[0], x[1], x[2], x[3]), in, bits(imag(q)), imag(q) == imag(q))
	}
}

// TestStrings: strings are made of reads by conversions of integers.
func TestStrings(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	j := &judge{t: t, seen: map[string]int{}}
	runes := []int64{0, 'a', 'b', 'é', '€', 0x10ffff, 0x110000, -1, 0xd800, 1 << 40}
	for range 5000 {
		in := []uint64{uint64(runes[r.IntN(len(runes))]), uint64(runes[r.IntN(len(runes))]), uint64(r.Int64N(8) - 1), uint64(r.Int64N(8) - 1)}
		arg := reads(in, expr.Int64)
		s, u := text0(int64(in[0]))+"b€", text0(int64(in[1]))
		x := expr.Binary(expr.Add, expr.String, 0, expr.ConvertTo(expr.String, expr.Int64, arg[0]), expr.Text("b€"))
		y := expr.ConvertTo(expr.String, expr.Int64, arg[1])
		for op, b := range map[expr.Op]bool{
			expr.Eql: s == u, expr.Neq: s != u, expr.Lss: s < u, expr.Leq: s <= u, expr.Gtr: s > u, expr.Geq: s >= u,
		} {
			j.same(expr.Binary(op, expr.String, 0, x, y), in, truth(b).bits, true)
		}
		j.same(expr.Length(x), in, uint64(len(s)), true)
		j.same(expr.Length(expr.Binary(expr.Min, expr.String, 0, x, y)), in, uint64(len(min(s, u))), true)
		j.same(expr.Length(expr.Binary(expr.Max, expr.String, 0, x, y)), in, uint64(len(max(s, u))), true)
		b, ok := tried(func() byte { return s[int(in[2])] })
		j.same(expr.ByteAt(x, arg[2]), in, uint64(b), ok)
		sub, ok := tried(func() string { return s[int(in[2]):int(in[3])] })
		j.same(expr.Binary(expr.Eql, expr.String, 0, expr.Slice(x, arg[2], arg[3]), expr.Text(sub)), in, 1, ok)
	}
	j.same(expr.Apply("no.function", expr.Uint64, expr.Word(1)), nil, 0, false)
}

// text0 is string(x) for an int, which Go allows only of a rune.
func text0(x int64) string {
	if int64(rune(x)) != x {
		return "\uFFFD"
	}
	return string(rune(x))
}

// TestFunctions checks that both evaluators have the same functions.
func TestFunctions(t *testing.T) {
	for name := range functions {
		if expr.Functions[name] == nil {
			t.Errorf("the engine does not know %s", name)
		}
	}
	for name := range expr.Functions {
		if functions[name] == nil {
			t.Errorf("the checker does not know %s", name)
		}
	}
}

// TestStringAt: strings by where they are, for every place and length around them.
func TestStringAt(t *testing.T) {
	j := &judge{t: t, seen: map[string]int{}}
	spans := []expr.TextSpan{{Addr: 0x1000, Text: "hello"}, {Addr: 0x1008, Text: "a"}, {Addr: 0x1010, Text: "worlds"}}
	texts := expr.NewTexts(spans)
	place, _ := texts.Place("placed")
	spans = append(spans, expr.TextSpan{Addr: place, Text: "placed"})
	e := expr.ByteAt(expr.StringAt(texts, expr.NewRead(0, 8, 0), expr.NewRead(1, 8, 0)), expr.NewRead(2, 8, 0))
	for _, base := range []uint64{0, 0xff8, place - 8} {
		for addr := base; addr < base+48; addr++ {
			for n := range uint64(9) {
				for i := range n + 1 {
					want, ok := uint64(0), false
					for _, s := range spans {
						if addr >= s.Addr && addr+n <= s.Addr+uint64(len(s.Text)) && n > 0 && i < n {
							want, ok = uint64(s.Text[addr-s.Addr+i]), true
						}
					}
					j.same(e, []uint64{addr, n, i}, want, ok)
				}
			}
		}
	}
	if j.seen["at str Kind(0)"] < 50 {
		t.Errorf("only %v had a value", j.seen)
	}
}

// TestLarge: large expressions, over shared parts, that the engine evaluates in another way than
// small ones.
func TestLarge(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	ops := []expr.Op{expr.Add, expr.Sub, expr.Mul, expr.Quo, expr.Rem, expr.And, expr.Or, expr.Xor, expr.AndNot, expr.Min, expr.Max, expr.Eql, expr.Lss}
	known := 0
	for range 2000 {
		in := []uint64{r.Uint64() >> r.IntN(64), r.Uint64N(5), r.Uint64N(3)}
		list := append(reads(in, expr.Uint64), expr.Word(r.Uint64N(4)))
		for range 30 {
			pick := func() *expr.Expr { return list[r.IntN(len(list))] }
			k := []expr.Kind{expr.Int8, expr.Int16, expr.Int32, expr.Int64, expr.Uint8, expr.Uint16, expr.Uint32, expr.Uint64}[r.IntN(8)]
			a, b := expr.ConvertTo(k, expr.Uint64, pick()), expr.ConvertTo(k, expr.Uint64, pick())
			switch r.IntN(5) {
			case 0:
				list = append(list, expr.Choose(expr.Binary(expr.Lss, k, 0, a, b), pick(), pick()))
			case 1:
				list = append(list, expr.Concat(expr.PartOf(pick(), int64(r.IntN(8)), 4), 4, pick()))
			case 2:
				list = append(list, expr.Binary([]expr.Op{expr.Shl, expr.Shr}[r.IntN(2)], k, k, a, b))
			default:
				list = append(list, expr.Binary(ops[r.IntN(len(ops))], k, 0, a, b))
			}
		}
		var engine expr.Evaluator
		hidden := r.Int64N(4)
		read := func(n int64) (uint64, bool) { return in[n], n != hidden }
		for _, e := range list {
			got, ok := engine.Eval(e, read)
			v := evaluation{read: read, done: map[*expr.Expr]amount{}}
			if a := v.of(e); a.ok != ok || ok && a.bits != got {
				t.Fatalf("%v of %#x: the engine has %#x (%v), the checker %#x (%v)", e, in, got, ok, a.bits, a.ok)
			}
			if ok && e.Size() > 20 {
				known++
			}
		}
	}
	if known < 5000 {
		t.Errorf("only %d large expressions had a value", known)
	}
}

// fuses reports whether the compiler of this test may round x*y + z once, as that for arm64: then
// it is no standard for products and quotients of complex numbers.
func fuses() bool {
	x, y, z := 0.1*one(), 10*one(), -one()
	return x*y+z != 0
}

//go:noinline
func one() float64 { return 1 }
