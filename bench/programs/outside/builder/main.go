// Command builder has a strings.Builder that two goroutines write to.
package main

import (
	"fmt"
	"strings"
	"sync"
)

func main() {
	var s strings.Builder
	var wg sync.WaitGroup
	wg.Go(func() {
		var mine strings.Builder
		for range 5 {
			mine.WriteString("mine")
		}
		s.WriteString("a")
	})
	wg.Go(func() { s.WriteString("b") })
	wg.Wait()
	fmt.Println(s.Len())
}
