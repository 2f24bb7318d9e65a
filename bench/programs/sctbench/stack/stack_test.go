//go:build sctbench

// Package stack is stack_bad: a thread pops once a flag says that there is something, but the flag
// is not taken back.
package stack

import (
	"sync"
	"testing"

	"github.com/presage-race/presage/bench/programs/sctbench/thread"
)

func TestStack(t *testing.T) {
	const size = 10
	var mu sync.Mutex
	var stack []int
	filled := false
	push := func() {
		for i := range size {
			mu.Lock()
			stack = append(stack, i)
			filled = true
			mu.Unlock()
		}
	}
	pop := func() {
		for range size {
			mu.Lock()
			if filled {
				if len(stack) == 0 {
					t.Error("BUG: the stack is empty")
				} else {
					stack = stack[:len(stack)-1]
				}
			}
			mu.Unlock()
		}
	}
	thread.Run(push, pop)
}
