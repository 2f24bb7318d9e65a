// Memory is a program whose analysis must not grow: with deep stacks, and with a loop that goes on.
package main

import (
	"os"
	"strconv"
	"sync"
)

type node struct {
	next      *node
	key, hits int
	name      string
}

var (
	list  *node
	table [64]int
	mu    sync.Mutex
)

// down has some registers that it reads again after the call, and more that it does not.
func down(n *node, depth, sum int) int {
	if n == nil {
		return sum
	}
	a, b := n.key*3+depth, n.hits^depth
	if a&7 == b&7 {
		n.hits++
	}
	c := a + b + len(n.name)
	if c > 1<<20 {
		c -= 1 << 20
	}
	table[c&63] += a - b
	d := down(n.next, depth+1, sum+c)
	return d + a&3
}

// loop runs beside another, which has this one's in for its out: neither is ever ahead by more than a hundred rounds, so that
// one part of the trace is as the other.
func loop(rounds int, out chan<- int, in <-chan int) {
	for i := range rounds {
		if i%100 == 0 {
			out <- i
			<-in
		}
		k := i * 7 & 63
		mu.Lock()
		v := table[k]
		if v&1 == 0 {
			table[(k+1)&63] = v + i
		} else {
			table[(k+3)&63] ^= v >> 1
		}
		mu.Unlock()
		if w := table[k&15]; w > i {
			table[k&15] = w - i
		}
	}
}

func main() {
	depth, _ := strconv.Atoi(os.Args[1])
	rounds, _ := strconv.Atoi(os.Args[2])
	for i := range depth {
		list = &node{next: list, key: i, name: "n"}
	}
	println(down(list, 0, 0))
	there, back := make(chan int, 1), make(chan int, 1)
	var wg sync.WaitGroup
	wg.Go(func() { loop(rounds, there, back) })
	wg.Go(func() { loop(rounds, back, there) })
	wg.Wait()
}
