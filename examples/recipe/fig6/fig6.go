// Package fig6 is RECIPE's Figure 6: the values of bbuffer, relaxed.
//
// The branch of line 291 has read from line 400, and would go the same way without it.
package fig6

import "github.com/presage-race/presage/examples/recipe/inorder"

var n, taken int

func put() {
	n = 5 // race(400-291, predicted) // race(400-294, by-value)
}

func get() {
	if n > 0 { // race(400-291, predicted)
		taken = n // race(400-294, by-value)
	}
}

// Run runs put, then get.
func Run() {
	n = 3
	inorder.Run(put, get)
}
