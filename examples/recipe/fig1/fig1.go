// Package fig1 is RECIPE's Figure 1: order that is not synchronisation.
//
// The reader comes last and takes the branch. It would also take it with the 3 of the first write, so lines 2 and 5 of the
// figure race; with the initial 0 it takes the other branch, so lines 2 and 7 do.
package fig1

import "github.com/presage-race/presage/examples/recipe/inorder"

var x, y, z, w int

func t1() {
	y = 3 // race(1-4, predicted)
	x = 1 // race(2-5, by-value) // race(2-7, by-path)
	y = 5 // race(3-4, predicted)
}

func t2() {
	if y > 2 { // race(1-4, predicted) // race(3-4, predicted)
		z = 1 + x // race(2-5, by-value)
	} else {
		w = 2 + x // race(2-7, by-path)
	}
}

// Run runs t1, then t2.
func Run() {
	x, y = 0, 0
	inorder.Run(t1, t2)
}
