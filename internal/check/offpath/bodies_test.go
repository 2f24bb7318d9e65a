package offpath_test

import (
	"strings"
	"testing"

	"github.com/presage-race/presage/internal/oracle/progtest"
)

// frameText is a program whose first goroutine does more where it finds flag set, which the second
// one sets. In a run in which it does not, that is off its path.
const frameText = `package main

import (
	"sync"
	"sync/atomic"
)

type T struct {
	a, b int
	c    int8
	d    [3]int16
	n    *T
}

var (
	wg, wg2 sync.WaitGroup
	mu      sync.Mutex
	rw      sync.RWMutex
	flag, x, y, z int
	priv, own     int
	pt      T
	st      T
	str     = "abc"
	fl      = 1.5
	arr     [4]int
	pp      = &y
	q       *T
	i8      int8
	u16     uint16
	ch      = make(chan int, 2)
	un      = make(chan int)
	n64     = new(atomic.Int64)
	b32     = new(atomic.Bool)
	ptr     = new(atomic.Pointer[T])
	pi32    = &i32
	i32     int32
	hook    func(int)
	face    S
	blank   any
	table   = map[int]int{1: 1}
)

type S interface{ get() int }

func (t *T) get() int { return t.a }

type N int

func (n N) get() int { return int(n) + z }

type U struct{}

func (U) get() int {
	if flag == 1 {
		x = 7
	}
	return y
}

func under() {
	if flag == 1 {
		x = 7
	}
	y = 2
}

func two(a int) (int, int) { return a + 1, a * 2 }

func fact(n int) int {
	if n <= 1 {
		return 1
	}
	return n * fact(n-1)
}

func (t *T) sum() int { return t.a + t.b }

func inner(p *int) {
	if flag == 1 {
		*p = 7
		x = *p
	}
}

func outer() {
	v := 3
	defer func() { x = v + y }()
	inner(&v)
	y = v
}

func worker() {
BEFORE
	if flag == 1 {
BODY
	}
	wg.Done()
}

func main() {
	wg.Add(2)
	// The addresses of variables that the recorded run does not touch are not known.
	wg2.Add(1)
	wg2.Done()
	mu.Lock()
	mu.Unlock()
	rw.Lock()
	rw.Unlock()
	q, pt, st, str, arr, i8, u16, fl, i32 = nil, T{}, T{}, "abc", [4]int{}, 1, 1, 1.5, 0
	n64.Load()
	b32.Load()
	ptr.Load()
	atomic.AddInt32(pi32, 1)
	ch <- 1
	<-ch
	go func() { un <- 1 }()
	<-un
	go worker()
	go func() {
		flag = 1
		x, y, z = 5, 6, 7
		pp = &z
		st.a = 4
		str = "other"
		arr[2] = 8
		wg.Done()
	}()
	wg.Wait()
}

var _ = i32
var _ = atomic.AddInt32
`

// body is what the first goroutine does there.
type body struct{ name, text string }

func (b *body) source() string {
	before, after, _ := strings.Cut(b.text, "|")
	return strings.Replace(strings.Replace(frameText, "BEFORE", before, 1), "BODY", strings.TrimPrefix(after, " "), 1)
}

