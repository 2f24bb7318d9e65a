// Package shutdown is a queue with one worker. Its shutdown drops a job that is not taken, and does
// not wait for one that is. In most runs the worker has not begun; the race needs a shutdown while
// the worker is at its last job.
package shutdown

import (
	"sync"
	"testing"
)

type queue struct {
	mu     sync.Mutex
	jobs   []int
	closed bool
	busy   sync.WaitGroup // used by the repaired version only
	last   int
}

// take returns the next job, if there is one and the queue is open.
func (q *queue) take(wait bool) (job int, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed || len(q.jobs) == 0 {
		return 0, false
	}
	job, q.jobs = q.jobs[0], q.jobs[1:]
	if wait {
		q.busy.Add(1)
	}
	return job, true
}

func (q *queue) work() {
	for {
		job, ok := q.take(false)
		if !ok {
			return
		}
		q.last = job // race
	}
}

func (q *queue) shutdown() int {
	q.mu.Lock()
	q.closed = true
	q.mu.Unlock()
	return q.last // race
}

func TestShutdown(t *testing.T) {
	q := &queue{jobs: []int{1, 2}}
	var wg sync.WaitGroup
	wg.Go(q.work)
	q.shutdown()
	wg.Wait()
}

func (q *queue) workFixed() {
	for {
		job, ok := q.take(true)
		if !ok {
			return
		}
		q.last = job
		q.busy.Done()
	}
}

func (q *queue) shutdownFixed() int {
	q.mu.Lock()
	q.closed = true
	q.mu.Unlock()
	q.busy.Wait()
	return q.last
}

func TestShutdownFixed(t *testing.T) {
	q := &queue{jobs: []int{1, 2}}
	var wg sync.WaitGroup
	wg.Go(q.workFixed)
	q.shutdownFixed()
	wg.Wait()
}
