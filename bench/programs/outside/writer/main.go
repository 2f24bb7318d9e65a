// Command writer has a bufio.Writer of two goroutines.
package main

import (
	"bufio"
	"io"
	"sync"
)

func main() {
	w := bufio.NewWriter(io.Discard)
	var wg sync.WaitGroup
	wg.Go(func() { w.WriteString("hello"); w.Flush() })
	wg.Go(func() { w.WriteByte('x') })
	wg.Wait()
}
