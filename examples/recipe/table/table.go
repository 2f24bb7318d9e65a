// Package table has an element of a slice of which both the slice and the index are read: another element is the same slice with another index, another slice
// with the same index, or both.
package table

import (
	"sync"

	"github.com/presage-race/presage/examples/recipe/inorder"
)

var (
	mu   sync.Mutex
	rows [2][]int
	row  []int
	at   int
	r    int
)

func set(s []int, n int) {
	mu.Lock()
	row, at = s, n
	mu.Unlock()
}

func get() ([]int, int) {
	mu.Lock()
	defer mu.Unlock()
	return row, at
}

func t1() {
	rows[0][0] = 1 // race(both, base)
	set(rows[0], 1)
	rows[0][1] = 1 // race(slice, base)
	set(rows[1], 0)
	rows[1][0] = 1 // race(index, base)
	set(rows[1], 1)
}

func t2() {
	s, n := get()
	r = s[n] // race(both, base) // race(slice, base) // race(index, base)
}

// Run runs t1, then t2.
func Run() {
	rows = [2][]int{make([]int, 2), make([]int, 2)}
	row, at = rows[0], 0
	inorder.Run(t1, t2)
}
