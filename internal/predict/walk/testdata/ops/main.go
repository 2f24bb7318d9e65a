// Program ops uses every operator and construct of Go at least once: its recording is walked.
package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"iter"
	"math"
	"math/bits"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode"
	"unicode/utf8"
	"unsafe"
)

type num interface {
	~int8 | ~int16 | ~int32 | ~int64 | ~int | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uint | ~float32 | ~float64
}

type titled interface{ title() string }

type label struct {
	text string
	n    int
}

func (l label) title() string { return l.text }

type labels[T titled] []T

func (l labels[T]) join() (s string) {
	for i := range l {
		s += l[i].title()
	}
	return s
}

func numbers(f float64, d time.Duration, u uint) (float64, float64, int64, int, bool) {
	return math.Floor(math.Sqrt(f)) + math.Max(f, 3), d.Seconds(), d.Round(time.Second).Milliseconds(), bits.LeadingZeros(u) + bits.OnesCount(u), math.IsNaN(f)
}

// library calls functions of the library with texts that are made of numbers: their contents are known to the walk.
func library(n int, u uint64, f float64) (t int) {
	s := strconv.Itoa(n)
	h := strconv.FormatUint(u, 16) + "." + strconv.FormatInt(int64(-n), 2)
	before, after, found := strings.Cut(h, ".")
	if rest, ok := strings.CutPrefix(h, before); ok && found {
		t += len(rest)
	}
	if k, err := strconv.Atoi(s); err == nil {
		t += k
	}
	if k, err := strconv.Atoi(h); err != nil {
		t += k
	}
	if v, err := strconv.ParseUint(before, 16, 64); err == nil {
		t += int(v & 0xff)
	}
	_, err := strconv.ParseBool(s)
	r, size := utf8.DecodeRuneInString(after)
	hi, lo := bits.Mul64(u, u)
	whole, frac := math.Modf(f)
	t += len(min(s, h, before)) + len(max(after, s+"0")) + strings.Index(h, s) + strings.Count(after, "0") + len(strings.Repeat(s, 3)) + len(strings.ReplaceAll(h, "0", s)) + int(r) + size + int(hi^lo) + int(whole+frac)
	if strings.ToUpper(before) > strings.TrimLeft(after, "-1") && unicode.IsDigit(r) == (err != nil) {
		t += cmp.Compare(before, after) + cmp.Compare(n, t) + cmp.Compare(f, 2)
	}
	return t + int(strconv.FormatFloat(f, 'g', -1, 64)[0]) + len(time.Duration(n).String()[1:]) + len(strconv.Quote(s)) + strings.LastIndexByte(h, '1')
}

func gsum[T num](xs ...T) T {
	var s T
	for _, x := range xs {
		s += x * 3
	}
	return s
}

type pair[K comparable, V any] struct {
	k   K
	v   V
	b   bool
	nxt *pair[K, V]
}

func (p *pair[K, V]) find(k K) (V, bool) {
	for ; p != nil; p = p.nxt {
		if p.k == k {
			return p.v, true
		}
	}
	var z V
	return z, false
}

func ints(a int8, b uint8, c int16, d uint16, e int32, f uint32, g int64, h uint64, s uint, t int) string {
	return fmt.Sprint(a+1, a*a, a/3, a%5, -a, ^a, a<<s, a>>t, a&^3, b-200, b<<s, b>>t, c*c, c<<9, d+d, e*e, e<<s, -e, f*f, f>>s, f<<40>>1,
		g*g, g/7, g%7, g<<s, g>>s, h*h, h>>s, h%13, int8(g), uint8(c), int16(h), uint64(a), int64(f), uint32(a), a < 0, b > 100, c == -1, h != 3)
}

func floats(x float32, y float64, i int, u uint64) string {
	n := math.NaN()
	return fmt.Sprint(x+1.5, x*x, x/0.1, y/3, y*y-1, float32(y), float64(x), float32(i), float64(i), float32(u), float64(u), int(y), uint8(x), int64(x*1e30),
		y < 3, n == n, n < y, -x, -y, min(x, 3), max(y, n), min(i, 4, -2), max("a", "b"))
}

func cplx(c complex128, d complex64) string {
	return fmt.Sprint(c*c, c/complex(1, 2), c == c, real(c), imag(d), d*d, -c, complex64(c), complex(real(c), 2))
}

