// Package swap has CompareAndSwap off the recorded path: it succeeds where it finds the value that it compares with, and else does not,
// and what follows is executed for both.
package swap

import (
	"sync"
	"sync/atomic"

	"github.com/presage-race/presage/examples/recipe/inorder"
)

var (
	mu         sync.Mutex
	state      int
	owner      atomic.Int32
	v, w, x, r int
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
	v = 1 // race(won, by-path)
	owner.Store(3)
	w = 1 // race(lost, by-path)
	owner.Store(0)
	x = 1 // race(again, by-path)
	set(1)
}

func t2() {
	if get() == 1 {
		return
	}
	if owner.CompareAndSwap(0, 2) {
		r = v // race(won, by-path)
		if owner.CompareAndSwap(2, 0) {
			r = x // race(again, by-path)
		}
	} else {
		r = w // race(lost, by-path)
	}
}

// Run runs t1, then t2.
func Run() {
	state, v, w, x, r = 0, 0, 0, 0, 0
	owner.Store(0)
	inorder.Run(t1, t2)
}
