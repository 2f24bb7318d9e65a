// Package guard is an example of RECIPE's technical part: every branch before an access must stay, not only the one around it.
//
// Line 6 is reached only if the branch of line 1 was not taken, that is after line 9, which comes after line 8: lines 6 and 8 do not
// race, although the branch around line 6 reads no shared variable.
package guard

import "github.com/presage-race/presage/examples/recipe/inorder"

var sx, sy int

func t1() {
	tmp := 0
	if sx > 3 { // race(1-9, predicted)
		tmp = 5
	}
	if tmp != 5 {
		sy = 0 // race(6-10, predicted)
	}
}

func t2() {
	sy = 1
	sx = 0 // race(1-9, predicted)
	sy = 2 // race(6-10, predicted)
}

// Run runs t2, then t1.
func Run() {
	sx, sy = 4, 0
	inorder.Run(t2, t1)
}
