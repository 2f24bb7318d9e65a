// Command sort is a parallel merge sort: goroutines split a slice of random numbers.
package main

import (
	"fmt"
	"math/rand"
	"sync"
)

const size = 300_000

func main() {
	r := rand.New(rand.NewSource(1))
	a := make([]int, size)
	for i := range a {
		a[i] = r.Intn(1 << 30)
	}
	sortInto(a, make([]int, size), 4)
	for i := 1; i < size; i++ {
		if a[i-1] > a[i] {
			panic("not sorted")
		}
	}
	fmt.Println(a[0], a[size-1])
}

// sortInto sorts a with buf as scratch, on two goroutines for depth more levels.
func sortInto(a, buf []int, depth int) {
	if len(a) < 2 {
		return
	}
	m := len(a) / 2
	if depth == 0 {
		sortInto(a[:m], buf[:m], 0)
		sortInto(a[m:], buf[m:], 0)
	} else {
		var wg sync.WaitGroup
		wg.Add(1)
		go func() {
			defer wg.Done()
			sortInto(a[:m], buf[:m], depth-1)
		}()
		sortInto(a[m:], buf[m:], depth-1)
		wg.Wait()
	}
	copy(buf, a)
	i, j := 0, m
	for k := range a {
		if j == len(a) || i < m && buf[i] <= buf[j] {
			a[k] = buf[i]
			i++
		} else {
			a[k] = buf[j]
			j++
		}
	}
}
