// Package compare has branches on comparisons of structs, arrays and interfaces: each goes the same way after the first of two writes as
// after the second, so what stands between the writes races with what the branch guards.
//
// Interfaces are compared by their type words as long as these differ; the pointers to what is in them say nothing then.
package compare

import (
	"errors"

	"github.com/presage-race/presage/examples/recipe/inorder"
)

type pair struct {
	a int64
	//lint:ignore U1000 it is compared
	b int64
}

type (
	code  int
	other int
)

func (code) Error() string  { return "code" }
func (other) Error() string { return "other" }

var (
	errStop = errors.New("stop")
	p       pair
	arr     [3]int16
	err     error
	x, y, z int
)

func t1() {
	p.a = 3        // race(1, predicted)
	x = 1          // race(2, by-value)
	p.a = 5        // race(3, predicted)
	arr[1] = 3     // race(4, predicted)
	y = 1          // race(5, by-value)
	arr[1] = 5     // race(6, predicted)
	err = code(3)  // race(8, predicted)
	z = 1          // race(7, by-value)
	err = other(5) // race(9, predicted)
}

func t2() {
	if v := p; v != (pair{}) { // race(1, predicted) // race(3, predicted)
		println(x) // race(2, by-value)
	}
	if v := arr; v != [3]int16{} { // race(4, predicted) // race(6, predicted)
		println(y) // race(5, by-value)
	}
	if err != errStop { // race(8, predicted) // race(9, predicted)
		println(z) // race(7, by-value)
	}
}

// Run runs t1, then t2.
func Run() {
	p, arr, err = pair{}, [3]int16{}, nil
	inorder.Run(t1, t2)
}
