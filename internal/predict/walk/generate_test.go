package walk_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// A generator writes random functions over the shared variables x, y, ys, ps, m and
// what locals Go has. Values stay below 1<<16, so that they cannot be mistaken for addresses.
type generator struct {
	rng   *rand.Rand
	out   strings.Builder
	depth int
	fn    int
	tmp   int
}

const shared = `package main

import (
	"fmt"
	"os"
	"sort"
	"strconv"
	"strings"
)

var _ = strings.Index("", fmt.Sprint(sort.IntsAreSorted(nil)))

type rec struct {
	a int
	b uint16
	s string
	q *int
	t [3]int
}

var (
	x  [6]int
	y  [6]int
	r  rec
	rs [3]rec
	ys = make([]int, 8)
	ps [4]*int
	ss [2]string
	is [2]any
	m  = map[int]int{}
	ch = make(chan int, 64)
)

func reset() {
	y, r, rs, m, ys = [6]int{}, rec{}, [3]rec{}, map[int]int{}, make([]int, 8)
	for i := range ps {
		ps[i] = &y[i]
	}
	r.q = &y[5]
	for i := range rs {
		rs[i].q = &y[4]
	}
	ss, is = [2]string{"a", "bb"}, [2]any{1, "c"}
	for len(ch) > 0 {
		<-ch
	}
}

func two(a, b int) (int, int) { return b & 0xff, a + b&0xf }

func rec1(n, acc int) int {
	if n <= 0 {
		return acc
	}
	return rec1(n-1, acc+n)
}

func named(a int) (res int) {
	defer func() { res += a & 3 }()
	res = a & 0xff
	return
}

func late(i int) (res int) {
	defer func() { res = x[i&3] & 0xff }()
	res = 3
	return
}

var fv = []func(int) int{func(i int) int { return x[i&1] & 0xff }, func(i int) int { return i + x[2]&1 }}

func caught(a, b int) (res int) {
	defer func() {
		if recover() != nil {
			res = 7
		}
	}()
	return a / (b & 1)
}

func gen[T int | uint16](a, b T) T {
	if a > b {
		return a - b
	}
	return a + b
}

func pick(i int) *int { return &x[i&3] }

func main() {
	for i := range x {
		x[i], _ = strconv.Atoi(os.Args[i+1])
	}
`

// program writes a program of n functions, which main calls one after the other.
func generate(seed uint64, n int) string {
	g := &generator{rng: rand.New(rand.NewPCG(seed, 1))}
	var b strings.Builder
	b.WriteString(shared)
	for i := range n {
		fmt.Fprintf(&b, "\treset()\n\tf%d()\n", i)
	}
	b.WriteString("}\n")
	for i := range n {
		g.fn, g.tmp = i, 0
		g.function(i)
	}
	return b.String() + g.out.String()
}

func (g *generator) p(format string, a ...any) {
	g.out.WriteString(strings.Repeat("\t", g.depth+1))
	fmt.Fprintf(&g.out, format, a...)
	g.out.WriteString("\n")
}

func (g *generator) function(i int) {
	fmt.Fprintf(&g.out, "\nfunc f%d() {\n", i)
	g.p("a, b, c := 1, x[%d], 3", g.rng.IntN(6))
	g.p("var arr [4]int")
	g.p("l := rec{q: &y[3]}")
	g.p("s := \"k\"")
	g.p("sl := []int{1, 2}")
	g.p("var e any = 2")
	for range 3 + g.rng.IntN(8) {
		g.statement()
	}
	g.p("y[0] = (a + arr[1] + l.a) & 0xffff")
	g.p("y[1] = (b + arr[2] + len(s)) & 0xffff")
	g.p("if v, ok := e.(int); ok { y[2] = (c + v + sl[0]) & 0xffff }")
	g.out.WriteString("}\n")
}

func (g *generator) local() string { return []string{"a", "b", "c"}[g.rng.IntN(3)] }