func text(s string, b []byte) string {
	t := s + "x" + string(b)
	for i, r := range t {
		if r == 'é' {
			t = t[:i] + t[i:]
		}
	}
	c := t[1:3]
	u := t[len(t):]
	return c + u + string(rune(len(t))) + string([]rune(t)[1:]) + strings.ToUpper(c) + fmt.Sprint(s < t, s == "abc", t[0], len(u), []byte(c), t[len(t)-1:])
}

type pad struct {
	a bool
	b int64
	c uint16
	d [3]int32
	e string
	f any
	_ int
}

type nested struct {
	p [2]pad
	q *nested
	pad
}

func locals(n int) int {
	var m nested
	var grid [4][3]int
	for i := range n {
		grid[i%4][i%3] += i
		m.p[i&1].d[i%3] = int32(i)
		m.p[i&1].e = fmt.Sprint(i)
		m.c += uint16(i)
		m.p[1-i&1] = pad{b: int64(i), c: 7, f: i}
	}
	x := m
	x.a = true
	y := x.p
	t := 0
	for _, p := range y {
		t += int(p.d[1]) + int(p.c) + len(p.e) + int(p.b)
	}
	for _, r := range grid {
		for _, v := range r {
			t += v
		}
	}
	return t + int(x.c)
}

func slices(n int) (r []int) {
	a := [5]int{1, 2, 3, 4, 5}
	s := a[1:3]
	s = append(s, 9)
	s = append(s, a[:]...)
	e := s[len(s):]
	z := s[1:2:2]
	z = append(z, 77)
	q := make([]int, n, n*2)
	copy(q, s)
	copy(q[1:], q)
	f := s[len(s):len(s):len(s)]
	f = append(f, e...)
	p := (*[2]int)(q)
	p[1] = 5
	arr := [2]int(q)
	clear(q[3:])
	b := append([]byte("ab"), "cde"...)
	n2 := copy(b[1:], "zz")
	type zs struct{}
	zz := []zs{{}, {}}
	zz = append(zz, zs{})
	return append(r, append(z, q...)[0], arr[1], n2, int(b[1]), len(zz), cap(e), len(f), cap(s[2:4:5]))
}

func maps() int {
	m := map[string]pad{}
	m["a"] = pad{b: 3}
	m["b"] = pad{b: 4, e: "x"}
	delete(m, "zz")
	t := 0
	for k, v := range m {
		t += len(k) + int(v.b)
	}
	if v, ok := m["q"]; !ok {
		t += int(v.b)
	}
	var nm map[int]int
	t += nm[3] + len(nm) + len(m)
	k := map[any]int{1: 2, "x": 3, 2.5: 4}
	t += k[1] + k["x"]
	clear(k)
	s := map[struct{ a, b int8 }]struct{}{{1, 2}: {}}
	_, has := s[struct{ a, b int8 }{1, 2}]
	if has {
		t += len(s)
	}
	for range m {
		t++
	}
	for i := range 3 {
		mm := map[int]int{i: i}
		mm[i]++
		t += mm[i]
	}
	return t
}

func defers(n int) (r int, err error) {
	defer func() {
		r *= 2
		if e := recover(); e != nil {
			err = fmt.Errorf("got %v", e)
			r += 5
		}
	}()
	for i := range n {
		defer func(k int) { r += k }(i)
	}
	var p *pad
	if n > 2 {
		return int(p.b), nil
	}
	if n == 2 {
		panic("two")
	}
	return n, errors.New("x")
}

// bad is a value whose String panics, a few calls down; package fmt recovers that, so OpaqueEnd comes at
// another depth than that of the last Enter.
type bad int

func (b bad) String() string { return fmt.Sprint(b.sink([]int{1})) }

func (b bad) sink(a []int) int { return a[b] }

func caught(n int) (t int) {
	for i := range n {
		t += len(fmt.Sprint(bad(i)))
		if i > 1 {
			t += caught(i - 2)
		}
	}
	return t
}

type shape interface{ area() float64 }
type sq struct{ s float64 }
type ci struct{ r float64 }

func (s sq) area() float64  { return s.s * s.s }
func (c *ci) area() float64 { return c.r * c.r * 3 }

type emb struct {
	*ci
	sq
	mu sync.Mutex
}

