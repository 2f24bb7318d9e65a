// Command churn starts a million goroutines, ten thousand of which are alive at a time.
package main

import (
	"fmt"
	"sync"
)

func main() {
	const all, alive = 1_000_000, 10_000
	room := make(chan struct{}, alive)
	var mu sync.Mutex
	sum := 0
	var wg sync.WaitGroup
	for i := range all {
		room <- struct{}{}
		wg.Add(1)
		go func() {
			defer wg.Done()
			x := []int{i, i + 1}
			mu.Lock()
			sum += x[0] & 1
			mu.Unlock()
			<-room
		}()
	}
	wg.Wait()
	fmt.Println(sum)
}
