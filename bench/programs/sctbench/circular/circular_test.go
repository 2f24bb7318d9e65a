//go:build sctbench

// Package circular is circular_buffer_bad: a sender and a receiver take turns at a buffer, but
// count their tries, not their turns.
package circular

import (
	"sync"
	"testing"

	"github.com/presage-race/presage/bench/programs/sctbench/thread"
)

func TestCircularBuffer(t *testing.T) {
	const n, size = 7, 10
	var mu sync.Mutex
	var buffer [size]int
	first, next := 0, 0
	send, receive := true, false
	sender := func() {
		for i := range n {
			mu.Lock()
			if send {
				buffer[next] = i
				next = (next + 1) % size
				send, receive = false, true
			}
			mu.Unlock()
		}
	}
	receiver := func() {
		for i := range n {
			mu.Lock()
			if receive {
				if got := buffer[first]; got != i {
					t.Errorf("BUG: %d, want %d", got, i)
				}
				first = (first + 1) % size
				send, receive = true, false
			}
			mu.Unlock()
		}
	}
	thread.Run(sender, receiver)
}
