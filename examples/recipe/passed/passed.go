// Package passed has values that others pass on: a goroutine reads what depends on who is first at
// a lock, and another one, which waits for it, branches on what it has left. The order of the two is
// the same in every execution, and the value is not.
package passed

import (
	"sync"

	"github.com/presage-race/presage/examples/recipe/inorder"
)

var (
	mu            sync.Mutex
	state         int
	result, total int
	u, v, r       int
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
	u = 1 // race(closed, by-path)
	set(1)
}

func t2() {
	done := make(chan struct{})
	go func() {
		result = get()
		close(done)
	}()
	<-done
	if result == 0 {
		r = u // race(closed, by-path)
	}
}

func t3() {
	v = 1 // race(waited, by-path)
	set(1)
}

func t4() {
	var wg sync.WaitGroup
	wg.Add(1)
	go func() {
		defer wg.Done()
		total = get()
	}()
	wg.Wait()
	if total == 0 {
		r = v // race(waited, by-path)
	}
}

// Run runs t1, then t2; then t3, then t4.
func Run() {
	state, result, total, u, v, r = 0, 0, 0, 0, 0, 0
	inorder.Run(t1, t2)
	set(0)
	inorder.Run(t3, t4)
}
