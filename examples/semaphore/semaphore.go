// Package semaphore: a race hidden by a buffered channel used as a lock.
//
// The receive that frees a slot comes before the send that fills it again, so the first
// user is ordered before the second. Which of them is first is luck.
package semaphore

import "time"

// Run lets two goroutines through a semaphore; both use total outside of it.
func Run() int {
	sem := make(chan struct{}, 1)
	done := make(chan struct{})
	var total int
	go func() {
		total = 1 // race(total)
		sem <- struct{}{}
		<-sem
		close(done)
	}()
	time.Sleep(20 * time.Millisecond)
	sem <- struct{}{}
	<-sem
	total = 2 // race(total)
	<-done
	return total
}
