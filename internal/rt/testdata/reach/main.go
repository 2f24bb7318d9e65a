// Reach gives the recorder values, and prints what their D must have and must not have.
package main

import (
	"fmt"
	"presagert"
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"
)

const begin, end = 50 << 56, 51 << 56

type node struct {
	next *node
	any  any
	pad  [4]uint64
	list []*uint64
}

type user interface{ use() }

func (n *node) use() {}

var (
	g       *presagert.G
	calls   uint64
	keep    []any
	counted uint64
	words   = [3]*uint64{new(uint64), nil, nil}
)

// call records a call that is given x. Each of in is an address that its D must have, each of out one that it must not have.
func call[T any](name string, x T, in, out []unsafe.Pointer) {
	calls++
	g.MethodBegin(begin|calls, calls)
	if masked {
		g.Within(mask)
	}
	presagert.Reach(g, x)
	g.MethodBegun(false)
	g.MethodEnd(end|calls, calls, 0)
	fmt.Print(calls, " ", name)
	for _, p := range in {
		fmt.Printf(" +%#x", uintptr(p))
	}
	for _, p := range out {
		fmt.Printf(" -%#x", uintptr(p))
	}
	for _, p := range read {
		fmt.Printf(" ?%#x", uintptr(p))
	}
	fmt.Println()
}

// mask is that of calls, if they have one.
var (
	mask   string
	masked bool
	read   []unsafe.Pointer // what D must have as memory that is only read
)

// reads is within where some is only read.
func reads[T any](text, name string, x T, only, in, out []unsafe.Pointer) {
	read = only
	within(text, name, x, in, out)
	read = nil
}

// within is thrice with a mask.
func within[T any](text, name string, x T, in, out []unsafe.Pointer) {
	mask, masked = text, true
	thrice(name, x, in, out)
	masked = false
}

// thrice calls three times: the third D is that of the second, kept.
func thrice[T any](name string, x T, in, out []unsafe.Pointer) {
	for range 3 {
		call(name, x, in, out)
	}
}

type ps = []unsafe.Pointer

func word() *uint64 { p := new(uint64); keep = append(keep, p); return p }

func at[T any](p *T) unsafe.Pointer { return unsafe.Pointer(p) }

func pointers() {
	n, m, other := new(node), new(node), new(node)
	keep = append(keep, n, m, other)
	n.next, m.next = m, n
	thrice("pointers", n, ps{at(n), at(&n.pad[3]), at(m)}, ps{at(other)})
	m.next = other // a traced write, or one of nobody: both are seen
	thrice("written", n, ps{at(n), at(m), at(other)}, nil)
	m.next = nil
	thrice("cut off", n, ps{at(n), at(m)}, ps{at(other)})
	runtime.GC()
	thrice("collected", n, ps{at(n), at(m)}, ps{at(other)})
	n.next = nil
	call("alone", n, ps{at(n)}, ps{at(m), at(other)})
	call("nil", (*node)(nil), nil, ps{at(n)})
}

// each: of all words of a set each is looked at.
func each() {
	r := new([11]*uint64)
	keep = append(keep, r)
	for i := range r {
		r[i] = word()
	}
	for range 20 {
		for i := range r {
			old := r[i]
			r[i] = word()
			call("each", r, ps{at(r), at(r[i])}, ps{at(old)})
		}
	}
}

func slices() {
	s := make([]*uint64, 2, 4)
	s[0], s[1] = word(), word()
	beyond := word()
	s[:4][3] = beyond
	thrice("slice", s, ps{at(&s[0]), at(&s[:4][3]), at(s[0]), at(s[1]), at(beyond)}, nil)
	part := make([]uint64, 8)
	thrice("part of an array", part[2:4:4], ps{at(&part[2]), at(&part[3])}, ps{at(&part[1]), at(&part[4])})
	n := &node{list: s[:1:1]}
	thrice("in a field", n, ps{at(n), at(&s[0]), at(s[0])}, ps{at(s[1])})
	n.list = s
	thrice("longer", n, ps{at(n), at(s[0]), at(s[1]), at(beyond)}, nil)
	thrice("array", [2]*uint64{s[0], nil}, ps{at(s[0])}, ps{at(s[1])})
	thrice("by value", *n, ps{at(s[0]), at(s[1])}, ps{at(n)})
	big := make([]*node, 300)
	for i := range big {
		big[i] = &node{any: word()}
	}
	keep = append(keep, s, part, n, big)
	thrice("large", big, ps{at(&big[0]), at(big[299]), at(big[299].any.(*uint64))}, nil)
	x := word()
	big[77].any = x
	thrice("large, written", big, ps{at(big[299]), at(x)}, nil)
}

