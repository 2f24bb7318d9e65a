// Package aliases holds what may be the same memory.
package aliases

func Elements() {
	var a [4]int
	s := make([]int, 4)
	done := make(chan bool)
	go func() {
		a[0] = 1
		a[1] = 1 // want "element"
		s[2] = 1
		done <- true
	}()
	a[1]++ // want "element"
	a[2]++
	s[3] = 2
	<-done
}

type tree struct {
	left, right *tree
	n           int
}

func Fields(t *tree) {
	go func() { t.left.n++ }()
	t.right.n++
	t.n++
}

func Whole() {
	var t tree
	go func() { t.n = 1 }() // want "whole"
	t = tree{}              // want "whole"
}

func Maps(m map[string]int) {
	go func() { m["a"] = 1 }() // want "map"
	_ = m["b"]                 // want "map"
}
