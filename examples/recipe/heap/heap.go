// Package heap is the heap invariant of RECIPE's technical part, with writes: line 5 writes to the object that line 4 has read.
//
// It races with line 3, by the same object. It does not race with line 7, although it would write to that line's object if line 4 read from
// line 1: line 7 comes before line 1.
package heap

import "github.com/presage-race/presage/examples/recipe/inorder"

type obj struct{ f int }

var a *obj

func t1() {
	o1, o2 := new(obj), new(obj)
	o1.f = 1 // line 7
	a = o1   // race(1-4, predicted)
	a = o2   // race(2-4, predicted)
	o2.f = 5 // race(3-5, predicted)
}

func t2() {
	r := a // race(1-4, predicted) // race(2-4, predicted)
	if r != nil {
		r.f = 6 // race(3-5, predicted)
	}
}

// Run runs t1, then t2.
func Run() { inorder.Run(t1, t2) }
