// Package useaftersend: a message is changed after it was sent.
//
// The send orders what came before it. What the sender does to the message afterwards
// is ordered with the receiver by luck, here by a mutex that guards something else.
package useaftersend

import (
	"sync"
	"time"
)

type job struct{ retries int }

// Run sends a job and goes on to use it.
func Run() int {
	var (
		mu   sync.Mutex
		log  [2]bool
		jobs = make(chan *job, 1)
		done = make(chan int)
	)
	go func() {
		j := <-jobs
		time.Sleep(20 * time.Millisecond)
		mu.Lock()
		log[0] = true
		mu.Unlock()
		done <- j.retries // race(retries)
	}()
	j := &job{retries: 1}
	jobs <- j
	j.retries = 2 // race(retries)
	mu.Lock()
	log[1] = true
	mu.Unlock()
	return <-done
}