func interfaces() {
	w, n := word(), new(node)
	thrice("interface", any(w), ps{at(w)}, ps{at(n)})
	thrice("methods", user(n), ps{at(n)}, nil)
	n.any = w
	thrice("in it", user(n), ps{at(n), at(w)}, nil)
	n.any = *n
	thrice("value", any(n), ps{at(n), at(w)}, nil)
	n.any = struct{ a, b *uint64 }{nil, w}
	thrice("another value", any(n), ps{at(n), at(w)}, nil)
	n.any = 3
	thrice("a number", any(n), ps{at(n)}, ps{at(w)})
	thrice("nil in it", any(nil), nil, ps{at(n)})
	keep = append(keep, n)
}

func maps() {
	m := map[int]*uint64{1: word()}
	thrice("map", m, ps{at(m[1])}, nil)
	w := word()
	m[2] = w
	thrice("inserted", m, ps{at(m[1]), at(w)}, nil)
	for i := range 3000 {
		m[i+10] = word()
	}
	thrice("grown", m, ps{at(m[1]), at(w), at(m[10]), at(m[3009])}, nil)
	m[2] = word()
	thrice("replaced", m, ps{at(m[1]), at(m[2])}, nil)
	k := map[*uint64]bool{w: true}
	thrice("keys", k, ps{at(w)}, ps{at(m[1])})
	keep = append(keep, m, k)
}

func channels() {
	c := make(chan *node, 2)
	n := new(node)
	thrice("channel", c, ps{*(*unsafe.Pointer)(unsafe.Pointer(&c))}, ps{at(n)})
	c <- n
	n.any = word()
	thrice("sent", c, ps{at(n), at(n.any.(*uint64))}, nil)
	<-c
	d := make(chan *node)
	started := make(chan bool)
	go func() { started <- true; d <- n }()
	<-started
	for range 100 {
		runtime.Gosched()
	}
	thrice("about to be sent", d, ps{*(*unsafe.Pointer)(unsafe.Pointer(&d)), at(n)}, nil)
	<-d
	thrice("received", d, ps{*(*unsafe.Pointer)(unsafe.Pointer(&d))}, ps{at(n)})
	keep = append(keep, c, d, n)
}

func closures() {
	w, n := word(), new(node)
	f := func() { n.any = *w }
	thrice("closure", f, ps{at(w), at(n)}, nil)
	x := word()
	n.any = x
	thrice("captured, written", f, ps{at(w), at(n), at(x)}, nil)
	thrice("function", closures, nil, ps{at(w)})
	keep = append(keep, f, n)
}

func untyped() {
	n, m := new(node), new(node)
	n.next = m
	thrice("unsafe", unsafe.Pointer(n), ps{at(n), at(&n.pad), at(m)}, nil)
	thrice("into it", unsafe.Pointer(&n.pad), ps{at(n), at(m)}, nil)
	n.next = nil
	thrice("unsafe, written", unsafe.Pointer(n), ps{at(n)}, ps{at(m)})
	thrice("a variable", &words, ps{at(&words[0]), at(words[0])}, nil)
	call("unsafe, a variable", unsafe.Pointer(&counted), ps{at(n), at(&counted)}, nil) // everything
	keep = append(keep, n, m)
}

