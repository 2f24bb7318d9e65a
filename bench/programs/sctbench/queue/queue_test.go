//go:build sctbench

// Package queue is queue_bad: as circular_buffer_bad, with a queue and a list of what was put into
// it.
package queue

import (
	"sync"
	"testing"

	"github.com/presage-race/presage/bench/programs/sctbench/thread"
)

func TestQueue(t *testing.T) {
	const size = 20
	var mu sync.Mutex
	var queue []int
	var stored [size]int
	enqueues, dequeues := true, false
	enqueue := func(i, v int) {
		queue = append(queue, v)
		stored[i] = v
	}
	producer := func() {
		value := 7
		mu.Lock()
		enqueue(0, value)
		mu.Unlock()
		for i := range size - 1 {
			mu.Lock()
			if enqueues {
				value++
				enqueue(i+1, value)
				enqueues, dequeues = false, true
			}
			mu.Unlock()
		}
	}
	consumer := func() {
		for i := range size {
			mu.Lock()
			if dequeues {
				got := queue[0]
				queue = queue[1:]
				if got != stored[i] {
					t.Errorf("BUG: %d, want %d", got, stored[i])
				}
				enqueues, dequeues = true, false
			}
			mu.Unlock()
		}
	}
	thread.Run(producer, consumer)
}
