// Package order holds the ways in which one access comes before another.
package order

import (
	"sync"
	"sync/atomic"
)

func Group() {
	var wg sync.WaitGroup
	parts := make([]int, 8)
	sum := 0
	for i := range parts {
		wg.Add(1)
		go func() {
			defer wg.Done()
			parts[i] = i
		}()
	}
	wg.Wait()
	for _, p := range parts {
		sum += p
	}
	_ = sum
}

func Early() {
	var wg sync.WaitGroup
	n, m := 0, 0
	wg.Go(func() { n++ })
	wg.Add(1)
	go func() {
		wg.Done()
		m++ // want "early"
	}()
	wg.Wait()
	n++
	m++ // want "early"
}

func Chain() {
	x := 0
	a, b := make(chan int), make(chan int)
	go func() {
		<-a
		x++
		b <- 1
	}()
	x++
	a <- 1
	<-b
	x++
}

func Counted() {
	x, y := 0, 0
	c := make(chan int, 2)
	go func() { x++; c <- 1 }()
	go func() { y++; c <- 1 }() // want "counted"
	<-c
	y++ // want "counted"
	<-c
	x++
}

func Once() {
	var once sync.Once
	n := 0
	f := func() {
		once.Do(func() { n = 1 })
		_ = n
	}
	go f()
	go f()
	f()
}

func Flag() {
	var ready atomic.Bool
	data, more := 0, 0
	go func() {
		data = 1
		ready.Store(true)
		more = 1 // want "flag"
	}()
	if ready.Load() {
		_ = data
		_ = more // want "flag"
	}
}

func Broken() {
	n := 0
	var a int32
	done := make(chan bool)
	go func() {
		n++                    // want "broken"
		atomic.AddInt32(&a, 1) // want "plain"
		close(done)
	}()
	n++   // want "broken"
	_ = a // want "plain"
	<-done
}
