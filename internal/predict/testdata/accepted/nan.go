package main

import "sync"

var (
	wg      sync.WaitGroup
	mu      sync.Mutex
	x, y, z int
)

// The condition is false for each v: the quotient is not a number.
func w1() {
	mu.Lock()
	v := y
	mu.Unlock()
	if v != 0 {
		z = 1
		if func() bool { f := float64(v - v); return f/f < 1 }() {
			x = 1
		} else {
			x = 2
		}
	}
	wg.Done()
}

func w2() {
	mu.Lock()
	y = 1
	mu.Unlock()
	x, z = 3, 2
	wg.Done()
}

func main() {
	wg.Add(2)
	go w1()
	w2()
	wg.Wait()
}
