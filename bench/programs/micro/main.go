// Command micro is the two small programs of Rajagopalan's thesis, Figures 5.1 and 5.3: goroutines
// that add to x under some locks again and again.
//
//	micro figure goroutines iterations locks
//
// In 5.1 the locks are common to all; in 5.3 each has its own, and main has written x before it
// starts each of them, so x races.
package main

import (
	"fmt"
	"os"
	"strconv"
	"sync"
)

var x int

func main() {
	if len(os.Args) != 5 {
		fmt.Fprintln(os.Stderr, "usage: micro 5.1|5.3 goroutines iterations locks")
		os.Exit(1)
	}
	var n [3]int
	for i := range n {
		n[i], _ = strconv.Atoi(os.Args[2+i])
	}
	goroutines, iterations := n[0], n[1]
	private := os.Args[1] == "5.3"
	common := make([]sync.Mutex, n[2])
	var wg sync.WaitGroup
	for range goroutines {
		locks := common
		if private {
			locks = make([]sync.Mutex, n[2])
			x++
		}
		wg.Add(1)
		go func() {
			defer wg.Done()
			for range iterations {
				for k := range locks {
					locks[k].Lock()
				}
				x++
				for k := range locks {
					locks[k].Unlock()
				}
			}
		}()
	}
	wg.Wait()
	fmt.Println(x)
}
