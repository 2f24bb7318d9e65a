package walk_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// shiftProgram is a program of n functions that compute random shifts, with counts that are shifts
// of untyped constants, and branch on the results. A negative count panics.
func shiftProgram(seed uint64, n int) string {
	r := rand.New(rand.NewPCG(seed, 0))
	var b strings.Builder
	b.WriteString("package main\n\nimport \"fmt\"\n\nvar (\n\ta = uint(2)\n\tb = 61\n\tc = uint8(1)\n\td = int8(3)\n)\n\n" +
		"func try(i int, f func() any) {\n\tdefer func() {\n\t\tif r := recover(); r != nil {\n\t\t\tfmt.Println(i, r)\n\t\t}\n\t}()\n\tfmt.Println(i, f())\n}\n\nfunc main() {\n")
	for i := range n {
		typ := []string{"int", "uint", "int8", "uint8", "int16", "uint32", "int64", "uintptr"}[r.IntN(8)]
		e := fmt.Sprintf("%d %s %s", 1+r.IntN(100), []string{"<<", "<<", ">>"}[r.IntN(3)], shiftCount(r, 3))
		fmt.Fprintf(&b, "\ttry(%d, func() any {\n\t\tvar r %s = %s\n\t\tif r > 3 {\n\t\t\treturn r\n\t\t}\n\t\tr <<= %s\n\t\tif r == 0 {\n\t\t\treturn \"zero\"\n\t\t}\n\t\treturn r + 1\n\t})\n", i, typ, e, shiftCount(r, 2))
	}
	b.WriteString("}\n")
	return b.String()
}

// shiftCount is a shift count: a variable, a constant, or an operation on shifts of untyped
// constants of one kind.
func shiftCount(r *rand.Rand, depth int) string {
	if depth == 0 || r.IntN(4) == 0 {
		return []string{"a", "b", "c", "d", "uint(d)", "(a + 1)", "(b - 60)"}[r.IntN(7)]
	}
	kind := [][]string{{"1", "3", "64"}, {"'\\x01'", "'a'"}, {"-1", "-4"}}[[]int{0, 0, 0, 1, 2}[r.IntN(5)]]
	part := func() string {
		return fmt.Sprintf("%s << %s", kind[r.IntN(len(kind))], shiftCount(r, depth-1))
	}
	switch r.IntN(6) {
	case 0:
		return "(^(" + part() + "))"
	case 1:
		return "(-(" + part() + "))"
	case 2:
		return fmt.Sprintf("(%s %s %s)", part(), []string{"+", "&", "|", "^", "-"}[r.IntN(5)], part())
	case 3:
		return fmt.Sprintf("(%s >> %s)", part(), shiftCount(r, depth-1))
	}
	return "(" + part() + ")"
}

// emptyProgram compares pointers to variables of size zero in every way that the language has. What
// comes out is not said by the language, so it prints only that it has run.
func emptyProgram() string {
	var b strings.Builder
	b.WriteString(emptyPrelude)
	for i, cond := range []string{
		"p == q", "p != q", "same(p, q)", "equal(p, q)", "pointers(p, q)", "values(p, q)", "unsafe.Pointer(p) == unsafe.Pointer(q)",
		"uintptr(unsafe.Pointer(p)) == uintptr(unsafe.Pointer(q))", "(hold{p, 1} == hold{q, 1})", "([2]*empty{p, q} == [2]*empty{q, p})",
		"any(p) == any(q)", "p == nil", "nil != q", "(*int)(unsafe.Pointer(p)) == (*int)(unsafe.Pointer(q))", "named(p) == named(q)",
		"&g == &h", "&g == p", "unsafe.Pointer(&g) == unsafe.Pointer(&h)", "unsafe.Pointer(&g) == unsafe.Pointer(q)", "&x == &y", "equal(&x, &y)", "equal(&x, &x)", "(map[*empty]bool{p: true})[q]",
	} {
		fmt.Fprintf(&b, "\tif %s {\n\t\tn += %d\n\t} else {\n\t\tn -= %d\n\t}\n", cond, i, i)
	}
	b.WriteString("\tswitch p {\n\tcase q:\n\t\tn++\n\tcase nil:\n\t\tn += 2\n\t}\n\tfor i := 0; p != q && i < 2; i++ {\n\t\tn++\n\t}\n}\n")
	return b.String()
}

