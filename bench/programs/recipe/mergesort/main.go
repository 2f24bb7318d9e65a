// Command mergesort is ConTest's mergesort: a sorter starts goroutines for its halves as long as fewer than five are alive (Figure 7 of RECIPE).
//
// The known bug: who asks how many are alive holds the lock of the class, who changes it that of the sorter.
package main

import (
	"fmt"
	"slices"
	"sync"
	"time"
)

const total = 5

// pool is what the original has in static fields.
type pool struct {
	class sync.Mutex
	alive int
}

func (p *pool) available() int {
	p.class.Lock()
	defer p.class.Unlock()
	return total - p.alive
}

type sorter struct {
	mu    sync.Mutex
	pool  *pool
	array []int
}

// sort sorts the array, each half in a goroutine of its own if there is one to be had.
func (s *sorter) sort() {
	if len(s.array) < 2 {
		return
	}
	half := len(s.array) / 2
	left, right := &sorter{pool: s.pool, array: s.array[:half]}, &sorter{pool: s.pool, array: s.array[half:]}
	var wg sync.WaitGroup
	y := s.pool.available()
	if y <= 0 {
		left.sort()
		right.sort()
	} else if y == 1 {
		wg.Add(1)
		go left.run(&wg, 0)
		s.mu.Lock()
		s.pool.alive++
		s.mu.Unlock()
		right.sort()
	} else {
		wg.Add(2)
		go left.run(&wg, 2*time.Millisecond)
		s.mu.Lock()
		s.pool.alive++
		s.mu.Unlock()
		go right.run(&wg, 0)
		s.mu.Lock()
		s.pool.alive++
		s.mu.Unlock()
	}
	wg.Wait()
	s.merge(left.array, right.array)
}

// run sorts in a goroutine of its own. The pause makes the right half be the one that finds the free places, as in the paper.
func (s *sorter) run(wg *sync.WaitGroup, pause time.Duration) {
	defer wg.Done()
	time.Sleep(pause)
	s.sort()
}

func (s *sorter) merge(a, b []int) {
	out := make([]int, 0, len(a)+len(b))
	for len(a) > 0 && len(b) > 0 {
		if a[0] <= b[0] {
			out, a = append(out, a[0]), a[1:]
		} else {
			out, b = append(out, b[0]), b[1:]
		}
	}
	out = append(append(out, a...), b...)
	//lint:ignore S1001 each element is an access of its own
	for i, x := range out {
		s.array[i] = x
	}
}

func main() {
	array := make([]int, 20)
	for i := range array {
		array[i] = i * 7 % len(array)
	}
	p := &pool{alive: 1}
	(&sorter{pool: p, array: array}).sort()
	fmt.Println("sorted", slices.IsSorted(array), "alive", p.alive)
}