// shared: what two objects lead to is a set of its own, and each depends on it.
func shared() {
	s := &node{any: word()}
	a, b := &node{next: s}, &node{next: s}
	thrice("shared", s, ps{at(s), at(s.any.(*uint64))}, ps{at(a)})
	thrice("a", a, ps{at(a), at(s), at(s.any.(*uint64))}, ps{at(b)})
	thrice("b", b, ps{at(b), at(s), at(s.any.(*uint64))}, ps{at(a)})
	old := s.any.(*uint64)
	s.any = word()
	thrice("a, below it written", a, ps{at(a), at(s), at(s.any.(*uint64))}, ps{at(old)})
	thrice("both", [2]*node{a, b}, ps{at(a), at(b), at(s), at(s.any.(*uint64))}, ps{at(old)})
	s.next = a // round in a circle
	thrice("circle", a, ps{at(a), at(s)}, ps{at(b)})
	thrice("circle from s", s, ps{at(a), at(s)}, ps{at(b)})
	chain := make([]*node, 60) // more sets than a call can name
	for i := range chain {
		chain[i] = new(node)
		if i > 0 {
			chain[i].next = chain[i-1]
		}
		thrice("chain", chain[i], ps{at(chain[0]), at(chain[i])}, ps{at(s)})
	}
	far := word()
	chain[0].any = far
	thrice("end of the chain", chain[59], ps{at(chain[0]), at(chain[30]), at(far)}, ps{at(s)})
	keep = append(keep, a, b, chain)
}

type inner struct{ a, b uint64 }

type outer struct {
	n    int
	in   inner
	next *outer
	row  [3]inner
	flag [2]bool
	what any
	mine struct{ x, y uint64 }
	m    map[int]*uint64
	c    chan *uint64
}

type box[T any] struct {
	pad, val T
	next     *box[T]
}

func masks() {
	type local struct{ a, b uint64 }
	w, l := word(), &local{}
	x := &outer{next: &outer{}, what: w, m: map[int]*uint64{1: word()}, c: make(chan *uint64, 1)}
	y := x.next
	m, c := *(*unsafe.Pointer)(unsafe.Pointer(&x.m)), *(*unsafe.Pointer)(unsafe.Pointer(&x.c))
	within("", "nothing", x, nil, ps{at(x), at(y), at(w)})
	within("\nmain.outer.n\n", "field", x, ps{at(&x.n), at(&y.n)}, ps{at(&x.in.a), at(&x.next), at(w)})
	within("\nmain.outer.next\n", "pointer", x, ps{at(&x.next), at(&y.next)}, ps{at(&x.n), at(&x.row)})
	within("\nmain.inner.b\nmain.outer.in\n", "field of a field", x, ps{at(&x.in.b), at(&y.in.b)}, ps{at(&x.in.a), at(&x.row[0].b), at(&x.n)})
	within("\nmain.inner.b\n", "not by this way", x, nil, ps{at(&x.in.b), at(&x.row[0].b)})
	within("\nmain.inner.b\nmain.outer.row\n", "in an array", x, ps{at(&x.row[0].b), at(&y.row[2].b)}, ps{at(&x.in.b), at(&x.n)})
	within("\n=1\nmain.outer.flag\n", "array", x, ps{at(&x.flag[0]), at(&y.flag[1])}, ps{at(&x.n), at(&x.what)})
	within("\n[1]=1\nmain.outer.flag\n", "element", x, ps{at(&x.flag[1]), at(&y.flag[1])}, ps{at(&x.flag[0]), at(&x.n)})
	within("\nmain.outer.flag\n", "array alone", x, nil, ps{at(&x.flag[0]), at(&y.flag[1])})
	within("\nmain.outer\n", "whole", x, ps{at(&x.n), at(&x.in.b), at(&y.c)}, ps{at(w)})
	within("\n=11\n", "kind", x, ps{at(w), at(x.m[1])}, ps{at(&x.n), at(&x.in.a), at(&x.mine.x)})
	within("\nmain.outer.mine\nstruct.y\n", "no name", x, ps{at(&x.mine.y)}, ps{at(&x.mine.x), at(&x.in)})
	within("\nmap\n", "map", x, ps{m}, ps{c, at(x.m[1]), at(&x.m)})
	within("\nmain.local.b\n", "of a function", l, ps{at(&l.b)}, ps{at(&l.a)})
	within("\nmain.local\n", "of a function, whole", any(l), ps{at(&l.a), at(&l.b)}, nil)
	s := make([]inner, 3, 5)
	within("\nmain.inner.a\n", "slice", s, ps{at(&s[0].a), at(&s[2].a)}, ps{at(&s[0].b)})
	big := make([]inner, 100)
	within("\nmain.inner.a\n", "large slice", big, ps{at(&big[0].a), at(&big[99].a)}, nil)
	words := make([]uint64, 3)
	within("\n=11\n", "slice of words", words, ps{at(&words[0]), at(&words[2])}, nil)
	within("\n=10\n=2\n", "another kind", words, nil, ps{at(&words[0])})
	b := &box[int]{next: &box[int]{}}
	d := &box[*uint64]{val: w}
	within("\nmain.box.val\n", "generic", b, ps{at(&b.val), at(&b.next.val)}, ps{at(&b.pad), at(&b.next)})
	within("\nmain.box.val\n", "another instance", d, ps{at(&d.val)}, ps{at(&d.pad), at(w)})
	within("\nmain.box.val\n=11\n", "and there", d, ps{at(&d.val), at(w)}, ps{at(&d.pad)})
	thrice("no mask", x, ps{at(x), at(y), at(w), m, c}, nil)
	pool, in := &sync.Pool{}, &inner{}
	pool.Put(in)
	within("\nmain.inner.a\n", "in a pool", pool, nil, ps{at(&in.a)})
	var atom struct{ p atomic.Pointer[inner] }
	atom.p.Store(in)
	within("\nmain.inner.a\n", "of an atomic pointer", &atom, ps{at(&in.a)}, ps{at(&in.b)})
	var trie sync.Map
	trie.Store(1, in)
	within("\nmain.inner.a\n", "in the nodes of a map", &trie, ps{at(&in.a)}, nil)
	keep = append(keep, x, l, s, big, words, b, d, pool, &atom, &trie)
}