const emptyPrelude = `package main

import (
	"fmt"
	"unsafe"
)

type (
	empty struct{}
	named *empty
	hold  struct {
		p *empty
		n int
	}
)

var (
	g, h empty
	x, y int
	n    int
)

//go:noinline
func same(p, q *empty) bool { return p == q }

func equal[T any](p, q *T) bool {
	if p == q {
		return true
	}
	return false
}

func pointers[P interface{ *T }, T any](p, q P) bool { return p == q }

func values[T comparable](p, q T) bool { return p == q }

// locals has variables of size zero in its own frame.
func locals() (sum int) {
	var a [5]struct{}
	for i := range a {
		a[i] = struct{}{}
		sum += i
	}
	b := [3][0]int{}
	c := b
	for i, v := range c {
		b[i] = v
		sum += len(v)
	}
	e := struct{ x, y empty }{}
	f := e
	if f == e && b == c {
		sum++
	}
	return sum
}

func main() {
	fmt.Println(locals())
	var a, b empty
	s := make([]empty, 3)
	e := struct {
		n int
		z empty
	}{}
	list := []*empty{&g, &h, &a, &b, new(empty), {}, &s[0], &s[1], &e.z, nil}
	for _, p := range list {
		for _, q := range list {
			compare(p, q)
		}
	}
	fmt.Println("done")
}

func compare(p, q *empty) {
`

// indexSets are type sets whose types are all indexed, with a value for each type.
var indexSets = []struct{ name, types, values string }{
	{"SliceArray", "[]int | [5]int", "[]int{1, 2, 3, 4, 5}; [5]int{1, 2, 3, 4, 5}"},
	{"SlicePointer", "[]int | *[5]int", "[]int{1, 2, 3, 4, 5}; &[5]int{1, 2, 3, 4, 5}"},
	{"ArrayPointer", "[5]int | *[5]int", "[5]int{1, 2, 3, 4, 5}; &[5]int{1, 2, 3, 4, 5}"},
	{"All", "[]int | [5]int | *[6]int", "[]int{1, 2, 3, 4, 5}; [5]int{1, 2, 3, 4, 5}; &[6]int{1, 2, 3, 4, 5, 6}"},
	{"Arrays", "[4]int | [5]int", "[4]int{1, 2, 3, 4}; [5]int{1, 2, 3, 4, 5}"},
	{"Pointers", "*[4]int | *[5]int", "&[4]int{1, 2, 3, 4}; &[5]int{1, 2, 3, 4, 5}"},
	{"Slices", "[]int | list", "[]int{1, 2, 3, 4, 5}; list{1, 2, 3, 4, 5}"},
	{"Under", "~[4]int | ~[]int", "array{1, 2, 3, 4}; list{1, 2, 3, 4, 5}"},
	{"Maps", "map[int]int | table", "map[int]int{1: 1, 2: 2}; table{1: 1, 2: 3}"},
}

// indexBodies are bodies of functions of x and i, and addressBodies those that a map cannot have.
var (
	indexBodies = []string{
		"return x[i]",
		"if x[i] > 1 { return 7 }; return 8",
		"x[i] = 9; if x[i] == 9 { return x[1] }; return 100",
		"x[i]++; x[1] += 3; return x[i] + x[1]",
		"y := x; y[i] = 9; if x[i] == 9 { return 1 }; return 2",
		"if len(x) > 4 { return 1 }; return len(x) + 10",
		"f := func() { x[i] = 3 }; f(); if x[i] == 3 { return 1 }; return 2",
		"n := 0; for k := 1; k < len(x); k++ { if x[k] > 2 { n += x[k] } }; return n",
		"s := box[T]{x, 1}; s.f[i] = 4; p := &s; p.f[1]++; if x[i] == 4 { return p.f[1] }; return s.f[i] + 20",
		"return same(x)[i]",
		"l := []T{x, x}; l[0][i] = 5; if l[1][i] == 5 { return 1 }; return 2",
		"if v := x[i]; v == x[1] { return v }; return 3",
	}
	addressBodies = []string{
		"p := &x[i]; *p = 6; if x[i] == 6 { return *p }; return 3",
		"sink = &x[i]; *sink = 6; if x[i] == 6 { return 5 }; return 3",
		"if cap(x) > 4 { return 1 }; return 2",
	}
	textBodies = []string{
		"return int(x[i])",
		"y := x[i:]; if len(y) > 1 { return 1 }; return 2",
		"if len(x) > 3 { return 1 }; return 2",
		"if s := string(x); s == \"abcd\" { return 1 }; return 2",
		"if s := []byte(x); s[1] == 'b' { return 1 }; return 2",
		"var b []byte; b = append(b, x...); if len(b) > 3 { return int(b[3]) }; return 2",
		"b := make([]byte, 3); if n := copy(b, x); n == 3 { return int(b[i]) }; return 2",
		"n := 0; for j, c := range string(x) { if c == 'b' { n += j } }; return n",
	}
)

