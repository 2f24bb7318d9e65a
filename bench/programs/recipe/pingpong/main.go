// Command pingpong is ConTest's pingpong: three players take the one ball away and put it back.
//
// The known bug: while one has it, the others find nil.
package main

import (
	"fmt"
	"sync"
)

type ball struct{ i int }

func (b *ball) number() int { return b.i }

type table struct {
	ball *ball
	bugs int
}

func (t *table) play() {
	defer func() {
		if recover() != nil {
			t.bugs++
		}
	}()
	t.ball.number()
	mine := t.ball
	t.ball = nil
	t.ball = mine
}

func main() {
	t := &table{ball: &ball{1}}
	var wg sync.WaitGroup
	for range 3 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			t.play()
		}()
	}
	wg.Wait()
	fmt.Println("bugs", t.bugs)
}
