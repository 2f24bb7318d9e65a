// Package choice has select statements off the recorded path: each case is a way to go on, and so is the default, where the schedule allows it.
package choice

import (
	"sync"

	"github.com/presage-race/presage/examples/recipe/inorder"
)

var (
	mu            sync.Mutex
	state         int
	full, empty   chan int
	u, v, w, x, r int
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

func t1() {
	u = 1 // race(receives, by-path)
	v = 1 // race(sends, by-path)
	w = 1 // race(default, by-path)
	x = 1 // race(value, by-path)
	set(1)
}

func t2() {
	if get() == 1 {
		return
	}
	select {
	case n := <-full:
		r = u // race(receives, by-path)
		if n == 7 {
			r = x // race(value, by-path)
		}
	case n := <-empty:
		r = n
	}
	select {
	case full <- 1:
		r = v // race(sends, by-path)
	default:
		r = 0
	}
	select {
	case n := <-empty:
		r = n
	default:
		r = w // race(default, by-path)
	}
}

// Run runs t1, then t2.
func Run() {
	state, u, v, w, x, r = 0, 0, 0, 0, 0, 0
	full, empty = make(chan int, 1), make(chan int, 1)
	empty <- 7
	full <- <-empty
	inorder.Run(t1, t2)
}
