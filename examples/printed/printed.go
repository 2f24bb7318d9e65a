// Package printed: a race hidden by what is printed.
//
// Both goroutines format and print. Inside, that takes buffers from a pool, the lock of the file, and the time zone once, so the race detector sees
// an order between the two. Nobody waits for anybody there, but what the second one does with the first one's buffer only a run can tell. (Package
// piped is where somebody waits.)
package printed

import (
	"fmt"
	"log"
	"sync"
	"time"
)

type meter struct {
	reading int
	done    sync.WaitGroup
}

func (m *meter) measure() {
	defer m.done.Done()
	m.reading = 42 // race(reading, replayed)
	log.Print("measured")
}

func (m *meter) show() {
	defer m.done.Done()
	time.Sleep(20 * time.Millisecond)
	log.Print("shown soon")
	text := fmt.Sprintf("at %d", time.Now().Year())
	log.Print(text)
	_ = m.reading // race(reading, replayed)
}

// Run measures and shows.
func Run() int {
	m := &meter{}
	m.done.Add(2)
	go m.measure()
	go m.show()
	m.done.Wait()
	return m.reading
}