type mixed struct {
	a, b uint64
	in   inner
	row  [3]uint64
	flag bool
	list []uint64
	next *mixed
	m    map[int]*uint64
}

// kinds: what is only read, and what is written, of the same things.
func kinds() {
	x := &mixed{list: make([]uint64, 2), next: &mixed{}, m: map[int]*uint64{1: word()}}
	y, m := x.next, *(*unsafe.Pointer)(unsafe.Pointer(&x.m))
	reads("\nmain.mixed.a?\n", "read", x, ps{at(&x.a), at(&y.a)}, nil, ps{at(&x.b)})
	reads("\nmain.mixed.a?\nmain.mixed.b\n", "read and written", x, ps{at(&x.a), at(&y.a)}, ps{at(&x.b), at(&y.b)}, ps{at(&x.in)})
	reads("\nmain.mixed.a\nmain.mixed.b?\nmain.mixed.flag?\n", "beside it", x, ps{at(&x.b), at(&y.flag)}, ps{at(&x.a), at(&y.a)}, ps{at(&x.in)})
	reads("\nmain.mixed?\n", "whole", x, ps{at(&x.a), at(&x.m), at(&y.in.b), at(&y.row[2])}, nil, ps{at(&x.list[0])})
	reads("\nmain.mixed.b\nmain.mixed?\n", "whole, one written", x, ps{at(&x.a), at(&x.in.a), at(&y.m)}, ps{at(&x.b), at(&y.b)}, nil)
	reads("\nmain.mixed.b?\nmain.mixed\n", "whole written", x, nil, ps{at(&x.b), at(&y.a)}, nil)
	reads("\nmain.inner.a\nmain.inner?\nmain.mixed.in\n", "in it", x, ps{at(&x.in.b)}, ps{at(&x.in.a)}, ps{at(&x.a)})
	reads("\nmain.inner.a\nmain.mixed.in\nmain.mixed?\n", "in a whole", x, ps{at(&x.in.b), at(&x.a)}, ps{at(&x.in.a)}, nil)
	reads("\n=11?\nmain.mixed.row\n", "elements", x, ps{at(&x.list[0]), at(&x.row[1])}, nil, ps{at(&x.a)})
	reads("\n=11?\n[1]=11\nmain.mixed.row\n", "one element", x, ps{at(&x.list[0]), at(&x.row[0]), at(&x.row[2])}, ps{at(&x.row[1])}, ps{at(&x.a)})
	reads("\n[0]=11\n[1]=11?\nmain.mixed.row\n", "two elements", x, ps{at(&x.row[1])}, ps{at(&x.row[0])}, ps{at(&x.row[2]), at(&x.list[0])})
	reads("\n=11\nmain.mixed.a?\n", "a field is no variable", x, ps{at(&x.a)}, ps{at(&x.list[0])}, ps{at(&x.b)})
	reads("\nmap?\n", "map", x, ps{m}, nil, ps{at(&x.m)})
	reads("\nmain.mixed.m?\nmap\n", "map, written", x, ps{at(&x.m)}, ps{m}, nil)
	large := make([]mixed, 100)
	reads("\nmain.mixed.a?\n", "large", large, ps{at(&large[0].a), at(&large[99].b)}, nil, nil)
	reads("\nmain.mixed.a?\nmain.mixed.b\n", "large, written", large, nil, ps{at(&large[0].a), at(&large[99].b)}, nil)
	reads("\nmain.mixed.a?\nmain.mixed.b\n", "not large", large[:9:9], ps{at(&large[0].a), at(&large[8].a)}, ps{at(&large[0].b), at(&large[8].b)}, ps{at(&large[9].a)})
	words := make([]uint64, 3)
	reads("\n=11?\n", "words", words, ps{at(&words[0]), at(&words[2])}, nil, nil)
	// two ways to one thing: a pointer to a field that is only read
	reads("\n=11\nmain.mixed.a?\n", "by a pointer", [2]any{x, &x.a}, ps{at(&y.a)}, ps{at(&x.a)}, nil)
	reads("\n=11\nmain.mixed.a?\n", "the pointer first", [2]any{&x.a, x}, ps{at(&y.a)}, ps{at(&x.a)}, nil)
	wide := make([]uint64, 9000) // 72000 bytes: more than a word of a set says
	reads("\n=11?\n", "wide", &[]any{wide}, ps{at(&wide[0]), at(&wide[8999])}, nil, nil)
	keep = append(keep, x, large, words, wide)
}

