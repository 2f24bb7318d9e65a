// Package lateadd has a WaitGroup whose Add is in the goroutine that it counts. The parent has a
// request to make, so in most runs the child has called Add and Done before the parent is done.
// Otherwise Wait returns without it.
package lateadd

import (
	"sync"
	"testing"
)

// request asks a server and waits for the answer.
func request() {
	server := make(chan chan int)
	go func() {
		for answer := range server {
			answer <- 1
		}
	}()
	for range 20 {
		answer := make(chan int)
		server <- answer
		<-answer
	}
	close(server)
}

func TestLateadd(t *testing.T) {
	var wg sync.WaitGroup
	total := 0
	child := func() {
		wg.Add(1)
		defer wg.Done()
		total = 1 // race
	}
	wg.Go(func() {
		go child()
		request()
	})
	wg.Wait()
	t.Log(total) // race
}

func TestLateaddFixed(t *testing.T) {
	var wg sync.WaitGroup
	total := 0
	wg.Go(func() {
		wg.Go(func() { total = 1 })
		request()
	})
	wg.Wait()
	t.Log(total)
}
