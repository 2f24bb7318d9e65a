// Command list has a container/list.List that two goroutines add to: one finds the element that the
// other has added.
package main

import (
	"container/list"
	"fmt"
	"sync"
)

func main() {
	l := list.New()
	var wg sync.WaitGroup
	for i := range 2 {
		wg.Go(func() {
			mine := list.New()
			for j := range 3 {
				mine.PushBack(j)
			}
			l.PushBack(i)
		})
	}
	wg.Wait()
	fmt.Println(l.Len())
}