func ifaces(xs []any) string {
	out := ""
	for _, x := range xs {
		switch v := x.(type) {
		case nil:
			out += "nil"
		case int:
			out += fmt.Sprint(v + 1)
		case string:
			out += v
		case shape:
			out += fmt.Sprint(v.area())
		case error:
			out += v.Error()
		default:
			out += "?"
		}
		if s, ok := x.(fmt.Stringer); ok {
			out += s.String()
		}
	}
	var e1, e2 error = os.ErrNotExist, os.ErrNotExist
	out += fmt.Sprint(e1 == e2, e1 != nil, any(3) == any(3), any(sq{1}) == any(sq{1}), sq{2} == sq{2}, [2]int{1, 2} == [2]int{1, 2})
	f := sq.area
	g := sq{3}.area
	h := (&ci{2}).area
	em := emb{ci: &ci{4}, sq: sq{5}}
	return out + fmt.Sprint(f(sq{2}), g(), h(), em.r, em.s, em.ci.area())
}

func seq(n int) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		for i := range n {
			if !yield(i, fmt.Sprint(i)) {
				return
			}
		}
	}
}

func rangefunc() (t int) {
	for i, s := range seq(10) {
		if i == 2 {
			continue
		}
		if i == 6 {
			break
		}
		for j := range seq(3) {
			if j == 2 && i == 5 {
				return t + 1000
			}
			t += j
		}
		t += i + len(s)
	}
	return t
}

func closures() int {
	x := 0
	add := func(n int) int { x += n; return x }
	var fib func(int) int
	fib = func(n int) int {
		if n < 2 {
			return n
		}
		return fib(n-1) + fib(n-2)
	}
	func() { x++ }()
	fs := []func() int{}
	for i := range 3 {
		fs = append(fs, func() int { return i * x })
	}
	t := add(3) + add(4) + fib(8)
	for _, f := range fs {
		t += f()
	}
	return t
}

type captured struct {
	name string
	nums [3]int32
	any  any
	in   struct{ b, c byte }
}

// byValue captures variables that keep their value, whole and in part.
func byValue(c captured, k int) (t int) {
	words := []string{"a", "bc", c.name}
	table := [4]int{k, 2, 3, 4}
	copied := table
	var nothing struct{}
	f := func(i int) int {
		g := func() int { return int(c.nums[i%3]) + copied[i&3] + len(words[i%len(words)]) }
		_ = nothing
		return g() + int(c.in.c) + len(c.name)
	}
	for i, w := range words {
		func() { t += i + len(w) + f(i) }()
		defer func() { t += copied[i] + len(w) }()
	}
	if s, ok := c.any.(string); ok {
		done := make(chan int)
		go func(n int) { done <- n + len(s) + k + copied[n&1] }(k)
		t += <-done
	}
	return t
}

type link struct {
	next *link
	name string
	val  int16
	buf  []byte
	any  any
}

// loops reads and writes in loops without calls, and in loops that are entered again by way of themselves.
func loops(n int) (t int) {
	var head *link
	list := make([]*link, n)
	for i := range list {
		list[i] = &link{next: head, name: "ab"[:i&1], val: int16(i), buf: make([]byte, 3, 3+i&1)}
		if i%3 == 0 {
			list[i].any = i
		}
		head = list[i]
	}
	for p := head; p != nil; p = p.next {
		for j := len(p.buf) - 1; j >= 0; j-- {
			p.buf[j] += byte(j) + byte(len(p.name))
			p.val -= int16(p.buf[j])
		}
		if p.any != nil {
			t++
		}
		t += int(p.val)
	}
	grid := make([][100]int32, 70)
	for i := range grid {
		for j := 0; j < 100; j += 33 {
			grid[i][j] = int32(i * j)
			if i > 0 && (i+j)%5 == 0 {
				grid[i][j] += grid[i-1][j] + grid[69-i][99-j]
			}
			t += int(grid[i][j])
		}
	}
	if n > 1 {
		for i := range list {
			for q := list[i]; q != nil; q = q.next {
				t ^= int(q.val)
			}
			if i == n/2 {
				t += loops(n / 2)
			}
			for k := range list {
				t += int(list[k].val) & i
			}
		}
	}
	return t + outOfRange(list)
}

func outOfRange(list []*link) (t int) {
	defer func() {
		if recover() != nil {
			t += 7
		}
	}()
	for i := 0; ; i++ {
		t += len(list[i].buf)
		list[i].val = int16(t)
	}
}

// endless sends until the channel is closed, in loops with no record that is sure to come.
func endless() int {
	c, d := make(chan int, 10), make(chan int, 10)
	done := make(chan int)
	var mu sync.Mutex
	n := 0
	go func() {
		defer func() { n, _ = n+1, recover(); done <- n }()
		for {
			c <- 0
		}
	}()
	go func() {
		defer close(done)
		defer mu.Unlock()
		mu.Lock()
		defer func() { recover() }()
		for {
			d <- 0
		}
	}()
	time.Sleep(time.Millisecond)
	close(c)
	t := <-done
	close(d)
	for range done {
	}
	return t
}

