// Command soak makes and drops goroutines, maps, channels, mutexes and buffers for as long as its
// argument says, with garbage collections of its own. What is alive stays the same: 64 MiB.
package main

import (
	"fmt"
	"os"
	"runtime"
	"sync"
	"time"
)

type shop struct {
	mu    sync.RWMutex
	stock map[int][]byte
}

func main() {
	length := 5 * time.Second
	if len(os.Args) > 1 {
		d, err := time.ParseDuration(os.Args[1])
		if err != nil {
			panic(err)
		}
		length = d
	}
	s := &shop{stock: make(map[int][]byte)}
	const places, size = 1024, 64 << 10
	for i := range places {
		s.stock[i] = make([]byte, size)
	}
	rounds := 0
	for end := time.Now().Add(length); time.Now().Before(end); rounds++ {
		s.round(rounds, places, size)
		if rounds%50 == 0 {
			runtime.GC()
		}
	}
	fmt.Println(rounds, "rounds")
}

// round has 100 goroutines, in ten families, that replace some of the stock and talk over channels
// of their own.
func (s *shop) round(n, places, size int) {
	var wg sync.WaitGroup
	for f := range 10 {
		orders := make(chan int, f)
		done := make(chan map[int]int)
		for w := range 9 {
			wg.Add(1)
			go func() {
				defer wg.Done()
				seen := make(map[int]int)
				for i := range orders {
					s.mu.RLock()
					seen[i] = len(s.stock[i])
					s.mu.RUnlock()
					if w == i%9 {
						b := make([]byte, size)
						b[i] = byte(w)
						s.mu.Lock()
						s.stock[i] = b
						s.mu.Unlock()
					}
				}
				done <- seen
			}()
		}
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := range 40 {
				orders <- (n*40 + i*f) % places
			}
			close(orders)
			total := 0
			for range 9 {
				total += len(<-done)
			}
			if total > 40 {
				panic(total)
			}
		}()
	}
	wg.Wait()
}
