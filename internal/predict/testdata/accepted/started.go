package main

import (
	"sync"
	"sync/atomic"
	"time"
)

var (
	wg      sync.WaitGroup
	mu      sync.Mutex
	x, y, z int
	f       int32
	once    sync.Once
	twice   sync.Once
	arr     [3]int
	sl      = arr[:2]
	v       = "b"
)

func w1() {
	if mu.TryLock() {
		if tm := time.AfterFunc(1, func() { x = 5 }); tm.Stop() {
			sl = arr[1:]
		}
		mu.Unlock()
	} else {
		f = 0
	}
	x = y
	wg.Done()
}

// Several paths have started the first timer's goroutine, and go on in different ways.
func w2() {
	a, b := 0, 2
	once.Do(func() {
		if "["+v+"]" == "[b]" {
			x = a
		}
	})
	if atomic.LoadInt32(&f) == 1 {
		time.AfterFunc(1, func() {
			if x > 0 {
				y = 1
			}
		})
		twice.Do(func() {
			time.AfterFunc(1, func() { x = 1 })
			b = y
		})
	}
	b = x
	_, _ = a, b
	wg.Done()
}

func w3() {
	x = sl[1] - y
	once.Do(func() { x = 1 })
	wg.Done()
}

func main() {
	wg.Add(3)
	go w1()
	go w2()
	go w3()
	arr[1] = 3
	wg.Wait()
}
