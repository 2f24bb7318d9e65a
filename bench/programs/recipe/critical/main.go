// Command critical is ConTest's critical: a critical section guarded by whose turn it is.
//
// The known bug: turn is a plain variable, and each of the two takes the turn instead of waiting for it.
package main

import (
	"fmt"
	"runtime"
	"sync"
)

type critical struct{ turn int }

type section struct {
	c      *critical
	number int
}

func (s *section) run() {
	switch s.number {
	case 0:
		s.c.turn = 0
		for s.c.turn != 0 {
			runtime.Gosched()
		}
		s.c.turn = 1
	case 1:
		s.c.turn = 1
		for s.c.turn != 1 {
			runtime.Gosched()
		}
		s.c.turn = 0
	default:
		panic("this algorithm is for two")
	}
}

func main() {
	c := &critical{}
	var wg sync.WaitGroup
	for i := range 2 {
		s := &section{c, i}
		wg.Add(1)
		go func() {
			defer wg.Done()
			s.run()
		}()
	}
	wg.Wait()
	fmt.Println("turn", c.turn)
}
