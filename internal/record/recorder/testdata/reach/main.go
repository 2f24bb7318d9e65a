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
	fmt.Println()
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

// typed: what an atomic pointer has is followed by its type, what a pool keeps and the nodes of a map whatever it is.
func typed() {
	presagert.Traced("\nmain\n")
	n, wide := &node{any: word()}, make([]uint64, 9000) // 72000 bytes: more than a word of a set says
	x := n.any.(*uint64)
	var p struct{ p atomic.Pointer[node] }
	p.p.Store(n)
	thrice("atomic pointer", &p, ps{at(&p), at(n), at(x)}, nil)
	var m sync.Map
	m.Store(1, n)
	thrice("nodes of a map", &m, ps{at(n), at(x)}, nil)
	thrice("wide", &[]any{wide}, ps{at(&wide[0]), at(&wide[8999])}, nil)
	keep = append(keep, n, &p, &m, wide)
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
	typed()
	rings()
	halves()
	churn()
	long, other := list(), word()
	call("too much", long, ps{at(long), at(long.next), at(other)}, nil)
	runtime.KeepAlive(keep)
}