// expr is an int of at most 16 bits.
func (g *generator) expr() string {
	l, k := g.local(), g.local()
	switch g.rng.IntN(36) {
	case 25:
		return fmt.Sprintf("late(%d)", g.rng.IntN(4))
	case 26:
		return fmt.Sprintf("fv[%d](%s)", g.rng.IntN(2), l)
	case 27:
		return fmt.Sprintf("m[%d]", g.rng.IntN(2))
	case 28:
		return "int([]byte(s)[len(s)-1])"
	case 30:
		return fmt.Sprintf("len(min(s, strconv.Itoa(%s)))", l)
	case 31:
		return fmt.Sprintf("strings.Index(strconv.Itoa(%s)+s, strconv.FormatInt(int64(%s&7), 2)) & 0xff", l, k)
	case 32:
		return fmt.Sprintf("int(strconv.Itoa(%s)[0]) + strings.Compare(s, strconv.Itoa(%s))", l, k)
	case 33:
		return fmt.Sprintf("len(strings.TrimLeft(strconv.Itoa(%s)[%s&1:], \"123\"))", l, k)
	case 0, 1, 2:
		return fmt.Sprintf("x[%d]", g.rng.IntN(6))
	case 3:
		return fmt.Sprintf("x[%s&3]", l)
	case 4:
		return fmt.Sprintf("y[%d]", g.rng.IntN(6))
	case 5:
		return fmt.Sprintf("(%s+%s)&0xffff", l, k)
	case 6:
		return fmt.Sprintf("(%s*%s^%s)&0xfff", l, k, g.local())
	case 7:
		return fmt.Sprintf("%s/(%s&7|1)", l, k)
	case 8:
		return fmt.Sprintf("int(uint8(%s)<<(uint(%s)&9))", l, k)
	case 9:
		return fmt.Sprintf("int(float64(%s)*1.5)&0xffff", l)
	case 10:
		return fmt.Sprintf("arr[%s&3]", l)
	case 11:
		return "l.a + int(l.b)&0xff + l.t[1]"
	case 12:
		return fmt.Sprintf("*ps[%d]", g.rng.IntN(4))
	case 13:
		return fmt.Sprintf("*pick(%s)", l)
	case 14:
		return fmt.Sprintf("m[%s&3]", l)
	case 15:
		return fmt.Sprintf("ys[%s&7] + len(ys)", l)
	case 16:
		return "r.a + *r.q + r.t[2]"
	case 17:
		return fmt.Sprintf("rec1(%s&3, %s)&0xffff", l, k)
	case 18:
		return fmt.Sprintf("gen(%s, %s)&0xffff", l, k)
	case 19:
		return fmt.Sprintf("int(gen(uint16(%s), 3))", l)
	case 20:
		return fmt.Sprintf("named(%s)", l)
	case 21:
		return fmt.Sprintf("caught(%s, %s)&0xffff", l, k)
	case 22:
		return fmt.Sprintf("max(%s, len(s), sl[0])&0xffff", l)
	case 23:
		return fmt.Sprintf("func() int { return %s + x[%d] }()&0xffff", l, g.rng.IntN(6))
	case 24:
		return fmt.Sprintf("rs[%s&1].t[%s&1] + len(ss[%s&1])", l, k, g.local())
	}
	return fmt.Sprint(g.rng.IntN(100))
}

func (g *generator) cond() string {
	l := g.local()
	switch g.rng.IntN(8) {
	case 6:
		return fmt.Sprintf("strings.HasSuffix(strconv.Itoa(%s), strconv.Itoa(%s&7))", g.expr(), l)
	case 0:
		return fmt.Sprintf("%s > %s", l, g.expr())
	case 1:
		return fmt.Sprintf("%s&1 == 0", g.expr())
	case 2:
		return fmt.Sprintf("ss[0] == s || %s < 5", l)
	case 3:
		return fmt.Sprintf("arr == [4]int{%s}", l)
	case 4:
		return "is[0] == e"
	case 5:
		return "ps[0] == ps[1]"
	}
	return fmt.Sprintf("%s&3 != %d && l.b < 9", l, g.rng.IntN(4))
}

