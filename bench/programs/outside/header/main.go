// Command header has an http.Header, a map, that one goroutine sets and another one reads.
package main

import (
	"fmt"
	"net/http"
	"sync"
)

func main() {
	h := http.Header{}
	h.Set("A", "b")
	var wg sync.WaitGroup
	wg.Go(func() {
		mine := http.Header{}
		mine.Set("X", "y")
		h.Set("B", "c")
	})
	wg.Go(func() { fmt.Println(h.Get("A")) })
	wg.Wait()
}
