// Package fig3 is RECIPE's Figure 3, and Heap Invariant of its technical part: a field of an object that another read found.
//
// Line 7 reads the field of the object that line 6 has read. It races with line 5, which comes after line 4, from which line 6
// reads. If line 6 read from line 3, line 7 would be an access to the other object: there it races with line 8, which
// the figure does not have, and which needs the base object relaxed.
package fig3

import "github.com/presage-race/presage/examples/recipe/inorder"

type obj struct{ f int }

var (
	y = new(obj)
	w int
)

func t1() {
	x1 := new(obj)
	x2 := new(obj)
	y = x1   // race(3-6, predicted)
	y = x2   // race(4-6, predicted)
	x2.f = 5 // race(5-7, predicted)
	x1.f = 6 // race(8-7, base)
}

func t2() {
	z := y  // race(3-6, predicted) // race(4-6, predicted)
	w = z.f // race(5-7, predicted) // race(8-7, base)
}

// Run runs t1, then t2.
func Run() { inorder.Run(t1, t2) }
