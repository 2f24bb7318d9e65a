// Package fig2 is RECIPE's Figure 2, its running example: the branch rests on a value that is computed.
//
// Line 8 reads 2, so x is 12. With the 3 of line 1 it would be 13, and the branch of line 10 the same: 2 and 11 race.
package fig2

import "github.com/presage-race/presage/examples/recipe/inorder"

type obj struct{ f int }

var s1, s2 = new(obj), new(obj)

func t1() {
	s1.f = 3 // race(1-8, predicted)
	s2.f = 1 // race(2-11, by-value)
	s1.f = 2 // race(3-8, predicted)
}

func t2() {
	w := new(obj)
	w.f = 10
	z := w.f
	y := s1.f // race(1-8, predicted) // race(3-8, predicted)
	x := y + z
	if x > 11 {
		s2.f = x // race(2-11, by-value)
	}
}

// Run runs t1, then t2.
func Run() { inorder.Run(t1, t2) }
