package cases

import (
	"flag"
	"fmt"
	"io"
	"os"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"
)

type inner struct{ a, b int }

type outer struct {
	mu   sync.Mutex
	n    int64
	in   inner
	list []inner
	row  [4]string
	next *outer
	f    func()
	w    io.Writer
	m    map[string]*outer
}

type twin struct{ a, b int }

var total int

// m:
func nothing(o *outer) int { return 3 }

// m: cases.outer.n
func locks(o *outer) { o.mu.Lock(); o.n++; o.mu.Unlock() }

// m:
func atomics(o *outer) { atomic.AddInt64(&o.n, 1) }

// m: cases.inner.b cases.outer.in
func nested(o *outer) { o.in.b = 1 }

// m: cases.inner? cases.outer.in
func whole(o *outer) inner { return o.in }

// m: cases.inner.a cases.outer.list?
func elements(o *outer) { o.list[1].a++ }

// m: [2]=24 cases.outer.row
func constant(o *outer) { o.row[2] = "" }

// m: =24 cases.outer.row
func variable(o *outer, i int) { o.row[i] = "" }

// m: =2 cases.inner.a cases.outer.in
func global() { total++ }

// m: cases.inner.a
func pointer(p *inner) { q := &p.a; helper(q) }

func helper(p *int) { recorded(p) }

func recorded(p *int) { *p = 1 }

// m:
func fresh() *outer {
	o, list := &outer{n: 1}, make([]inner, 3)
	o.in.a, list[1].a = 2, 3
	return o
}

// m: cases.outer.m? map?
func maps(o *outer) *outer { return o.m["x"] }

// m: =2 cases.inner.a cases.outer.in
func grows(s []int) []int { return append(s, 1) }

// m: call cases.outer.f?
func calls(o *outer) { o.f() }

// m: call
func given(f func()) { f() }

// m: .Write cases.outer.w?
func invokes(o *outer) { o.w.Write(nil) }

// m: *
func made(o *outer) { o.w = os.Stdout; o.w.Write(nil) }

// m: call
func received(c chan func()) { f := <-c; f() }

// m: call
func receivedAll(c chan func()) {
	for f := range c {
		f()
	}
}

// m: .Write call
func selected(c chan func(), d chan io.Writer) {
	select {
	case f, ok := <-c:
		if ok {
			f()
		}
	case w := <-d:
		w.Write(nil)
	}
}

// m: *
func opened() { f := opener(); f() }

func opener() func() { return nil }

// m:
func prints(o *outer, n int) { fmt.Println("n", n) }

// m: *
func printsAny(x any) { fmt.Println(x) }

// m: =2 cases.inner.a cases.outer.in
func library(s []int) { sort.Ints(s) }

// m:
func text(s string) string { return strings.ToUpper(s) }

// m: *
func unsafely(p *int) uintptr { return uintptr(unsafe.Pointer(p)) }

// m: *
func renamed(p *inner) *twin { return (*twin)(p) }

// m: *
func generic[T any](p *T) T { return *p }

type box[T any] struct {
	n   int
	val T
}

// m: cases.box.n?
func genericField(b *box[string]) int { return b.n }

// m: struct.x?
func anonymous(p *struct{ x, y int }) int { return p.x }

// m: =22? cases.outer.n
func closure(o *outer) func() { return func() { o.n++ } }

// m: cases.outer.n cases.outer.next?
func method(o *outer) func() { return o.next.bump }

func (o *outer) bump() { o.n++ }

// m: *
func printsOwn() { fmt.Println(&counter{}) }

type counter struct{}

func (*counter) String() string { return *(*string)(unsafe.Pointer(&total)) }

// m: =1 =2 cases.inner.a cases.outer.in
func sorts(list counters) { sort.Sort(list) }

type counters []bool

func (c counters) Len() int           { return len(c) }
func (c counters) Less(i, j int) bool { total++; return false }
func (c counters) Swap(i, j int)      {}

// m: =1 call
func sortsBy(list []bool, less func(i, j int) bool) { sort.Slice(list, less) }

// m: call
func once(o *sync.Once, f func()) { o.Do(f) }

// m: =2 [1]=2 cases.inner.a cases.outer.in
func toArray(list []int) { (*[2]int)(list)[1] = 1 }

// m: =14 =2 call cases.inner.a cases.outer.in
func returned(o *outer, f func() *float64) { *f() = 1; *within(o) = 1 }

func within(o *outer) *int { return &o.in.a }

type deep struct{ at deeper }
type deeper struct{ x float64 }

// m: call cases.deep.at cases.deeper.x
func handed(f func() *deeper) { f().x = 1 }