// indexProgram indexes type parameters of each type set in each way, for each type.
func indexProgram() string {
	var b, calls strings.Builder
	b.WriteString("package main\n\nimport \"fmt\"\n\ntype (\n\tlist []int\n\tarray [4]int\n\ttable map[int]int\n\ttext string\n)\n\nvar sink *int\n\ntype box[T any] struct {\n\tf T\n\tg int\n}\n\nfunc same[T any](x T) T { return x }\n\n")
	add := func(name, types, values, body string) {
		typed := strings.ReplaceAll(body, "box[T]", "box"+name+"[T]")
		fmt.Fprintf(&b, "func f%s[T interface{ %s }](x T, i int) int { %s }\n\n", name, types, typed)
		if typed != body {
			fmt.Fprintf(&b, "type box%s[T interface{ %s }] struct {\n\tf T\n\tg int\n}\n\n", name, types)
		}
		for _, v := range strings.Split(values, "; ") {
			fmt.Fprintf(&calls, "\tfmt.Println(%q, f%s(%s, 2))\n", name, name, v)
		}
	}
	for _, s := range indexSets {
		bodies := indexBodies
		if s.name != "Maps" {
			bodies = append(append([]string{}, bodies...), addressBodies...)
		}
		for i, body := range bodies {
			add(fmt.Sprint(s.name, i), s.types, s.values, body)
		}
	}
	for i, body := range textBodies {
		add(fmt.Sprint("Text", i), "~string | ~[]byte", "\"abcd\"; []byte(\"abcd\"); text(\"abc\")", body)
	}
	return b.String() + "func main() {\n" + calls.String() + "}\n"
}

// largeProgram moves arrays of sizes about the largest that a record holds (format.MaxValue) in
// every way that the language has, and branches on what is in them.
func largeProgram() string {
	var b strings.Builder
	b.WriteString("package main\n\nimport \"fmt\"\n\nvar sink any\n\nfunc gen[T any](p *T) T { return *p }\n\nfunc same[T comparable](x, y T) bool { return x == y }\n\nfunc field[T any](s struct {\n\ta T\n\tb int\n}) bool { return s.b > 3 }\n\n")
	sizes := []struct {
		n    int
		elem string
	}{{504, "byte"}, {520, "byte"}, {65528, "byte"}, {65529, "byte"}, {65535, "byte"}, {8192, "int64"}, {40000, "uint16"}, {17000, "float32"}}
	for i, s := range sizes {
		b.WriteString(strings.NewReplacer("#E", s.elem, "#N", fmt.Sprint(s.n), "#L", fmt.Sprint(s.n-1), "#", fmt.Sprint(i)).Replace(largeFunctions))
	}
	b.WriteString("func main() {\n")
	for i := range sizes {
		fmt.Fprintf(&b, "\tfmt.Println(all%d())\n", i)
	}
	b.WriteString("}\n")
	return b.String()
}

const largeFunctions = `
type t# [#N]#E

type s# struct {
	n int32
	a t#
	m int64
}

var v# t#
var w# s#

func ret#(b t#) t#        { b[5], b[#L] = 7, 9; return b }
func rets#(b s#) s#       { b.m++; b.n += 2; return b }
func two#() (t#, int)     { return v#, 4 }
func (b t#) last() bool   { return b[#L] == 9 }
func (b *t#) load() t#    { return *b }
func list#(bs ...t#) bool { return bs[1][#L] == 9 }

func index#(i int) int {
	if ret#(v#)[i] == 9 {
		return 1
	}
	if ret#(v#)[5] == 7 {
		return 2
	}
	return 3
}

func fields#() int {
	if rets#(w#).m > 3 {
		return 1
	}
	if rets#(w#).n > 1 {
		return 2
	}
	return 3
}

func phi#(c bool) int {
	var b t#
	if c {
		b = v#
	}
	if b == v# {
		return 1
	}
	if b[5] == 7 {
		return 2
	}
	return 3
}

func all#() (r []int) {
	is := func(c bool) {
		if c {
			r = append(r, len(r))
		} else {
			r = append(r, -1)
		}
	}
	var b t#
	b = ret#(b)
	v# = b
	p := &v#
	b = *p
	b[3] = 1
	is(b != v#)
	r = append(r, index#(#L), index#(5), fields#(), phi#(true), phi#(false))
	sink = b
	c, ok := sink.(t#)
	is(ok && c[3] == 1)
	is(sink == any(b))
	s := append([]t#{b}, v#, b)
	is(s[2][3] == 1)
	is(list#(b, v#))
	is(b.last())
	f := b.last
	is(f())
	b = p.load()
	w#.a = b
	w# = rets#(w#)
	is(w#.m == 1)
	is(gen(&b)[#L] == 9)
	is(same(gen(&b), b))
	is(field(struct {
		a t#
		b int
	}{b, 4}))
	x, y := two#()
	is(x[#L] == 9 && y == 4)
	func() {
		defer func(x t#) { is(x[5] == 7) }(b)
		b[5] = 0
	}()
	d := make(chan int)
	go func(x t#) {
		if x[#L] == 9 {
			d <- 1
		} else {
			d <- 2
		}
	}(b)
	is(<-d == 1)
	m := map[int]s#{1: w#}
	is(m[1].m == 1)
	return r
}
`

