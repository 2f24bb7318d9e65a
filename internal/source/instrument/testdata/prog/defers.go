package main

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
)

func init() { subjects["defers"] = defers }

func named(x int) (n int, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("recovered %v", r)
			n *= 2
		}
	}()
	n = x
	if x > 2 {
		panic("big")
	}
	return x + 1, nil
}

func overwritten() (s string) {
	defer func() { s += " and more" }()
	return "returned"
}

func unnamed() int {
	x := 1
	defer func() { x = 5 }()
	return x
}

func inLoop() (out []int) {
	for i := 0; i < 3; i++ {
		defer func() { out = append(out, i) }()
	}
	return nil
}

func nested() (err error) {
	defer func() {
		defer func() {
			if r := recover(); r != nil {
				err = errors.Join(err, fmt.Errorf("inner %v", r))
			}
		}()
		if r := recover(); r != nil {
			err = fmt.Errorf("outer %v", r)
		}
		panic("second")
	}()
	panic("first")
}

func direct() (r any) {
	defer func() { r = recover() }()
	defer panic("replaced")
	panic("original")
}

func notDirect() {
	defer func() {
		func() { fmt.Println("nested recover:", recover()) }()
		fmt.Println("direct recover:", recover())
	}()
	panic("x")
}

func arguments() {
	x := 1
	defer fmt.Println("argument", x)
	x = 2
	defer func(y int) { fmt.Println("closure", x, y) }(x)
	x = 3
}

type locker struct {
	sync.Mutex
	n int
}

func (l *locker) inc() int {
	l.Lock()
	defer l.Unlock()
	l.n++
	return l.n
}

func (l *locker) panics() {
	l.Lock()
	defer l.Unlock()
	var m map[string]int
	m["a"]++
}

func goexit() {
	done := make(chan bool)
	go func() {
		defer close(done)
		defer fmt.Println("deferred before Goexit")
		runtime.Goexit()
	}()
	<-done
}

func waits() int {
	var wg sync.WaitGroup
	n := make([]int, 5)
	for i := range n {
		wg.Add(1)
		go func(i int) {
			defer wg.Done()
			n[i] = i * i
		}(i)
	}
	wg.Wait()
	return len(n) + n[4]
}

func repanic() (err error) {
	defer func() { err = fmt.Errorf("%v", recover()) }()
	defer func() {
		r := recover()
		panic(fmt.Sprint("again ", r))
	}()
	panic(1)
}

func defers() {
	fmt.Println(named(1))
	fmt.Println(named(3))
	fmt.Println(overwritten(), unnamed(), inLoop(), nested(), direct())
	notDirect()
	arguments()
	l := &locker{}
	caught("panics", l.panics)
	fmt.Println(l.inc(), l.inc())
	goexit()
	fmt.Println(waits(), repanic())
	var f func()
	caught("nil deferred", func() { defer f() })
}
