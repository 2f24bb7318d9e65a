// Command random has a math/rand.Rand of two goroutines.
package main

import (
	"fmt"
	"math/rand"
	"sync"
)

func main() {
	r, own := rand.New(rand.NewSource(1)), rand.New(rand.NewSource(2))
	own.Intn(3)
	var wg sync.WaitGroup
	sums := make([]int, 2)
	for i := range sums {
		wg.Go(func() { sums[i] = r.Intn(10) })
	}
	wg.Wait()
	fmt.Println(sums)
}