// selectProgram is a program of n functions, each with a select of random cases in a loop: values
// of several types, with and without a variable, whether the channel was open, sends, nil channels
// and defaults. One case is ready at a time.
func selectProgram(seed uint64, n int) string {
	r := rand.New(rand.NewPCG(seed, 0))
	types := []struct{ name, value, cond string }{
		{"int", "7", "v == 7"}, {"string", "\"ab\"", "len(v) == 2"}, {"named", "8", "v > 7"}, {"pair", "pair{1, 2}", "v.b == 2"},
		{"any", "\"x\"", "v != nil"}, {"*int", "new(int)", "*v == 0"}, {"[]byte", "[]byte(\"abc\")", "v[1] == 'b'"}, {"struct{}", "struct{}{}", "v == struct{}{}"},
	}
	var b, calls strings.Builder
	b.WriteString("package main\n\nimport \"fmt\"\n\ntype named int\n\ntype pair struct{ a, b int }\n\n")
	for i := range n {
		var decls, heads, ready strings.Builder
		cases := 1 + r.IntN(12)
		for k := range cases {
			t := types[r.IntN(len(types))]
			fmt.Fprintf(&decls, "\tc%d := make(chan %s, 1)\n", k, t.name)
			fmt.Fprintf(&ready, "\t\tcase %d:\n", k)
			switch r.IntN(6) {
			case 0:
				fmt.Fprintf(&heads, "\t\tcase c%d <- %s:\n\t\t\tn = n*3 + len(c%d)\n\t\t\t<-c%d\n", k, t.value, k, k)
				fmt.Fprintf(&ready, "\t\t\tfull = false\n")
				fmt.Fprintf(&decls, "\tif full {\n\t\tc%d <- %s\n\t}\n", k, t.value)
				// It is ready if it is not full: then it is the only one.
				fmt.Fprintf(&ready, "\t\t\t<-c%d\n\t\t\tdefer func() { c%d <- %s }()\n", k, k, t.value)
			case 1:
				fmt.Fprintf(&heads, "\t\tcase <-c%d:\n\t\t\tn = n*3 + %d\n", k, k)
				fmt.Fprintf(&ready, "\t\t\tc%d <- %s\n", k, t.value)
			case 2:
				fmt.Fprintf(&heads, "\t\tcase v, ok := <-c%d:\n\t\t\tif ok && %s {\n\t\t\t\tn = n*3 + %d\n\t\t\t} else {\n\t\t\t\tn++\n\t\t\t}\n", k, t.cond, k)
				fmt.Fprintf(&ready, "\t\t\tc%d <- %s\n", k, t.value)
			case 3:
				fmt.Fprintf(&heads, "\t\tcase _, ok := <-c%d:\n\t\t\tif ok {\n\t\t\t\tn += %d\n\t\t\t}\n", k, k)
				fmt.Fprintf(&ready, "\t\t\tc%d <- %s\n", k, t.value)
			default:
				fmt.Fprintf(&heads, "\t\tcase v := <-c%d:\n\t\t\tif %s {\n\t\t\t\tn = n*3 + %d\n\t\t\t}\n", k, t.cond, k)
				fmt.Fprintf(&ready, "\t\t\tc%d <- %s\n", k, t.value)
			}
		}
		if r.IntN(3) == 0 {
			heads.WriteString("\t\tdefault:\n\t\t\tn += 1000\n")
		}
		fmt.Fprintf(&b, "func f%d(full bool) (n int) {\n%s\tstep := func(k int) {\n\t\tswitch k {\n%s\t\t}\n\t\tselect {\n%s\t\t}\n\t}\n\tfor k := range %d {\n\t\tstep(k)\n\t}\n\treturn n\n}\n\n", i, decls.String(), ready.String(), heads.String(), cases)
		fmt.Fprintf(&calls, "\tfmt.Println(f%d(true))\n", i)
	}
	return b.String() + "func main() {\n" + calls.String() + "}\n"
}
