package main

import "sync"

var (
	mu         sync.Mutex
	rw         sync.RWMutex
	once       sync.Once
	cond       = sync.NewCond(&mu)
	first      = sync.OnceFunc(func() { x++ })
	second     = sync.OnceValue(func() int { return y })
	ch         = make(chan int, 2)
	m          = map[int]int{1: 2}
	wg         sync.WaitGroup
	x, y, done int
)

func set() { y = 3 }

func w() {
	a := 1
	if mu.TryLock() {
		x = 1
		if mu.TryLock() {
			x = 2
		}
		mu.Unlock()
	}
	if rw.TryRLock() {
		if !rw.TryLock() {
			y = len(ch)
		}
		rw.TryRLock()
		rw.RUnlock()
		rw.RUnlock()
	}
	if rw.TryLock() {
		if rw.TryRLock() {
			y = cap(ch)
		}
		rw.Unlock()
	}
	once.Do(set)
	once.Do(func() { x = a })
	first()
	a = second()
	first()
	if v, ok := m[1]; ok {
		a += v + m[2]
	}
	m[a&3] = a
	delete(m, 2)
	a = len(m)
	ch <- a
	mu.Lock()
	done++
	cond.Signal()
	mu.Unlock()
	cond.Broadcast()
	wg.Done()
}

func main() {
	wg.Add(1)
	go w()
	mu.Lock()
	for done < 1 {
		cond.Wait()
	}
	mu.Unlock()
	once.Do(set)
	var own sync.Once
	own.Do(func() { x = len(ch) })
	other := sync.OnceFunc(set)
	other()
	wg.Wait()
	if len(ch) == cap(ch) || len(m) > 1 {
		x = <-ch
	}
}
