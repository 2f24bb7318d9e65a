// Package condition: no race. A queue guarded by a mutex, with a sync.Cond to wait on.
package condition

import "sync"

type queue struct {
	mu    sync.Mutex
	cond  *sync.Cond
	items []int
}

func (q *queue) put(x int) {
	q.mu.Lock()
	q.items = append(q.items, x)
	q.mu.Unlock()
	q.cond.Signal()
}

func (q *queue) take() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.items) == 0 {
		q.cond.Wait()
	}
	x := q.items[0]
	q.items = q.items[1:]
	return x
}

// Run passes numbers through the queue.
func Run() int {
	q := &queue{}
	q.cond = sync.NewCond(&q.mu)
	go func() {
		for i := range 5 {
			q.put(i)
		}
	}()
	sum := 0
	for range 5 {
		sum += q.take()
	}
	return sum
}