// bodies are what the first goroutine does there, after a line of what it does before, if there is
// a "|".
var bodies = []body{
	{"private", "priv = 3 | if priv == 3 { x = priv; priv = 4; x = priv }"},
	{"private term", "priv = y; own = priv + 1 | if priv+own == 1 { x = own }"},
	{"private parts", "pt.a = 1; pt.c = -3; pt.d[1] = 400 | c := pt; if c.c < 0 && c.d[1] == 400 { x = c.a }"},
	{"private elements", "arr[1] = 5; own = 1 | x = arr[own]"},
	{"local", "var l [4]int; l[y&3] = 2 | l[1] = 6; if l[1] == 6 { x = l[y&3] }"},
	{"local struct", "var l struct { a, b int }; k := &l; k.a = y | k.b = 3; x = k.a + k.b; _ = l"},
	{"allocation", "| t := new(T); t.n = &T{a: 2}; t.n.b = 3; x = t.n.sum()"},
	{"publication", "| t := &T{a: 2}; q = t; if q == t { x = t.a }"},
	{"slices", "| s := make([]int, 3); s[1] = 2; t := s[1:2]; t[0] += cap(t); k := 0; for i, v := range s { k += i * v }; x = k + len(s[:0])"},
	{"array pointer", "| s := arr[1:3]; s[0] = 3; x = s[0] + s[1]; p := &arr; p[1] = 2"},
	{"closure", "k := y | f := func(d int) { x = k + d }; f(2); f(3)"},
	{"captured", "| k := 1; f := func() { k += 2 }; f(); f(); x = k"},
	{"defer", "| func() { defer func() { x = 1 }(); y = 2 }()"},
	{"defer lock", "| func() { mu.Lock(); defer mu.Unlock(); x = 1 }()"},
	{"go", "| wg2.Add(1); k := 4; go func(v int) { x = v; y = k; wg2.Done() }(3); wg2.Wait(); x = 2"},
	{"go shares", "| t := &T{a: 5}; wg2.Add(1); go func(t *T) { x = t.a; wg2.Done() }(t)"},
	{"locks", "| mu.Lock(); x = 1; mu.Unlock(); rw.RLock(); y = x; rw.RUnlock(); rw.Lock(); x = 3; rw.Unlock()"},
	{"map", "table[1] = 3; table[2] = 5 | table[1] = 6; if v, in := table[1]; in && v == 6 { delete(table, 2); x = v }"},
	{"map keys", "table[1] = 3; table[4] = x | delete(table, 4); if _, in := table[4]; !in { table[4] = y; x = table[1]; table[y+2] = 1 }; x = 2"},
	{"map unknown", "table[1] = y; delete(table, 2) | table[1] = y + 1; table[2] = 3; if _, in := table[1]; in { x = table[2] }; delete(table, 1); if table[1] == 0 { x = 5 }"},
	{"map length", "x = len(table); table[2] = 3 | table[1] = 4; x = 1; table[2] = 7; x = table[2]"},
	{"channel", "| ch <- x; ch <- 4; v := <-ch; w, k := <-ch; if k && w == 4 { x = v }"},
	{"channel length", "| ch <- x; if len(ch) == 1 { x = len(ch) + cap(ch) }; <-ch; if len(un) == 0 { x = cap(un) }"},
	{"rendezvous", "| wg2.Add(1); go func() { y = <-un; wg2.Done() }(); un <- 3; x = 2"},
	{"closing", "| close(ch); v, k := <-ch; if !k { x = v }"},
	{"atomics", "| n64.Store(3); if n64.Add(2) == 5 { x = 1 }; if n64.Swap(9) == 5 { x = int(n64.Load()) }; atomic.AddInt32(pi32, 2); x = int(atomic.LoadInt32(pi32))"},
	{"atomic and plain", "i32 = 1 | atomic.AddInt32(&i32, 2); if i32 == 3 { x = 1 } else { y = 2 }; i32 = 5; atomic.StoreInt32(&i32, 6); if i32 == 5 { z = 1 } else { x = int(i32) }"},
	{"atomic bool", "| b32.Store(true); if b32.Load() { x = 2 }"},
	{"atomic pointer", "| t := &T{a: 3}; ptr.Store(t); if ptr.Load() != nil { x = 3 }"},
	{"recursion", "| x = fact(5)"},
	{"results", "| a, b := two(x); x = a - b"},
	{"loop", "| k := 0; for i := 0; i < 5; i++ { if i%2 == 1 { continue }; k += i * x }; x = k"},
	{"nested", "| if y == 6 { if z > 3 { x = 1 } else { x = 2 } } else { x = 3 }"},
	{"text", `| s := "de"; if s < "df" { x = len(s[1:]) }`},
	{"floats", "fl = 2.5 | if fl*2 > 4 { x = int(fl) + int(float32(y)) }"},
	{"narrow", "i8 = 100 | i8 += 100; u16 = uint16(i8) << 3; x = int(u16>>(uint(y)&3)) ^ int(i8)"},
	{"signs", "| k := -x; x = ^k &^ 3 | 5; x = k % 3; x = k / 2; if !(k == 3) { x = min(k, y, 4) + max(k, -2) }"},
	{"whole struct", "| st = T{a: 1, c: 2}; x = st.a"},
	{"whole string", `| str = "xyz"; x = 3`},
	{"elements", "| for i := range arr { arr[i] = i }; x = arr[2]"},
	{"base", "| *pp = 3; x = *pp"},
	{"method value", "| x = st.sum()"},
	{"equality", "| type P struct { a int; c int8 }; t, u := P{a: 1}, P{a: 1, c: 2}; u.c = 0; if t == u { x = 4 }"},
	{"early", "| x = 4; wg.Done(); return"},
	{"pinned", "var l [8]int; v := z; k := l[y]; if v == 7 { st.a = k + 1 } | x = 1"},
	{"outer", "outer() | x = 1"},
	{"compare and swap", "| if n64.CompareAndSwap(0, 4) { x = int(n64.Load()) } else { y = 2 }; if atomic.CompareAndSwapInt32(pi32, 1, 6) { z = 1 } else { x = 8 }"},
	{"compare and swap of a bool", "| if b32.CompareAndSwap(false, true) { x = 2 }"},
	{"compare and swap of a pointer", "| t := &T{a: 3}; if ptr.CompareAndSwap(nil, t) { if ptr.CompareAndSwap(t, nil) { x = 3 } }"},
	{"compare and swap races", "| wg2.Add(1); go func() { y = int(i32); wg2.Done() }(); if atomic.CompareAndSwapInt32(&i32, 1, 4) && atomic.CompareAndSwapInt32(&i32, 4, 5) && atomic.CompareAndSwapInt32(&i32, 5, 6) && atomic.CompareAndSwapInt32(&i32, 6, 1) && atomic.CompareAndSwapInt32(&i32, 1, 2) { z = 1 }"},
	{"and or", "| n64.Or(6); if n64.And(2) == 6 { x = int(n64.Load()) }"},
	{"select default", "| select { case v := <-ch: x = v; default: y = 2 }; x = 3"},
	{"select defaults", "| select { case v := <-ch: x = v; case un <- 2: z = 1; default: y = 2 }; select { case <-un: default: }; x = 3"},
	{"select receives", "| ch <- 6; select { case v, k := <-ch: if k { x = v }; case v := <-un: z = v; default: y = 2 }"},
	{"select sends", "| select { case ch <- x: x = 4; default: }; select { case un <- 1: case v := <-ch: x = v }"},
	{"select waits", "| wg2.Add(1); go func() { select { case y = <-un: case ch <- 4: }; wg2.Done() }(); un <- 3; x = 2"},
	{"select closed", "| close(ch); select { case v, k := <-ch: if !k { x = v }; case un <- 2: y = 3 }"},
	{"function value", "| f := two; if y > 100 { f = func(a int) (int, int) { return a, a } }; a, b := f(x); x = a - b"},
	{"closure value", "| k := y; f := func(d int) { x = k + d }; if y > 100 { f = func(d int) { k += d } }; f(2); f(3)"},
	{"recorded closure", "k := y; f := func(d int) { x = k + d }; if k > 100 { f = func(d int) { k += d } } | f(2)"},
	{"recorded captured", "k := 1; f := func(d int) { k += d; x = k }; if k > 100 { f = nil }; f(1) | f(2); x = k"},
	{"shared closure", "| k := 2; hook = func(d int) { x = k + d }; hook(3)"},
	{"bound method", "| f := st.sum; if y > 100 { f = pt.sum }; x = f()"},
	{"deferred value", "| func() { f := func() { x = 1 }; if y > 100 { f = func() { y = 3 } }; defer f(); y = 2 }()"},
	{"go value", "| k := 4; f := func(v int) { x = v; y = k; wg2.Done() }; if y > 100 { f = func(int) { x = k } }; wg2.Add(1); go f(3); wg2.Wait(); x = 2"},
	{"called", "f := under; if x > 100 { f = nil }; f() | x = 1"},
	{"interface", "| var s S = &st; if y > 100 { s = N(3) }; x = s.get()"},
	{"interface of a number", "| var s S = N(y); if y > 100 { s = &pt }; x = s.get()"},
	{"recorded interface", "var s S = &st; if y > 100 { s = N(1) } | x = s.get()"},
	{"shared interface", "var s S = &st; if y > 100 { s = N(1) } | face = s; if face != nil { x = face.get() }"},
	{"new interface", "| face = N(2); x = 3"},
	{"assertion", "| var s S = N(4); if y > 100 { s = &pt }; if n, k := s.(N); k { x = int(n) }; if _, k := s.(*T); !k { y = 2 }"},
	{"type switch", "| var e any = 3; if y > 100 { e = &st }; switch v := e.(type) { case string: y = 1; case S: z = v.get(); case int: x = v }"},
	{"other interface", "| blank = &st; if y > 100 { blank = 1 }; s := blank.(S); x = s.get()"},
	{"as an interface", "| var s S = N(x); if y > 100 { s = nil }; var e any = s; if e != nil { x = int(e.(N)) }"},
	{"method", "var s S = U{}; if x > 100 { s = &st }; y = s.get() | x = 1"},
	{"pieces", "pt.d[0] = 2; pt.d[1] = int16(y) | pt.d[0] = 5; d := pt.d; x = int(d[0]) + int(d[1])"},
}

