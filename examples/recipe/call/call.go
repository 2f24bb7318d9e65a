// Package call is Method Calls of RECIPE's technical part: a value passes through the argument and the result of a virtual call.
package call

import "github.com/presage-race/presage/examples/recipe/inorder"

type doubler interface{ double(y1 int) int }

type class struct{}

func (*class) double(y1 int) int {
	i := y1
	i2 := 2 * i
	return i2
}

var (
	o       doubler = &class{}
	y, v, r int
)

func t1() {
	y = 1 // race(1-4, predicted)
	v = 1 // race(2-5, by-value)
	y = 3 // race(3-4, predicted)
}

func t2() {
	x := o.double(y) // race(1-4, predicted) // race(3-4, predicted)
	if x > 1 {
		r = v // race(2-5, by-value)
	}
}

// Run runs t1, then t2.
func Run() { inorder.Run(t1, t2) }
