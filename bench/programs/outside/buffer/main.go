// Command buffer has a bytes.Buffer that fmt.Fprintf writes to in one goroutine, while another one
// writes a byte.
package main

import (
	"bytes"
	"fmt"
	"sync"
)

func main() {
	var b bytes.Buffer
	b.WriteString("start")
	var wg sync.WaitGroup
	wg.Go(func() {
		for range 3 {
			fmt.Fprintf(&b, "x%d", 1)
		}
	})
	wg.Go(func() { b.WriteByte('y') })
	wg.Wait()
	fmt.Println(b.Len())
}
