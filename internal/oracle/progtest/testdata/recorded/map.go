package main

import "sync"

var (
	sm   sync.Map
	x, y int
	wg   sync.WaitGroup
)

func w() {
	sm.Store(1, 7)
	if _, ok := sm.LoadOrStore(2, 3); ok {
		y = 4
	}
	x = 1
	wg.Done()
}

func main() {
	wg.Add(1)
	go w()
	if v, ok := sm.Load(1); ok {
		y = v.(int)
	}
	wg.Wait()
	sm.LoadAndDelete(2)
	sm.Load(2)
	sm.Delete(1)
	sm.Store(3, x)
	if v, ok := sm.LoadOrStore(3, 5); ok {
		y = v.(int) + x
	}
}