type hook struct{ to *tail }

type wide struct {
	pad  [200]byte
	link *tail
}

type tail struct {
	a           uint64
	link, other *tail
	in          hook
	shared      atomic.Pointer[tail]
	list        []*tail
	c           chan *tail
}

// ways: of a struct that a traced package declares a walk follows the fields that the mask has, and those that it names as ways (D16 of package footprint).
func ways() {
	presagert.Traced("\nmain\n")
	var y, z, i, s, l, c tail
	x := &tail{link: &y, other: &z, in: hook{&i}, list: []*tail{&l}, c: make(chan *tail, 1)}
	x.shared.Store(&s)
	x.c <- &c
	within("\nmain.tail.a\n", "no way", x, ps{at(&x.a), at(&s.a), at(&c.a)}, ps{at(&y.a), at(&z.a), at(&i.a), at(&l.a)})
	within("\nmain.tail.a\nmain.tail.link\n", "field", x, ps{at(&x.a), at(&y.a)}, ps{at(&z.a), at(&i.a), at(&l.a)})
	within("\nmain.tail.a\nmain.tail.link?\n", "field, read", x, ps{at(&x.a), at(&y.a)}, ps{at(&z.a), at(&i.a), at(&l.a)})
	within("\nmain.tail.a\nmain.tail.link~\n", "way", x, ps{at(&x.a), at(&y.a)}, ps{at(&x.link), at(&z.a), at(&i.a), at(&l.a)})
	within("\nmain.hook.to?\nmain.tail.a\n", "field of a field", x, ps{at(&x.a), at(&i.a)}, ps{at(&y.a), at(&z.a), at(&l.a)})
	within("\nmain.tail.a\nmain.tail.list?\n", "slice", x, ps{at(&x.a), at(&l.a)}, ps{at(&y.a), at(&z.a), at(&i.a)})
	within("\nmain.tail.a\nmain.tail~\n", "whole way", x, ps{at(&x.a), at(&y.a), at(&z.a), at(&i.a), at(&l.a)}, ps{at(&x.link)})
	within("\nmain.tail.a\n*~\n", "any way", x, ps{at(&x.a), at(&y.a), at(&z.a), at(&i.a), at(&l.a)}, ps{at(&x.link)})
	within("\nmain.tail?\nmain.tail.a\n", "whole", x, ps{at(&x.a), at(&y.a), at(&z.a), at(&i.a), at(&l.a)}, nil)
	copied := tail{link: &y}
	within("\nmain.tail.a\n", "in an interface", &[]any{copied}, ps{at(&y.a)}, nil)
	within("\nmain.tail.a\n", "in a map", map[int]tail{1: copied}, ps{at(&y.a)}, nil)
	within("\nmain.tail.a\n", "in a map that has pointers to it", map[int]wide{1: {link: &y}}, ps{at(&y.a)}, nil)
	keep = append(keep, x)
}

