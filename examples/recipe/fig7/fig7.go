// Package fig7 is RECIPE's Figure 7: the paths of mergesort, relaxed.
//
// Two sorters run, three of five threads are alive. The second takes both free entries, so the first finds none and starts
// nothing. Had it looked between lines 9 and 11, it would have found one: line 5, which it has not executed, races with line 1 of a
// child of the second. Lines 5, 9 and 11 hold the sorter's own lock, line 1 that of the class. Had it looked before line 9, it
// would have gone the way of the second, so that lines 9 and 11 of the two race with each other.
package fig7

import (
	"sync"
	"time"

	"github.com/presage-race/presage/examples/recipe/inorder"
)

const total = 5

var (
	alive int
	class sync.Mutex
)

type sorter struct{ mu sync.Mutex }

func available() int {
	class.Lock()
	n := total - alive // race(1-5, by-path) // race(1-9, predicted) // race(1-11, predicted)
	class.Unlock()
	return n
}

// child is a sorter that does not get to more than line 1. The pause lets its parent's neighbour look first.
func child() {
	time.Sleep(40 * time.Millisecond)
	available()
}

func (s *sorter) sort() {
	y := available()
	if y == 0 {
		return
	} else if y == 1 {
		go child()
		s.mu.Lock()
		alive++ // race(1-5, by-path) // race(5-11, by-path)
		s.mu.Unlock()
	} else {
		go child()
		s.mu.Lock()
		alive++ // race(1-9, predicted) // race(9-9, by-path) // race(9-11, by-path)
		s.mu.Unlock()
		go child()
		s.mu.Lock()
		alive++ // race(1-11, predicted) // race(5-11, by-path) // race(9-11, by-path) // race(11-11, by-path)
		s.mu.Unlock()
	}
}

// Run runs the second sorter, then the first, then the children.
func Run() {
	var s1, s2 sorter
	alive = 3
	inorder.Run(s2.sort, s1.sort)
	time.Sleep(80 * time.Millisecond)
}