func (g *generator) statement() {
	l := g.local()
	switch g.rng.IntN(46) {
	case 41:
		g.p("s = fmt.Sprintf(\"%%d.%%v\", %s, %s > 3)", g.expr(), l)
	case 42:
		g.p("if t := fmt.Sprint(%s, s, %s); len(t) > 4 { %s = len(t) + int(t[1]) }", l, g.expr(), g.local())
	case 36:
		g.p("s = strconv.Itoa(%s)", g.expr())
	case 37:
		g.p("if k, err := strconv.Atoi(s); err == nil { %s = k & 0xffff }", l)
	case 38:
		g.p("s = strings.ToUpper(strings.Repeat(strconv.Itoa(%s), %s&3+1))", g.expr(), l)
	case 39:
		g.p("if before, after, ok := strings.Cut(strconv.Itoa(%s)+s, \"1\"); ok { %s = len(before)<<4 + len(after)&15 }", g.expr(), l)
	case 40:
		g.p("if strings.HasPrefix(s, \"1\") || strings.ContainsAny(strconv.Itoa(%s), s) { %s++ }", g.expr(), l)
	case 30:
		g.p("s = fmt.Sprint(%s, e)", l)
	case 31:
		g.p("y[4] = %s; s = fmt.Sprint(&y)", g.expr())
	case 32:
		g.p("sl = append(sl, %s); sort.Ints(sl); %s = sl[0] & 0xffff", g.expr(), l)
	case 27:
		g.p("m[0] = %s; %s = m[0] & 0xffff", g.expr(), l)
	case 28:
		g.p("s = string([]byte{'a', byte(%s)}); %s = int([]byte(s)[1])", g.expr(), l)
	case 29:
		g.p("{ big := append([]int{%s}, sl...); big = append(big, 1, 2, 3); %s = big[0] & 0xffff }", g.expr(), l)
	case 0, 1, 2, 3:
		g.p("%s = %s", l, g.expr())
	case 4:
		g.p("y[%d] = %s", g.rng.IntN(6), g.expr())
	case 5:
		g.p("y[%s&3] = %s", l, g.expr())
	case 6:
		g.p("arr[%s&3] = %s", l, g.expr())
	case 7:
		g.p("l.a, l.b = %s, uint16(%s)", g.expr(), g.expr())
	case 8:
		g.p("r = l; l.t[%s&1] = %s", l, g.expr())
	case 9:
		g.p("rs[%s&1], l = l, rs[1]", l)
	case 10:
		g.p("*ps[%d] = %s", g.rng.IntN(4), g.expr())
	case 11:
		g.p("ps[%d] = &y[%s&3]", g.rng.IntN(4), l)
	case 12:
		g.p("m[%s&3] = %s", l, g.expr())
	case 13:
		g.p("sl = append(sl, %s)", g.expr())
	case 14:
		g.p("copy(ys[%s&3:], sl)", l)
	case 15:
		g.p("ss[%d], s = s, ss[%d]+\"z\"", g.rng.IntN(2), g.rng.IntN(2))
	case 16:
		g.p("is[%d], e = e, is[%d]", g.rng.IntN(2), g.rng.IntN(2))
	case 17:
		g.p("e = %s", g.expr())
	case 18:
		g.p("if v, ok := e.(int); ok { %s = v & 0xffff }", l)
	case 19:
		g.p("%s, %s = two(%s, %s)", "a", "c", l, g.expr())
	case 20:
		g.p("func() { %s += x[%d] & 0xff }()", l, g.rng.IntN(6))
	case 21:
		g.p("ch <- %s; ys[%d] = <-ch", g.expr(), g.rng.IntN(8))
	case 22:
		g.p("for i := range ys { ys[i] += %s & 0xff }", l)
	case 23:
		g.p("for range m { %s++ }", l)
	case 24:
		g.p("for _, ru := range ss[%d] { %s += int(ru) & 7 }", g.rng.IntN(2), l)
	case 25:
		g.p("{ b2 := []byte(s); b2[0] = byte(%s)&15 + 'a'; s = string(b2) }", g.expr())
	case 26:
		if g.depth < 3 {
			g.block("for i := 0; i < (%s)&3; i++ {", g.expr())
		}
	default:
		if g.depth < 3 {
			g.block("if %s {", g.cond())
			if g.rng.IntN(2) == 0 {
				g.block("if %s {", g.cond())
			}
		}
	}
}

func (g *generator) block(head string, a ...any) {
	g.p(head, a...)
	g.depth++
	for range 1 + g.rng.IntN(3) {
		g.statement()
	}
	g.depth--
	g.p("}")
}