// churn has more objects than there are places for sets, and garbage collections in between.
func churn() {
	var head *node
	for i := range 9000 {
		n := &node{any: word()}
		if head != nil && i%7 != 0 {
			n.next = head
			head.next = nil
		}
		head = n
		in := ps{at(n), at(n.any.(*uint64))}
		if n.next != nil {
			in = append(in, at(n.next), at(n.next.any.(*uint64)))
		}
		call("churn", n, in, nil)
		if i%3 == 0 {
			call("churn", n, in, nil)
		}
		if i%1500 == 0 {
			keep = nil
			runtime.GC()
		}
	}
}

// rings are lists of which the elements change places: what is kept stays what it is, however the walk comes to it.
func rings() {
	r := new(node)
	all, last := ps{at(r)}, r
	for range 7 {
		last.next = new(node)
		last = last.next
		all = append(all, at(last))
	}
	last.next = r
	w := word()
	for range 17 { // another object may have the place of its set, and gives it up at the 16th call that wants it
		call("ring", r, all, ps{at(w)})
	}
	for range 5 {
		first := r.next
		r.next, first.next, last.next = first.next, r, first
		last = first
		call("moved", r, all, ps{at(w)})
		call("moved", r, all, ps{at(w)})
	}
	// What the walk from the first has come to, that from the second does not walk.
	for range 3 {
		first := r.next
		r.next, first.next, last.next = first.next, r, first
		last = first
		far := &node{next: r.next.next, any: w}
		keep = append(keep, far)
		call("two", struct{ a, b *node }{r, far}, append(ps{at(far), at(w)}, all...), nil)
		call("and one in it", struct{ a, b *node }{r, r.next.next.next}, all, ps{at(w), at(far)})
	}
	half := r
	for range 3 {
		half = half.next
	}
	rest := half.next
	half.next, last.next = r, rest // two rings: each is still pointed to as often
	in, out := ps{}, ps{}
	for n, i := r, 0; i < 4; n, i = n.next, i+1 {
		in = append(in, at(n))
	}
	for n, i := rest, 0; i < 4; n, i = n.next, i+1 {
		out = append(out, at(n))
	}
	thrice("split", r, in, out)
	thrice("split, both", [2]*node{r, rest}, all, nil)
	keep = append(keep, r, rest)
}

// list makes a list that is too much for a D.
func list() *node {
	first := new(node)
	keep = append(keep, first)
	for n, i := first, 0; i < 5000; n, i = n.next, i+1 {
		n.next = new(node)
		keep = append(keep, new(node)) // between them
	}
	return first
}

// halves: what is too much for one walk is not for two sets.
func halves() {
	long, other := list(), word()
	half := long
	for range 2500 {
		half = half.next
	}
	for range 17 { // as of a ring
		call("half", half, ps{at(half), at(half.next)}, ps{at(long), at(other)})
	}
	call("two halves", long, ps{at(long), at(half), at(half.next)}, nil)
}

// nothing are calls of code that touches nothing.
func nothing() {
	const unstamped = 1 << 5 << 48
	w := word()
	for range 3 {
		calls++
		g.MethodNothing(begin|unstamped|calls, calls)
		g.MethodEnd(end|unstamped|calls, calls, 0)
		fmt.Printf("%d nothing -%#x\n", calls, uintptr(at(w)))
		call("and something", w, ps{at(w)}, nil)
	}
}

func main() {
	g = presagert.Enter(56<<56 | 1)
	pointers()
	each()
	slices()
	interfaces()
	maps()
	channels()
	closures()
	untyped()
	shared()
	masks()
	kinds()
	rings()
	nothing()
	halves()
	churn()
	long, other := list(), word()
	call("too much", long, ps{at(long), at(long.next), at(other)}, nil)
	ways()
	runtime.KeepAlive(keep)
}
