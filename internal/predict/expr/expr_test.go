package expr

import (
	"math/rand/v2"
	"testing"
)

// TestText: what Parse reads, String prints.
func TestText(t *testing.T) {
	for _, s := range []string{
		"7", "r3", "r3:4", "lt(add(r3,r7),5)", "add.i32(r1:4,r2:4)", "shl.u8.i64(r1:1,r2)", "shr(r1,3)",
		"conv.i32.f64(r1:4)", "part(r1,2,3)", "cat(r1:4,4,r2:4)", "ite(eq(r1,r2),r1,7)", "quore(r1,r2,r3,r4)",
		`eq.str("a,(b",strings.ToUpper:str(strings.of:str(r1,r2)))`, `len(add.str("a",f:str(r1)))`, "at(f:str(r1),r2)",
		"substr(f:str(r1),r2,r3)", "not(eq.f32(r1:4,r2:4))", "min.f64(r1,r2)", "unknown:bool(r1)",
		"(time.Duration).Seconds:f64(r1)", `strconv.ParseInt#1:bool(text:str(r1),10,64)`, `cmp.Compare[str]:i64("a",text:str(r1))`,
	} {
		e, err := Parse(s, nil)
		if err != nil {
			t.Errorf("%v", err)
		} else if got := e.String(); got != s {
			t.Errorf("%s is printed as %s", s, got)
		}
	}
}

// TestParseErrors: no text makes an expression that cannot be evaluated.
func TestParseErrors(t *testing.T) {
	for _, s := range []string{
		"", "x", "r", "rx", "r1:9", "r1:0", "add(1)", "add(1,2", "add(1,2)3", "add.f16(1,2)", ".i8(1,2)", "part(r1,8,1)", "part(r1,r2,1)",
		`add("a",1)`, `len(1)`, `"a`, "f:(1)", "Op(3)(1,2)", "ite(1,2)", "add.i8.i8.i8(1,2)", `shl("a",1)`,
	} {
		if e, err := Parse(s, nil); err == nil {
			t.Errorf("%q is %v", s, e)
		}
	}
}

// TestSimplify: what is taken apart and put together again is what it was.
func TestSimplify(t *testing.T) {
	for _, tt := range [][2]string{
		{"part(r1,0,8)", "r1"}, {"part(r1:4,0,4)", "r1:4"}, {"part(r1:4,0,5)", "r1:4"}, {"part(r1:4,4,4)", "0"}, {"part(r1:4,2,4)", "part(r1:4,2,2)"},
		{"part(part(r1,2,4),1,2)", "part(r1,3,2)"}, {"part(part(r1,2,4),3,4)", "part(r1,5,1)"},
		{"cat(part(r1,0,4),4,part(r1,4,4))", "r1"}, {"cat(part(r1,2,1),1,part(r1,3,3))", "part(r1,2,4)"},
		{"part(cat(r1:4,4,r2:4),0,4)", "r1:4"}, {"part(cat(r1:4,4,r2:4),4,4)", "r2:4"}, {"part(cat(r1:4,4,r2:4),5,2)", "part(r2:4,1,2)"},
		{"part(cat(r1:4,4,r2:4),2,4)", "part(cat(r1:4,4,r2:4),2,4)"}, {"cat(r1,2,0)", "part(r1,0,2)"}, {"cat(r1,8,r2)", "r1"}, {"cat(r1,0,r2)", "r2"},
		{"and(r1:2,65535)", "r1:2"}, {"and(r1,0)", "and(r1,0)"}, {"or(r1,0)", "r1"}, {"shl(r1,0)", "r1"}, {"add(2,3)", "5"}, {"ite(1,r1,r2)", "r1"}, {"ite(0,r1,r2)", "r2"},
		{"div(1,0)", "div(1,0)"}, {"conv.i64.u64(r1)", "r1"}, {"conv.u8.i32(255)", "255"}, {"conv.i8.i32(255)", "4294967295"}, {"f:u64()", ""},
	} {
		e, err := Parse(tt[0], nil)
		switch {
		case err != nil && tt[1] != "":
			t.Error(err)
		case err == nil && e.String() != tt[1]:
			t.Errorf("%s becomes %s, not %s", tt[0], e, tt[1])
		}
	}
}

// TestParts: Part and Cat, simplified, are the bytes they say.
func TestParts(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		words := []uint64{r.Uint64(), r.Uint64() & mask(4), r.Uint64() & mask(1)}
		list := []*Expr{NewRead(0, 8, words[0]), NewRead(1, 4, words[1]), NewRead(2, 1, words[2]), Word(r.Uint64() >> r.IntN(64))}
		for _, k := range []int{3} {
			words = append(words, list[k].val)
		}
		for range 6 {
			i, j := r.IntN(len(list)), r.IntN(len(list))
			off, n := int64(r.IntN(8)), int64(r.IntN(8))
			if r.IntN(2) == 0 {
				list, words = append(list, PartOf(list[i], off, n+1)), append(words, words[i]>>(8*off)&mask(min(n+1, 8-off)))
			} else {
				list, words = append(list, Concat(list[i], n, list[j])), append(words, words[i]&mask(n)|words[j]<<(8*n))
			}
		}
		for i, e := range list {
			if v, ok := e.Recorded(); !ok || v != words[i] {
				t.Fatalf("%v is %#x, not %#x", e, v, words[i])
			}
			if words[i]&^mask(e.Bytes()) != 0 {
				t.Fatalf("%v has more than %d bytes: %#x", e, e.Bytes(), words[i])
			}
		}
	}
}

