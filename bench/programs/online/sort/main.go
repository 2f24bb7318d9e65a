// Command sort sorts numbers by parallel merging.
package main

import (
	"fmt"
	"math/rand/v2"
	"sync"
)

func main() {
	r := rand.New(rand.NewPCG(1, 2))
	a := make([]int, 1<<20)
	for i := range a {
		a[i] = r.IntN(1 << 30)
	}
	sort(a, make([]int, len(a)), 3)
	for i := range a[1:] {
		if a[i] > a[i+1] {
			panic("not sorted")
		}
	}
	fmt.Println(len(a))
}

func sort(a, b []int, depth int) {
	if len(a) < 16 {
		for i := 1; i < len(a); i++ {
			for j := i; j > 0 && a[j-1] > a[j]; j-- {
				a[j-1], a[j] = a[j], a[j-1]
			}
		}
		return
	}
	m := len(a) / 2
	if depth > 0 {
		var wg sync.WaitGroup
		wg.Add(1)
		go func() {
			defer wg.Done()
			sort(a[:m], b[:m], depth-1)
		}()
		sort(a[m:], b[m:], depth-1)
		wg.Wait()
	} else {
		sort(a[:m], b[:m], 0)
		sort(a[m:], b[m:], 0)
	}
	copy(b, a)
	merge(a, b[:m], b[m:])
}

func merge(to, a, b []int) {
	i, j := 0, 0
	for k := range to {
		if j == len(b) || i < len(a) && a[i] <= b[j] {
			to[k] = a[i]
			i++
		} else {
			to[k] = b[j]
			j++
		}
	}
}
