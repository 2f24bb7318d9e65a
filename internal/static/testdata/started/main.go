// Main sets what goroutines read that it starts later. Another goroutine, which runs already, does not make that a race.
package main

import (
	"fmt"
	"sync"
)

var (
	limit   int
	verbose bool
	mu      sync.Mutex
	lines   []string
)

func flush() {
	mu.Lock()
	fmt.Println(len(lines), verbose) // want "verbose"
	mu.Unlock()
}

func work() { fmt.Println(limit, verbose) }

func setup() {
	limit = 10
	verbose = true // want "verbose"
}

func serve() {
	go work()
}

func main() {
	go flush()
	setup()
	serve()
}