// TestBounds: what is shared counts once, and what is too large is not made.
func TestBounds(t *testing.T) {
	e := NewRead(1, 8, 3)
	for range 1000 {
		e = Binary(Mul, Uint64, 0, e, e)
	}
	if e == nil || e.Size() > MaxSize {
		t.Fatalf("1000 squarings are %v", e.Size())
	}
	if !e.Within(1001) || e.Within(1000) {
		t.Errorf("1000 squarings have %d nodes", nodes(e, MaxSize))
	}
	e = NewRead(1, 8, 3)
	for range MaxSize {
		if e = Binary(Mul, Uint64, 0, e, Word(3)); e == nil {
			break
		}
	}
	if e != nil {
		t.Errorf("an expression of %d nodes", nodes(e, 2*MaxSize))
	}
	sum := Word(0)
	for n := range int64(MaxReads) {
		sum = Binary(Add, Uint64, 0, NewRead(n, 8, uint64(n)), sum)
	}
	if v, _ := sum.Recorded(); v != MaxReads*(MaxReads-1)/2 || len(sum.Reads()) != MaxReads {
		t.Errorf("sum %d of %d reads", v, len(sum.Reads()))
	}
	if more := Binary(Add, Uint64, 0, NewRead(MaxReads, 8, 0), sum); more != nil {
		t.Errorf("an expression of %d reads", len(more.Reads()))
	}
}

// TestEvaluator: recursion, code and recorded value agree on random expressions, and Replace by
// constants is evaluation.
func TestEvaluator(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var v Evaluator
	ops := []Op{Add, Sub, Mul, Quo, Rem, And, Or, Xor, AndNot, Shl, Shr, Min, Max, Eql, Lss, Ite, Part, Cat, Convert}
	for range 1000 {
		words := []uint64{r.Uint64() >> r.IntN(64), r.Uint64() >> r.IntN(64), r.Uint64N(3)}
		list := []*Expr{NewRead(0, 8, words[0]), NewRead(1, 8, words[1]), NewRead(2, 8, words[2]), Word(r.Uint64N(3))}
		for len(list) < 40 {
			pick := func() *Expr { return list[r.IntN(len(list))] }
			k := Kind(r.IntN(8)) + Int8
			a, b := ConvertTo(k, Uint64, pick()), ConvertTo(k, Uint64, pick())
			var e *Expr
			switch op := ops[r.IntN(len(ops))]; op {
			case Ite:
				e = Choose(Binary(Lss, Uint64, 0, pick(), pick()), pick(), pick())
			case Part:
				e = PartOf(pick(), int64(r.IntN(8)), 4)
			case Cat:
				e = Concat(pick(), 3, pick())
			case Convert:
				e = ConvertTo(Int64, k, a)
			case Shl, Shr:
				e = Binary(op, k, k, a, b)
			default:
				e = Binary(op, k, 0, a, b)
			}
			list = append(list, e)
		}
		for _, e := range list {
			read := func(n int64) (uint64, bool) { return words[n], true }
			want, known := e.Recorded()
			got, ok := v.Eval(e, read)
			slow, ok2 := Value{want, ""}, known
			if e.Size() < 200 {
				slow, ok2 = v.recurse(e, read)
			}
			code, ok3 := v.run(v.compile(e), read)
			folded := e.Replace(func(r *Expr) *Expr { return Word(words[r.n]) })
			all, ok4 := folded.Recorded()
			if ok != known || ok2 != known || ok3 != known || known && !ok4 || known && (got != want || slow.Word != want || code != want || all != want) {
				t.Fatalf("%v: recorded %d %v, Eval %d %v, recursion %d %v, code %d %v, replaced %d %v", e, want, known, got, ok, slow.Word, ok2, code, ok3, all, ok4)
			}
			if known && len(folded.Reads()) == 0 && folded.op != Const && folded.op != Ite {
				t.Fatalf("%v has the value %d but is no constant", folded, all)
			}
		}
	}
}

// TestUnknown: a read that is not known makes all unknown but what does not rest on it, and what
// Ite does not choose.
func TestUnknown(t *testing.T) {
	var v Evaluator
	for text, want := range map[string]bool{"add(r1,1)": false, "ite(r0,r0,r1)": true, "ite(r0,r1,r0)": false, "ite(r1,r0,r0)": false, "and(r1,0)": false} {
		e, err := Parse(text, nil)
		if err != nil {
			t.Fatal(err)
		}
		read := func(n int64) (uint64, bool) { return 1, n == 0 }
		_, ok := v.Eval(e, read)
		if _, ok2 := v.run(v.compile(e), read); ok != want || ok2 != want {
			t.Errorf("%s is known: %v, %v", text, ok, ok2)
		}
	}
}

func BenchmarkEval(b *testing.B) {
	for _, n := range []int{2, 100} {
		e := NewRead(0, 8, 1)
		for i := range n {
			e = Binary(Xor, Uint64, 0, Binary(Mul, Uint64, 0, e, Word(31)), NewRead(int64(i), 8, 1))
		}
		b.Run(e.op.String(), func(b *testing.B) {
			var v Evaluator
			for b.Loop() {
				v.Eval(e, func(n int64) (uint64, bool) { return uint64(n), true })
			}
			b.ReportMetric(float64(e.Size()), "nodes")
		})
	}
}