func labelled(n int) int {
	t := 0
outer:
	for i := 0; i < n; i++ {
		for j := 0; ; j++ {
			switch {
			case j == 3:
				continue outer
			case i == 4:
				break outer
			case j == i:
				goto next
			}
			t += j
			continue
		next:
			t += 100
		}
	}
	return t
}

func chans() int {
	c := make(chan pad, 2)
	d := make(chan int)
	done := make(chan struct{})
	var wg sync.WaitGroup
	var total atomic.Int64
	var flag int32
	wg.Add(2)
	go func() {
		defer wg.Done()
		for v := range d {
			total.Add(int64(v))
		}
	}()
	go func(k int) {
		defer wg.Done()
		c <- pad{b: int64(k), e: "hi"}
		close(done)
	}(7)
	for i := range 5 {
		d <- i
	}
	close(d)
	<-done
	t := 0
	for i := range 4 {
		select {
		case v, ok := <-c:
			t += int(v.b) + len(v.e)
			if ok {
				t++
			}
		case <-time.After(time.Hour):
			t += 1000
		default:
			t += i
		}
		t += len(c) + cap(c)
	}
	var nc chan int
	select {
	case x := <-nc:
		t += x
	case nc <- 3:
	case _, ok := <-done:
		if !ok {
			t += 10
		}
	}
	wg.Wait()
	atomic.CompareAndSwapInt32(&flag, 0, 1)
	atomic.CompareAndSwapInt32(&flag, 0, 1)
	var once sync.Once
	for range 2 {
		once.Do(func() { t += int(atomic.SwapInt32(&flag, 5)) })
	}
	var v atomic.Value
	v.Store("s")
	var ap atomic.Pointer[pad]
	ap.Store(&pad{b: 3})
	t += int(ap.Load().b) + len(v.Load().(string)) + int(total.Load())
	return t
}

func goexit() int {
	n := 0
	var mu sync.Mutex
	done := make(chan bool)
	go func() {
		defer close(done)
		mu.Lock()
		defer mu.Unlock()
		func() {
			defer func() { n++ }()
			runtime.Goexit()
		}()
		n = 100
	}()
	<-done
	return n
}

type textual struct {
	n    int
	name string
	list [2]string
}

// unsafeStrings makes strings over memory: few bytes, many, none; two executions without another record between them; within a struct.
func unsafeStrings(b []byte) (n int) {
	many := make([]byte, 100)
	for i := range 3 {
		n += len(unsafe.String(&many[0], 30*i))
		if unsafe.String(&b[1], i) == "1" {
			n++
		}
	}
	p := (*string)(unsafe.Pointer(&b))
	for range 2 {
		n += len(*p)
	}
	for c := 0; c < 2; c++ {
		if *p == "0123456789" {
			n++
		}
	}
	v := textual{1, "a", [2]string{unsafe.String(&b[0], 2), ""}}
	q := (*textual)(unsafe.Pointer(&v))
	w := *q
	var s string
	h := (*struct {
		p *byte
		n int
	})(unsafe.Pointer(&s))
	h.p, h.n = &b[2], 3
	return n + len(w.list[0]) + len(s) + len(*(*string)(unsafe.Pointer(&many)))
}

func unsafes() int {
	x := [4]int32{1, 2, 3, 4}
	p := unsafe.Pointer(&x[1])
	q := (*int32)(unsafe.Add(p, 4))
	r := (*int32)(unsafe.Pointer(uintptr(p) + 8))
	s := unsafe.Slice(&x[0], 3)
	t := unsafe.String(unsafe.StringData("hello"), 3)
	return int(*q) + int(*r) + len(s) + len(t) + int(*unsafe.SliceData(s)) + unsafeStrings([]byte("0123456789"))
}

func nestedPanic() (s string) {
	defer func() { s = fmt.Sprint(recover()) }()
	defer func() {
		defer func() { _ = recover() }()
		panic("inner")
	}()
	var m map[int]int
	m[1] = 2
	return "no"
}

func divide(a, b int) (q int, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = r.(error)
		}
	}()
	return a / b, nil
}

var table = [...]struct {
	n string
	f func(int) int
}{{"inc", func(i int) int { return i + 1 }}, {"dbl", func(i int) int { return i * 2 }}}

