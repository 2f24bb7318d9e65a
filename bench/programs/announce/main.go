// Command announce writes to shared memory from several goroutines and says on standard
// output what it has written, each line after the writes it speaks of.
package main

import (
	"fmt"
	"os"
	"sync"
)

var cells [4]int

func main() {
	var mu sync.Mutex
	for g := range cells {
		go func() {
			for n := 1; ; n++ {
				cells[g] = 4*n + g // the value identifies the element
				if n%100 == 0 {
					mu.Lock()
					fmt.Fprintln(os.Stdout, g, n)
					mu.Unlock()
				}
			}
		}()
	}
	select {}
}
