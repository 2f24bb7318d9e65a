// Command encoder has a json.Encoder of two goroutines, whose writer fails.
package main

import (
	"encoding/json"
	"io"
	"sync"
)

type item struct {
	Name string
	Next *item
}

type broken struct{}

func (broken) Write(p []byte) (int, error) { return 0, io.ErrClosedPipe }

func main() {
	e := json.NewEncoder(broken{})
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() { e.Encode(item{Name: "a", Next: &item{Name: "b"}}) })
	}
	wg.Wait()
}
