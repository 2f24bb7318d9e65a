// Command alive starts a million goroutines. Ten thousand of them are alive at a time that have all
// accessed memory and taken a lock, and will do so again: unlike those of churn, most of which have
// not begun to run.
package main

import (
	"fmt"
	"os"
	"strconv"
	"sync"
)

func main() {
	const alive = 10_000
	all := 1_000_000
	if len(os.Args) > 1 {
		all, _ = strconv.Atoi(os.Args[1])
	}
	var wake [alive]chan struct{}
	var mu sync.Mutex
	sum := 0
	var wg sync.WaitGroup
	for i := range all + alive {
		place := &wake[i%alive]
		if *place != nil {
			*place <- struct{}{}
		}
		if i >= all {
			continue
		}
		c := make(chan struct{})
		*place = c
		wg.Add(1)
		go func() {
			defer wg.Done()
			x := &[]int{i, 1}
			mu.Lock()
			sum += (*x)[1]
			mu.Unlock()
			<-c
			mu.Lock()
			sum += (*x)[1]
			mu.Unlock()
		}()
	}
	wg.Wait()
	fmt.Println(sum)
}
