// Package closure has values that pass through calls of function values, closures and methods of interfaces, and branches in what is called.
package closure

import (
	"sync"

	"github.com/presage-race/presage/examples/recipe/inorder"
)

type filter interface {
	keep(n int) bool
}

type above struct{ limit int }

func (a above) keep(n int) bool { return n > a.limit }

type all []filter

func (fs all) keep(n int) bool {
	for _, f := range fs {
		if !f.keep(n) {
			return false
		}
	}
	return true
}

var (
	mu         sync.Mutex
	n          int
	v, w, x, r int
)

func set(k int) {
	mu.Lock()
	n = k
	mu.Unlock()
}

func get() int {
	mu.Lock()
	defer mu.Unlock()
	return n
}

// apply is a call of a function value.
func apply(f func(int) int, k int) int { return f(k) }

func t1() {
	v = 1 // race(v, by-value)
	w = 1 // race(w, by-path)
	x = 1
	set(7)
}

func t2() {
	var f filter = all{above{-1}, &above{-2}}
	add := 3
	k := get()
	if f.keep(k) { // with 0 as well
		r = v // race(v, by-value)
	}
	if k = apply(func(m int) int { return m + add }, k); k == 3 { // with 0
		r = w // race(w, by-path)
	}
	if k == 10 { // only after x = 1
		r = x
	}
}

// Run runs t1, then t2.
func Run() { inorder.Run(t1, t2) }
