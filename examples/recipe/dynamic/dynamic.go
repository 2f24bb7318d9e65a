// Package dynamic has calls off the recorded path whose function is a value: a closure that was made before, one that is made there, a function, a
// method of what an interface holds. Each is known, so what it does is known as well. (The paper pins the callee, and ends there.)
package dynamic

import (
	"sync"

	"github.com/presage-race/presage/examples/recipe/inorder"
)

type sink interface{ put(n int) }

type pile struct{ sum int }

func (p *pile) put(n int) { p.sum = n } // race(method, by-path)

type level int

func (l level) put(n int) { r = n + int(l) }

type worker struct {
	done func(n int)
	out  sink
}

var (
	mu               sync.Mutex
	state            int
	u, v, w, x, y, r int
	heap             = new(pile)
	job              worker
)

func set(n int) {
	mu.Lock()
	state = n
	mu.Unlock()
}

func get() int {
	mu.Lock()
	defer mu.Unlock()
	return state
}

func twice(n int) { r = 2*n + w } // race(function, by-path)

func t1() {
	v = 1        // race(closure, by-path)
	w = 1        // race(function, by-path)
	heap.sum = 1 // race(method, by-path)
	x = 1        // race(type, by-path)
	y = 1        // race(return, by-path)
	u = 1        // race(deferred, by-path)
	set(1)
}

// prepare makes what t2 calls.
func prepare(k int) worker {
	return worker{done: func(n int) { r = v + k*n }, out: heap} // race(closure, by-path)
}

func t2() {
	job = prepare(3)
	run := job.run
	n := run()
	if n == 0 {
		r = y // race(return, by-path)
	}
}

// run leaves its path: it returns to who called it through a value.
func (j worker) run() int {
	n := get()
	if n == 1 {
		return n
	}
	j.done(n)
	f := twice
	if n > 4 {
		f = func(int) {}
	}
	f(n)
	j.out.put(n)
	leave(n)
	switch out := j.out.(type) {
	case level:
		r = int(out)
	case *pile:
		r = x // race(type, by-path)
	}
	return n
}

func leave(n int) {
	last := func() { r = u } // race(deferred, by-path)
	if n > 4 {
		last = func() {}
	}
	defer last()
	r = n
}

// Run runs t1, then t2.
func Run() {
	heap, job, state = new(pile), worker{out: level(2)}, 0
	u, v, w, x, y, r = 0, 0, 0, 0, 0, 0
	inorder.Run(t1, t2)
}
