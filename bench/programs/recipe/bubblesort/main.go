// Command bubblesort is ConTest's bubble sort: 25 bubbles rise through one array at once.
//
// The known bug: a bubble swaps under its own lock, which is no other's; and it notes in a common plain flag that it swapped.
package main

import (
	"fmt"
	"slices"
	"sync"
)

const bubbles = 25

// sorter is what the original has in static fields.
type sorter struct {
	array   [bubbles + 1]int
	swapped bool
	ended   int
	count   sync.Mutex // of ended
}

type bubble struct {
	mu sync.Mutex
	s  *sorter
}

func (b *bubble) swapConsecutive(i int) {
	b.mu.Lock()
	if b.s.array[i] > b.s.array[i+1] {
		x := b.s.array[i]
		b.s.array[i] = b.s.array[i+1]
		b.s.array[i+1] = x
		b.s.swapped = true
	}
	b.mu.Unlock()
}

func (b *bubble) run() {
	for i := range len(b.s.array) - 1 {
		b.swapConsecutive(i)
	}
	b.s.count.Lock()
	b.s.ended++
	b.s.count.Unlock()
}

func main() {
	s := &sorter{}
	for i := range s.array {
		s.array[i] = i * 7 % len(s.array)
	}
	var wg sync.WaitGroup
	for range bubbles {
		b := &bubble{s: s}
		wg.Add(1)
		go func() {
			defer wg.Done()
			b.run()
		}()
	}
	wg.Wait()
	fmt.Println("ended", s.ended, "swapped", s.swapped, "sorted", slices.IsSorted(s.array[:]))
}
