// Package stored has maps that are filled after they were stored (SY3), slices that are cut and filled again, and a table that is taken out while others
// read it (SY3).
package stored

import "sync"

// Broker fills its map after it has said that it is ready.
type Broker struct {
	mu    sync.Mutex
	ready chan struct{}
	conns map[string]int
	safe  map[string]int
}

// Connect makes the maps.
func (b *Broker) Connect(names []string) {
	b.mu.Lock()
	b.conns = map[string]int{} // want "field"
	b.safe = map[string]int{}
	b.mu.Unlock()
	close(b.ready)
	for i, n := range names {
		b.conns[n] = i // want "conns" "field"
		b.mu.Lock()
		b.safe[n] = i
		b.mu.Unlock()
	}
}

// Lookup waits for the maps.
func (b *Broker) Lookup(k string) int {
	<-b.ready
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.conns[k] + b.safe[k]
}

// Batch hands out what is pending, and fills the same memory again.
type Batch struct {
	mu      sync.Mutex
	pending []int
	other   []int
}

// Add appends.
func (b *Batch) Add(n int) {
	b.mu.Lock()
	b.pending = append(b.pending, n) // want "pending"
	b.other = append(b.other, n)
	b.mu.Unlock()
}

// Flush sums up what it has taken.
func (b *Batch) Flush() (sum int) {
	b.mu.Lock()
	batch, other := b.pending, b.other
	b.pending = b.pending[:0]
	b.other = nil
	b.mu.Unlock()
	for _, n := range batch {
		sum += n // want "pending"
	}
	for _, n := range other {
		sum += n
	}
	return sum
}
