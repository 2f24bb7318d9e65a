// Package flush is a buffer whose flush iterates over the map that it has read under the lock. If
// the flush runs first it finds nothing; if it runs last the lock orders it. The race needs a flush
// between two additions.
package flush

import (
	"sync"
	"testing"
)

type buffer struct {
	mu      sync.Mutex
	pending map[string]int
}

func (b *buffer) add(key string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.pending[key]++ // race
}

func (b *buffer) flush() (sum int) {
	b.mu.Lock()
	pending := b.pending
	empty := len(pending) == 0
	b.mu.Unlock()
	if empty {
		return 0
	}
	for _, n := range pending { // race
		sum += n
	}
	return sum
}

// take is flush with the defect repaired: the map that it iterates over is its own.
func (b *buffer) take() (sum int) {
	b.mu.Lock()
	pending := b.pending
	b.pending = make(map[string]int)
	b.mu.Unlock()
	for _, n := range pending {
		sum += n
	}
	return sum
}

func TestFlush(t *testing.T)      { run((*buffer).flush) }
func TestFlushFixed(t *testing.T) { run((*buffer).take) }

func run(flush func(*buffer) int) {
	b := &buffer{pending: make(map[string]int)}
	done := make(chan int)
	go func() { done <- flush(b) }()
	b.add("a")
	b.add("b")
	<-done
}
