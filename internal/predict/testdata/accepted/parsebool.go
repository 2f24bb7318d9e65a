package main

import (
	"strconv"
	"sync"
)

var (
	wg   sync.WaitGroup
	x, y int
	v    = "b"
)

// The program may end when w1 has read the pointer of one string and the length of another, and has
// not decided yet.
func w1() {
	if l, err := strconv.ParseBool(v); err == nil && l {
		x = 1
	}
	wg.Done()
}

func w2() {
	v = "1"
	y = x
	wg.Done()
}

func main() {
	wg.Add(2)
	go w1()
	go func() { w2() }()
	y = 2
	y = func() int { return y }()
}
