// Package waitgroup: a race hidden because Add, called inside the goroutine, came in time.
//
// Wait returns at once when the counter is zero. Here the worker has added and done
// before Wait looks, so Wait orders its write; had Wait been first, nothing would.
package waitgroup

import (
	"sync"
	"time"
)

type pool struct {
	workers sync.WaitGroup
	result  int
}

func (p *pool) begin() { p.workers.Add(1) }

// Run waits for a worker that registers itself.
func Run() int {
	p := &pool{}
	done := make(chan struct{})
	go func() {
		p.begin()     // the mistake: this belongs before the go statement
		p.result = 42 // race(result)
		p.workers.Done()
		close(done)
	}()
	time.Sleep(20 * time.Millisecond)
	p.workers.Wait()
	r := p.result // race(result)
	<-done
	return r
}
