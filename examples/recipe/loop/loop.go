// Package loop is the running example of RECIPE's technical part: Figure 1 with a loop that the trace unrolls.
package loop

import "github.com/presage-race/presage/examples/recipe/inorder"

var x, y int

func t1() {
	s := 0
	for i := 1; i < 3; i++ {
		s += i
	}
	y = s // race(4-7, predicted)
	x = 1 // race(5-8, by-value) // race(5-10, by-path)
	y = 5 // race(6-7, predicted)
}

func t2() {
	if y > 2 { // race(4-7, predicted) // race(6-7, predicted)
		println(x + 1) // race(5-8, by-value)
	} else {
		println(x + 2) // race(5-10, by-path)
	}
}

// Run runs t1, then t2.
func Run() {
	x, y = 0, 0
	inorder.Run(t1, t2)
}
