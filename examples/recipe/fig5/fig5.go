// Package fig5 is RECIPE's Figure 5: what the relaxation reaches, and what it does not.
//
// Line 6 may read from line 4 instead of line 5, so 5 and 7 race by value. Line 3 reads a base object, and RECIPE keeps it reading
// from line 2. If it may read from line 1, or from before it, lines 2 and 1 race with line 8 too.
package fig5

import "github.com/presage-race/presage/examples/recipe/inorder"

type obj struct{ f int }

var (
	o1, o2 obj
	p      *obj
	y      int

	field int
	base  *obj
)

func t1() {
	p = &o1 // race(1-3, predicted) // race(1-8, base)
	p = &o2 // race(2-3, predicted) // race(2-8, base)
	y = 3   // race(4-6, predicted)
	y = 5   // race(5-6, predicted) // race(5-7, by-value)
}

func t2() {
	field = p.f // race(1-3, predicted) // race(2-3, predicted)
	base = p    // race(1-8, base) // race(2-8, base)
	if y > 2 {  // race(4-6, predicted) // race(5-6, predicted)
		field += y // race(5-7, by-value)
	}
}

// Run runs t1, then t2.
func Run() {
	p = new(obj)
	inorder.Run(t1, t2)
}
