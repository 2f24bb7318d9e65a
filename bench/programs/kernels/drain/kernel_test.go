// Package drain is a pool of two workers that count their jobs in one variable. In most runs one
// worker takes all jobs, and the other one finds a closed and empty queue.
package drain

import (
	"sync"
	"sync/atomic"
	"testing"
)

func run(job func()) {
	queue := make(chan int, 3)
	for i := range 3 {
		queue <- i
	}
	close(queue)
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			for range queue {
				job()
			}
		})
	}
	wg.Wait()
}

func TestDrain(t *testing.T) {
	done := 0
	run(func() {
		done++ // race
	})
	if done > 3 {
		t.Error(done)
	}
}

func TestDrainFixed(t *testing.T) {
	var done atomic.Int32
	run(func() { done.Add(1) })
	if done.Load() != 3 {
		t.Error(done.Load())
	}
}
