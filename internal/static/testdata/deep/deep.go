// Package deep has locks at the end of paths that are too long to be kept (PA2).
package deep

import "sync"

type queue struct {
	cond *sync.Cond
	down bool
	lost int
}

type worker struct{ queue *queue }

type server struct{ worker *worker }

func (q *queue) get() bool {
	q.cond.L.Lock()
	defer q.cond.L.Unlock()
	for !q.down {
		q.cond.Wait()
	}
	return q.down
}

func (q *queue) stop() {
	q.cond.L.Lock()
	defer q.cond.L.Unlock()
	q.down = true
	q.cond.Broadcast()
}

func (q *queue) lose() { q.lost++ } // want "lost"

func (s *server) Run() {
	defer s.worker.queue.stop()
	go func() {
		for !s.worker.queue.get() {
			s.worker.queue.lose()
		}
	}()
	s.worker.queue.lose()
}