func gives(d *deep) *deeper { return &d.at }

type event struct {
	value any
	at    fmt.Stringer
}

// What is put into an interface and has no method can not be called.
//
// m: call cases.event.value
func boxes(e *event, f func()) { e.value = 1; f() }

// m: call cases.event.at
func boxesOther(e *event, f func()) { e.at = time.Duration(1); f() }

// m: *
func boxesCalled(e *event) string { e.value = time.Duration(1); return e.at.String() }

// m: call cases.event.value
func boxesAny(e *event, f func()) { e.value = boxed(); f() } // nothing makes a function of it

// m: *
func boxesAsserted(e *event, f func()) { e.value = boxed(); f(); _, _ = e.value.(func()) }

// m: *
func boxesElsewhere(e *event, f func()) { e.value = boxed(); f(); assertsValue(e) }

func assertsValue(e *event) { _, _ = e.value.(func()) }

func boxed() any { return time.Duration(1) }

// m: *
func boxesFunc(e *event, f func()) { e.value = time.AfterFunc; f() }

// m: *
func boxesInside(e *event, f func()) { e.value = struct{ x any }{e.value}; f() }

type opaque[T any] struct {
	p *T
	v T
}

type chain struct{ head *ring }

type ring struct {
	val  int
	next *ring
}

// Others may have changed what the function has made, once they have it (D7).
//
// m: cases.chain.head cases.ring.next? cases.ring.val
func published(c *chain) { n := &ring{}; c.head = n; recorded(nil); n.next.val = 1 }

// m: cases.chain.head cases.ring? cases.ring.val
func publishedWhole(c *chain) { n := &ring{}; c.head = n; recorded(nil); r := *n; r.next.val = 1 }

// m: cases.chain.head cases.ring.next? cases.ring.val
func publishedAndGiven(c *chain) {
	n := &ring{next: c.head.next}
	c.head = n
	recorded(nil)
	n.next.val = 1
}

// m: cases.ring.val
func unpublished(p *ring) { var r ring; r.next = p; r.next.val = 1 }

// m: *
func publishedGeneric[T any](o *opaque[T]) { p := new(T); o.p = p; recorded(nil); o.v = *p }

// Nothing says which methods a value of a type parameter has.
//
// m: *
func heldMethod[T interface{ run() }](h *struct{ v T }) { h.v.run() }

// m: *
func heldValue[T interface{ run() }](h *struct{ v T }) { f := h.v.run; f() }

// m: *
func heldBoxed[T interface{ run() }](h *struct{ v T }) { interface{ run() }(h.v).run() }

// m: *
func heldExpression[T interface{ run() }](h *struct{ v T }) { T.run(h.v) }

// m: *
func heldLater[T interface{ run() }](h *struct{ v T }) { defer h.v.run() }

// m: *
func heldIndex[T interface{ run() }](h []T) {
	for _, v := range h {
		v.run()
	}
}

// m: *
func heldMap[T interface{ run() }](h map[int]T) { h[1].run() }

// m: *
func heldFunc[T func()](h *struct{ v T }) { h.v() }

// m: *
func heldTwice[T interface{ run() }](h *struct{ v T }) { g := func() { h.v.run() }; g() }

// m: *
func heldMade() { f := io.Writer(os.Stdout).Write; f(nil) }

// What is loaded of memory that the function has made, and nobody else can have used since, is a way (D16).
//
// m: cases.chain.head cases.ring.next~ cases.ring.val
func unshared(c *chain) { n := &ring{}; c.head = n; n.next.val = 1 }

// m: cases.chain.head cases.ring.next~
func eachUnshared(c *chain) {
	for range 3 {
		n := &ring{}
		n.next = n
		c.head = n
		recorded(nil)
	}
}

// m: cases.ring.val?
func givenAway() int { n := &ring{}; recordedRing(n); return n.val }

func recordedRing(*ring) {}

// m: cases.ring.val?
func givenAwayEarlier() int { n := &ring{}; p := &n.val; recordedRing(n); return *p }

// m: =9?
func givenElements() uint16 { s := make([]uint16, 3); keeps(s); return s[1] }

func keeps([]uint16) {}

// m: *
func sentAway(c chan *ring, f func()) int { n := &ring{}; c <- n; f(); return n.val }

// m: cases.ring.next? cases.ring.val?
func sentAndReturned(c chan *ring) int { n := &ring{}; c <- n; <-c; return n.next.val }

// What a package keeps may lead to what is left out (D5).
//
// m: *
func setsFlag() { flag.Set("a", "b") }

// m:
func asksFiles() bool { _, err := os.Lstat("a"); return err == nil }
