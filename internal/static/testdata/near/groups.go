// Package near has programs in which what a rule asks nearly holds, each beside its repaired twin.
package near

import (
	"fmt"
	"sync"
)

// Reuse reads while the second use of the WaitGroup is under way (BE2).
func Reuse(n int) {
	var wg sync.WaitGroup
	var mu sync.Mutex
	first, total := 0, 0
	for range n {
		wg.Add(1)
		go func() {
			defer wg.Done()
			mu.Lock()
			first++
			mu.Unlock()
		}()
	}
	wg.Wait()
	for range n {
		wg.Add(1)
		go func() {
			defer wg.Done()
			mu.Lock()
			total++ // want "total"
			mu.Unlock()
		}()
	}
	fmt.Println(first)
	fmt.Println(total) // want "total"
	wg.Wait()
	fmt.Println(total)
}

// AddInside adds to the WaitGroup in the goroutine (SY6).
func AddInside(names []string) int {
	var wg sync.WaitGroup
	late, early := 0, 0
	var mu sync.Mutex
	for range names {
		wg.Add(1)
		go func() {
			defer wg.Done()
			mu.Lock()
			early++
			mu.Unlock()
		}()
	}
	wg.Wait()
	var other sync.WaitGroup
	for range names {
		go func() {
			other.Add(1)
			defer other.Done()
			mu.Lock()
			late++ // want "late"
			mu.Unlock()
		}()
	}
	other.Wait()
	return early + late // want "late"
}

// Gate opens for goroutines that wait already: its Add and its Done are in one goroutine.
func Gate(n int) {
	var gate, wg sync.WaitGroup
	gate.Add(1)
	start := 0
	for range n {
		wg.Add(1)
		go func() {
			defer wg.Done()
			gate.Wait()
			fmt.Println(start)
		}()
	}
	start = n
	gate.Done()
	wg.Wait()
}
