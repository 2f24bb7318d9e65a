// Package cases holds functions of a package that is left out. The comment of each is how many levels of memory it touches, counted from what it is given (D11); 0: any.
package cases

import (
	"sort"
	"strings"
	"sync"
	"time"
)

type node struct {
	next, prev *node
	list       *list
	val        any
	f          func()
}

type list struct {
	mu   sync.Mutex
	root node
	len  int
	m    map[string]*node
	all  []*node
	ch   chan *node
}

var head *node

func recorded(n *node) *node { return n }

// l: 1
func own(l *list) int { return l.len }

// l: 1
func address(n *node) bool { return n.list != nil && n.next != &n.list.root }

// l: 2
func second(n *node) any { return n.next.val }

// l: 3
func third(n *node) any { return n.next.next.val }

// l: 2
func variable() any { return head.val }

// l: 2
func inMap(l *list) *node { return l.m["a"] }

// l: 3
func behindMap(l *list) any { return l.m["a"].val }

// l: 3
func behindSlice(l *list) any { return l.all[1].val }

// l: 3
func boxed(n *node) any { return n.val.(*node).val }

// What it has linked is as far as what it was linked to.
//
// l: 2
func insert(e, at *node) {
	e.prev = at
	e.next = at.next
	e.prev.next = e
	e.next.prev = e
}

// A store may put what is far into what is near.
//
// l: 0
func shortens(n *node) any {
	n.next = n.next.next.next
	return n.next.val
}

// l: 3
func copied(l, k *list) any {
	copy(l.all, k.all)
	return l.all[0].val
}

// l: 0
func keeps(n *node) any {
	x := &node{}
	x.next = n.next.next.next
	return x.next.val
}

// l: 3
func appended(l *list) any {
	var all []*node
	all = append(all, l.all...)
	return all[0].val
}

// l: 0
func loops(n *node) (k int) {
	for ; n != nil; n = n.next {
		k++
	}
	return k
}

// l: 0
func recurs(n *node) int {
	if n == nil {
		return 0
	}
	return 1 + recurs(n.next)
}

// l: 1
func counts(l *list) (k int) {
	for range l.len {
		k++
	}
	return k
}

func nextOf(n *node) *node { return n.next }

// Whoever calls it, what it returns is as far.
//
// l: 0
func calls(n *node) any { return nextOf(nextOf(n)).val }

// l: 3
func defers(n *node) {
	defer func() { n.next.val = nil }()
}

// l: 3
func literal(n *node) any {
	get := func(x *node) any { return x.next.val }
	return get(n.next)
}

// Who waits may find what others have put there meanwhile.
//
// l: 0
func locks(l *list) any {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.root.next.val
}

// l: 1
func locksNear(l *list) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.len
}

// l: 1
func receives(n *node, ch chan *node) { n.next = <-ch }

// l: 1
func receivesFar(l *list) { l.root.next = <-l.ch }

// l: 1
func callsBack(n *node) any { return recorded(n).val }

// l: 0
func callsBackFar(n *node) any {
	recorded(n)
	return n.next.val
}

// l: 0
func unknown(n *node) { n.f() }

// l: 0
func starts(n *node) { go own(n.list) }

// l: 0
func recovers(n *node) any {
	n.val = 1
	return recover()
}

// l: 0
func sorts(l *list) { sort.Slice(l.all, func(i, j int) bool { return true }) }

// l: 1
func library(l *list, s string) {
	l.len = strings.Index(s, "x") + time.Now().Second()
}

type pair[T any] struct {
	val  T
	next *pair[T]
}

// l: 2
func generic[T any](p *pair[T]) T { return p.next.val }
