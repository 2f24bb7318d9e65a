package near

import "sync"

// queue gives out what it still has (SY3).
type queue struct {
	mu    sync.Mutex
	items []int
	taken []int
}

func (q *queue) keep() {
	q.mu.Lock()
	items := q.items
	q.items = items[:0]
	q.mu.Unlock()
	items[0] = 0 // want "kept"
}

func (q *queue) take() {
	q.mu.Lock()
	items := q.taken
	q.taken = nil
	q.mu.Unlock()
	items[0] = 0
}

func Queue() {
	q := &queue{items: make([]int, 8), taken: make([]int, 8)}
	for range 4 {
		go q.keep()
		go q.take()
	}
}