var global = map[string][]int{"a": {1}}

func init() { global["b"] = []int{2, 3} }

type node struct {
	l, r *node
	v    int
}

func (n *node) insert(v int) *node {
	if n == nil {
		return &node{v: v}
	}
	if v < n.v {
		n.l = n.l.insert(v)
	} else {
		n.r = n.r.insert(v)
	}
	return n
}

func (n *node) walk(f func(int)) {
	if n == nil {
		return
	}
	n.l.walk(f)
	f(n.v)
	n.r.walk(f)
}

type big struct{ a [200]int }

func bigs() int {
	var b big
	for i := range b.a {
		b.a[i] = i
	}
	c := b
	d := &c
	d.a[3] = 9
	e := *d
	return e.a[3] + b.a[199]
}

// Padding of a type that a type parameter lays out holds what was in memory, or in a register, before.
type padded[K comparable, V any] struct {
	n int32
	k K
	v V
	f func(key[K, V]) uint64
}

type key[K comparable, V any] struct {
	k K
	v V
}

func (p *padded[K, V]) set(k K, v V) uint64 {
	p.k, p.v = k, v
	p.f = func(key[K, V]) uint64 { return 1 }
	return p.f(key[K, V]{k, v})
}

func (p *padded[K, V]) get() (K, V) { return p.k, p.v }

func paddings(n int) (t int) {
	var dirt [256]int
	for i := range dirt {
		dirt[i] = -1 - i*n
	}
	var b bytes.Buffer
	b.WriteString("abc")
	var p padded[string, struct{}]
	var q padded[label, bytes.Buffer]
	var r padded[captured, [2]struct {
		a int8
		b int64
		c int16
	}]
	t += int(p.set("key", struct{}{}) + q.set(label{"b", n}, b))
	t += int(r.set(captured{name: "xyz"}, [2]struct {
		a int8
		b int64
		c int16
	}{{1, int64(dirt[n]), 2}}))
	k, v := q.get()
	x, y := r.get()
	return t + v.Len() + k.n + len(x.name) + int(y[0].c)
}

func main() {
	fmt.Println(paddings(7))
	fmt.Println(numbers(2.5, 1500*time.Millisecond, 40))
	fmt.Println(library(len(os.Args)*1234, uint64(len(os.Args))<<40+77, float64(len(os.Args))+0.25))
	ls := labels[label]{{"a", 1}, {"b", 2}}
	go func() { _ = ls.join() }()
	println(ls.join())
	fmt.Println(gsum[int8](100, 50), gsum(1.5, 2.5), gsum[uint16](65535, 2))
	p := &pair[string, int]{k: "a", v: 1, nxt: &pair[string, int]{k: "b", v: 2}}
	fmt.Println(p.find("b"))
	fmt.Println((&pair[[2]int8, struct{}]{}).find([2]int8{1}))
	fmt.Println(ints(-128, 255, -32768, 65535, math.MinInt32, math.MaxUint32, math.MinInt64, math.MaxUint64, 7, 65))
	fmt.Println(floats(1.1, 1e300, -7, math.MaxUint64), cplx(1+2i, 3-4i))
	fmt.Println(text("héllo", []byte("wörld")))
	fmt.Println(locals(17), slices(6), maps())
	for i := range 5 {
		fmt.Println(defers(i))
	}
	fmt.Println(ifaces([]any{nil, 1, "s", sq{2}, &ci{1}, errors.New("e"), 2.5, time.Second}))
	fmt.Println(caught(4), rangefunc(), closures(), labelled(7), chans(), goexit(), unsafes(), nestedPanic(), bigs())
	fmt.Println(byValue(captured{"xyz", [3]int32{5, 6, 7}, "any", struct{ b, c byte }{1, 2}}, 1))
	fmt.Println(endless())
	go loops(9)
	fmt.Println(loops(11))
	fmt.Println(divide(7, 2))
	fmt.Println(divide(7, 0))
	for _, e := range table {
		fmt.Println(e.n, e.f(20))
	}
	var root *node
	for _, v := range []int{5, 2, 8, 1, 9} {
		root = root.insert(v)
	}
	root.walk(func(v int) { fmt.Print(v, " ") })
	fmt.Println(global)
	fmt.Println(renamed(sq{2}).area())
	var e emb
	e.mu.Lock()
	e.mu.Unlock()
}

type named interface{ area() float64 }
type holder struct{ named }

func renamed(s interface{ area() float64 }) holder {
	h := holder{s}
	return h
}