// TestBodies has programs go off their paths into all that the interpreter has. Every witness has
// to be accepted and to be a race, and each program has to have one.
func TestBodies(t *testing.T) {
	l := progtest.NewLoader()
	for _, body := range bodies {
		t.Run(body.name, func(t *testing.T) {
			p, err := l.Load(body.source())
			if err != nil {
				t.Fatal(err)
			}
			truth := p.Explore(200_000)
			n, silent, whole := 0, 0, 0
			ends := map[string]int64{}
			for seed := range uint64(12) {
				run, err := p.Record(seed)
				if err != nil {
					t.Fatal(err)
				}
				builder := races(t, body.name, p, run, nil, func(f *found) {
					n++
					silent += len(f.alt.Assumes)
					x, err := f.check()
					if err != nil {
						t.Errorf("run %d: %v%s", seed, err, steps(f.alt))
						return
					}
					list, _ := f.needed(x)
					whole = max(whole, len(list))
					a, b := &f.w.Events[f.pair.A], &f.w.Events[f.pair.B]
					if q := progtest.PairOf(a.Site, b.Site); truth.Exhausted && !truth.Has(q) {
						t.Errorf("run %d: no race: %s", seed, p.Describe(q))
					}
				})
				for why, k := range builder.Counts().Ends {
					ends[why] += k
				}
			}
			t.Logf("%d witnesses of up to %d steps, %d assumptions, exhausted %v", n, whole, silent, truth.Exhausted)
			if n == 0 {
				t.Errorf("no witness; %v", ends)
			}
		})
	}
}
