package instrument

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// orderGen writes functions whose result tells in which order the operands of one statement were
// evaluated.
type orderGen struct {
	*rand.Rand
	k int // of the next call that changes something
}

// orderProgram is a program of n functions, each of one statement.
func orderProgram(seed uint64, n int) string {
	g := &orderGen{Rand: rand.New(rand.NewPCG(seed, 0))}
	var b strings.Builder
	b.WriteString(orderPrelude)
	for i := range n {
		fmt.Fprintf(&b, "\nfunc t%d() (r string) {\n%s\t%s\n\treturn \"\"\n}\n", i, orderLocals, g.stmt())
	}
	b.WriteString("\nfunc main() {\n")
	for i := range n {
		fmt.Fprintf(&b, "\tfmt.Println(%d, t%d())\n", i, i)
	}
	b.WriteString("}\n")
	return b.String()
}

// pick returns one of the texts; in them I, B, T, A, E, L, R and V stand for an operand of that
// kind, # for a number.
func (g *orderGen) pick(depth int, list ...string) string {
	return g.fill(depth, list[g.IntN(len(list))])
}

func (g *orderGen) fill(depth int, s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '#':
			g.k++
			fmt.Fprint(&b, g.IntN(24))
		case c == '$' && i+1 < len(s):
			i++
			b.WriteString(g.operand(s[i], depth-1))
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// operand is an expression of a kind: I int, B bool, T string, A any, E struct, L slice, R array, P
// pointer, V a variable of type int.
func (g *orderGen) operand(kind byte, depth int) string {
	leaf := orderLeaves[kind]
	if depth <= 0 {
		return g.fill(1, leaf[g.IntN(len(leaf))])
	}
	all := append(append([]string{}, leaf...), orderNodes[kind]...)
	if g.IntN(3) > 0 && len(orderNodes[kind]) > 0 {
		all = orderNodes[kind]
	}
	return g.fill(depth, all[g.IntN(len(all))])
}

func (g *orderGen) stmt() string {
	s := g.pick(3, orderStmts...)
	for strings.Contains(s, "@") {
		s = strings.Replace(s, "@", g.pick(2, orderStmts[:orderSimple]...), 1)
	}
	return s
}

var orderLeaves = map[byte][]string{
	'I': {"x", "y", "glob", "p.a", "gp.b", "sl[i0]", "arr[i1]", "*q", "m[i0]", "mut(#)", "mut(#)", "mut(#)", "<-ch", "inl()", "p.e.x", "p.p.a", "sl[i2]", "p.arr[i1]", "(loc - #)", "e0.ptr()", "p.e.val()", "loc"},
	'B': {"b", "mutB(#)", "p.ok", "mutB(#)"},
	'T': {"st", "p.st", "mutT(#)", "string(bs)"},
	'A': {"i", "p.i", "any(mut(#))", "mutA(#)"},
	'E': {"e0", "p.e", "mutE(#)", "(*pe)"},
	'L': {"sl", "p.s", "mutL(#)"},
	'R': {"arr", "p.arr", "mutR(#)"},
	'P': {"p", "gp", "mutP(#)", "p.p"},
	'V': {"x", "y", "glob", "p.a", "sl[i0]", "arr[i1]", "*q", "m[i0]", "p.e.x", "gp.arr[i0]", "sl[i2]"},
}

var orderNodes = map[byte][]string{
	'I': {"($I + $I)", "($I * $I)", "($I - $I)", "($I / (x & $I))", "($I % (x - $I))", "(-$I)", "sl[$I & 1]", "arr[$I & 1]", "m[$I]", "mk[(key{$I, $I})]", "m8[int8(x & $I)]", "mi[$A]", "ms[string(bs)]", "ms[$T]",
		"len($L)", "cap($L)", "len($T)", "$A.(int)", "$P.a", "$P.add($I)", "$E.plus($I)", "two($I, $I)", "two(pair(#))", "any2($A, $A)", "vari($I, $I, $I)", "varA($I, $A, $T)",
		"min($I, $I)", "max($I, $I)", "(key{$I, $I}).b", "([]int{$I, $I})[$I & 1]", "([2]int{$I, $I})[$I & 1]", "$L[0]", "fn($I)", "p.fn($I)", "$I + mut(#)",
		"func() int { x += 3; return $I }()", "int(int8(x & $I))", "iface.add($I)", "$P.iface.add($I)", "(map[int]int{x + $I: $I, $I: $I})[$I]", "len((map[int]int{$I: $I}))", "copy(sl, $L)", "$R[$I & 1]", "int($T[$I & 1])",
		"len(append($L, $I))", "(&S{a: $I, b: $I}).b", "int(real(complex(float64(x + $I), float64(y + $I))))", "*new($I)", "<-chans[$I & 1]", "cmpA($A == $A)", "gen($I, $I)", "gen[int](mut(#), $I)", "(x & $I) << ($I & 3)", "x << (3 - $I)", "($I | $I)",
		"int([2]int($L)[1])", "$A.(*S).a", "sl[$I]", "m[$I] + mut(#)", "x + mut(#)", "p.a + mut(#)", "$P.val($I)", "fns[len($L) & 1]($I)", "fns[$I & 1]($I)", "ifs[$I & 1].add($I)", "pick($P.add, $I)", "pick($E.plus, $I)", "len([]byte($T))", "len(string(bs)) + int(string(bs)[0])"},
	'B': {"($I == $I)", "($I < $I)", "($B && $B)", "($B || $B)", "(!$B)", "($T == $T)", "($E == $E)", "($A == $A)", "($R == $R)", "($A == any($E))", "($P == $P)", "($T < $T)", "(i == $I)"},
	'T': {"($T + $T)", "str($I)", "$T[$I & 1:]", "fmt.Sprint($A, $I)", "fmt.Sprint($I, $I)", "string([]byte($T))", "$A.(string)", "fmt.Sprint($E, $B, $R, mut(#))", "fmt.Sprint($B, mut(#), $P.a)"},
	'A': {"any($I)", "any($T)", "any($E)", "any($B)", "any($R)", "any($P)", "any(int8(x & $I))", "any(x == $I)", "any((big{$I, $I, $I}))"},
	'E': {"(E{$I})", "$P.e", "$A.(E)", "([]E{{$I}, $E})[0]"},
	'L': {"$L[$I & 1:]", "append($L, $I)", "([]int{$I, $I, $I})", "append($L, $I, $I)", "append([]int(nil), $L...)", "arr[$I & 1:]", "p.arr[:]", "make([]int, 2+$I & 3)"},
	'R': {"([3]int{$I, $I, $I})", "$P.arr", "[3]int($L)", "([]big{{$I, $I, $I}})[0].arr()"},
	'P': {"(&S{a: $I, b: $I, p: $P, s: $L, arr: $R, e: $E})", "$P.p", "ps[$I & 1]", "self($P, $I)"},
	'V': {"sl[$I & 1]", "arr[$I & 1]", "m[$I]", "mk[(key{$I, $I})]", "$P.a", "$P.e.x", "$L[$I & 1]", "m8[int8(x & $I)]", "mi[$A]", "ms[$T]", "*ptr($I)", "ps[$I & 1].a", "$P.arr[$I & 1]", "$P.s[$I & 1]", "mk[(key{x, $I})]", "p.m[$I]", "p.mp[$I].b"},
}

// orderSimple is the number of simple statements.
const orderSimple = 27

var orderStmts = []string{
	"log($I, $I)", "log($I, $I, $I)", "log($A, $T, $E, $B)", "$V = $I", "$V, $V = $I, $I", "$V, $V, $V = $I, $I, $I", "$V += $I", "$V -= $I", "$V |= $I", "$V++",
	"$V, $V = pair(#)", "$V, b = <-ch", "$V, b = m[$I]", "$V, b = $A.(int)", "st += $T", "v, w := $I, $I; log(v, w)", "var v, w = $I, $I; log(v, w)", "var (\nv = $I\nw, u = $I, $I\n)\nlog(v, w, u)",
	"sl = append(sl, $I)", "p.s = append(p.s, $I)", "mv[$I] = append(mv[$I], $I)", "mv[x] = append(mv[x], $I)", "p.mv[p.a] = append(p.mv[p.a], $I)", "e0, e0.x = $E, $I", "log((S{a: $I, b: $I, arr: $R}).arr, $P.a)", "log(map[int]int{$I: $I, y - $I: $I}, $I)", "$V, sl = $I, $L",
	"log(func() (int, int) { return $I, $I }())", "log(func() (r0, r1 int) { return $I, $I }())", "log(func() (r0, r1 any) { defer func() { recover() }(); return $A, $I }())", "log(func() (r0, r1 int) { defer func() { recover(); r0++ }(); r0, r1 = $I, $I; return r1, $I }())",
	"func() { defer log($I, $I, $T) }()", "func() { defer p.add2($I, $I) }()", "func() { defer $P.val($I) }()", "func() { defer iface.add($I) }()", "go send($I, $I, $A); log(<-done)", "go p.send($I, $I); log(<-done)",
	"cs($I) <- $I", "cbs[$I & 1] <- $I", "p.c <- $I", "if $B { @ } else { log($I) }", "if $I == $I && $B || $B { @ }", "if v := $I; v < $I { @ } else if $B { log($I, $I) }",
	"for n := 0; n + $I < 40 && n < 3; n++ { @ }", "for n := $I & 1; n < 2 && $B; n, x = n+1, $I { @ }", "for n, v := range $L { log(n, v); if n > 2 { break } }", "for n := range two(x & 1, $I & 1) & 3 { log(n, x) }", "for n, v := range $R { x++; log(n, v) }",
	"switch $I { case $I + x: log(1); case $I + y: @; default: log(3) }", "switch { case $B: log(1); case $I < $I: @; default: log(3) }", "switch v := $I; v + $I { case x: @; fallthrough; case y: log(4) }", "switch v := $A.(type) { case int: log(v, $I); case string: log(v); default: log(v, 9) }",
	"select { case v := <-chans[$I & 1]: log(v, $I); case nilc(1) <- $I: log(2) }", "select { case $V = <-ch: log(1) }", "select { case p.c <- $I: log(3); default: log(4) }", "L: for n := range 3 { switch x + $I { case 5: continue L; default: if n > 0 { break L }; log(n) } }",
	"log([]any{$I, $A, $E}, [2]E{{$I}, {$I}})", "log(any2($A, x) , $I)", "for range seq(x, $I) { log($I, $I); return str($I) + str($I) }", "$V, $V = two($I, $I), $I", "return str($I) + st + $T",
	"x, y, p.a = $I, $I, x", "arr, x = $R, arr[$I & 1]", "i, x = $A, mut(#)", "i = big{$I, x, $I}", "log(any(p.big), any(E{x}), any(x == 1), mut(#), any(big{x, y, 3}), $I)", "mi[x], mi[p.e], m8[int8(x)] = $I, $I, $I", "delete(m, two(x, $I)); log(m)", "clear(mutP(#).m); log($I)",
	"switch func() int { x++; return $I }() { case 1: log(1); default: log(x) }", "if $B { goto L3 }; log(x)\nL3:\n\t@",
	"panic(fmt.Sprint(x, $I, $T))", "var e error = errOf($I, $I); log(e, $I)", "mp[mut(#) & 1].a, *ptr(#) = $I, $I", "log(ms[string(bs)], mutT(#), $I)", "log(x, $B && $B, $I)", "log($B || $B, x, $B && mut(#) > x, p.a)",
}

const orderLocals = `	x, y, loc := 1, 2, 77
	setup(&x, &y)
	defer report(&r)
	inl := func() int { x += 2; return x }
	_, _, _ = inl, loc, y
`

const orderPrelude = `package main

import "fmt"

type E struct{ x int }

func (e E) val() int { return e.x }
func (e E) plus(n int) int { return e.x*10 + n }
func (e *E) ptr() int { e.x++; return e.x }

type big struct{ a, b, c int }

func (b big) arr() [3]int { return [3]int{b.a, b.b, b.c} }

type key struct{ a, b int }

type Adder interface{ add(int) int }

type S struct {
	a, b int
	p    *S
	s    []int
	m    map[int]int
	mv   map[int][]int
	mp   map[int]*S
	i    any
	e    E
	arr  [3]int
	ok   bool
	st   string
	c    chan int
	fn   func(int) int
	iface Adder
	big  big
}

func (s *S) String() string { return fmt.Sprint("S", s.a) }
func (s *S) add(n int) int { s.a += n; return s.a }
func (s *S) add2(n, k int) { s.a += n*3 + k }
func (s S) val(n int) int { return s.a*100 + n }
func (s *S) send(n, k int) { done <- n*100 + k + s.a }

func newS(n int) *S {
	s := &S{a: n, b: n + 1, s: []int{n, 1, 2}, m: map[int]int{n: 1}, mv: map[int][]int{}, mp: map[int]*S{}, i: n, e: E{n}, arr: [3]int{n, 2, 3}, st: "s", c: make(chan int, 40)}
	s.p = &S{a: n * 2, s: []int{1, 2}, e: E{3}, m: map[int]int{}, mv: map[int][]int{}}
	s.fn = func(a int) int { s.b++; return a + s.b }
	s.iface = s
	return s
}

var glob int
var gp *S
var done = make(chan int, 40)

func send(a, b int, c any) { done <- a*100 + b }
func two(a, b int) int { return a*10 + b }
func str(a int) string { return fmt.Sprint(a) }
func cmpA(b bool) int { if b { return 1 }; return 2 }
func any2(a, b any) int { x, _ := a.(int); y, _ := b.(int); return x*7 + y }
func vari(a int, b ...int) int { for _, n := range b { a = a*3 + n }; return a }
func varA(b ...any) int { return len(fmt.Sprint(b...)) }
func gen[T any](a, b T) T { return a }
func pick(f func(int) int, n int) int { return f(n) }
func self(p *S, n int) *S { p.b += n; return p }
func errOf(a, b int) error { return fmt.Errorf("%d %d", a, b) }
func seq(a, b int) func(func() bool) { return func(yield func() bool) { for range (a + b) & 3 { if !yield() { return } } } }

var (
	px, py, q   *int
	i0, i1, i2  int
	p           *S
	b           bool
	st          string
	bs          []byte
	sl          []int
	arr         [3]int
	e0          E
	pe          *E
	i           any
	iface       Adder
	m           map[int]int
	m8          map[int8]int
	mk          map[key]int
	ms          map[string]int
	mi          map[any]int
	mv          map[int][]int
	mp          map[int]*S
	ch, cb      chan int
	chans, cbs  []chan int
	ps          []*S
	out         []string
	fn          func(int) int
	fns         []func(int) int
	ifs         []Adder
)

func setup(x, y *int) {
	px, py, q = x, y, y
	ps = []*S{newS(1), newS(2)}
	i0, i1, i2 = 0, 1, 2
	p, b, st, bs, sl, arr, e0 = newS(3), false, "st", []byte("bytes"), []int{1, 2, 3}, [3]int{4, 5, 6}, E{7}
	pe, i, iface = &E{8}, 5, newS(4)
	m, m8, mk, ms, mi, mv, mp = map[int]int{0: 1, 1: 2, 2: 3}, map[int8]int{1: 1}, map[key]int{{1, 2}: 3}, map[string]int{"bytes": 4, "st": 5}, map[any]int{1: 6, "st": 7}, map[int][]int{}, map[int]*S{0: newS(9), 1: newS(8)}
	ch, cb = make(chan int, 40), make(chan int, 40)
	for n := range 40 {
		ch <- n + 100
	}
	chans, cbs = []chan int{ch, ch}, []chan int{cb, cb}
	p.c = cb
	glob, gp, out = 11, newS(5), nil
	fn = func(a int) int { return a + *px }
	fns, ifs = []func(int) int{fn, func(a int) int { return a * 3 }}, []Adder{newS(6), nil}
}

func report(r *string) {
	e := recover()
	*r = fmt.Sprint(*r, " ", e, out, *px, *py, *q, pe, p.a, p.b, p.e, p.arr, p.s, p.p.a, p.ok, p.mv, b, st, string(bs), sl, arr, e0, i, m, m8, mk, ms, len(mi), mv, glob, gp.b, len(ch), len(cb), i0, i1, i2, iface.add(1), fn(1), ps[0].a, mp[0].a, len(cbs))
}

func log(args ...any) { for _, a := range args { if f, ok := a.(*S); ok { a = f.a }; out = append(out, fmt.Sprint(a)) } }
func mut(k int) int {
	switch k {
	case 0: (*px) += 10
	case 1: (*py) += 20
	case 2: p.a += 7; gp.b++
	case 3: p = newS(k + (*px))
	case 4: sl[0] += 3
	case 5: sl = append([]int{9, 8, 7}, sl...)
	case 6: m[0] += 5; m[1]++; mk[key{1, 2}]++
	case 7: arr[1] += 2; arr[0]++
	case 8: i = (*px) + 100
	case 9: st += "z"; ms[st]++
	case 10: bs[0]++
	case 11: glob++; gp = newS(glob)
	case 12: q = px
	case 13: e0.x += 2; pe.x++
	case 14: i0, i1 = 1, 0
	case 15: p.e.x++; p.arr[1]++; p.arr[0] += 2; p.s[0]++; p.big.b++
	case 16: b = !b; p.ok = !p.ok
	case 17: iface = newS((*px)); fn = func(a int) int { return a - *px }; fns[0], fns[1], ifs[0], ifs[1] = fns[1], fn, iface, ifs[0]
	case 18: i = "str"
	case 19: ps[0], ps[1] = ps[1], newS(20)
	case 20: (*px)++; p.p = newS(30); mp[0] = newS(31)
	case 21: i2 = 5
	case 22: e0 = E{*px}; pe = &e0; chans[0], chans[1] = cb, ch; cb <- 1
	case 23: (*px)--; m = map[int]int{0: 7, 1: 8, 2: 9}; p.mp = map[int]*S{0: newS(1), 1: newS(2)}
	}
	out = append(out, fmt.Sprint("m", k))
	return k & 3
}
func mutB(k int) bool { mut(k); return k&1 == 0 }
func mutT(k int) string { mut(k); return fmt.Sprint("t", k, (*px)) }
func mutA(k int) any { mut(k); if k&1 == 0 { return k }; return E{k} }
func mutE(k int) E { mut(k); return E{*px} }
func mutL(k int) []int { mut(k); return sl }
func mutR(k int) [3]int { mut(k); return arr }
func mutP(k int) *S { mut(k); return p }
func pair(k int) (int, int) { mut(k); return k, (*px) }
func ptr(k int) *int { mut(k & 15); return &p.b }
func nilc(k int) chan int { mut(k & 15); return nil }
func cs(k int) chan int { mut(k & 15); return cb }
`
