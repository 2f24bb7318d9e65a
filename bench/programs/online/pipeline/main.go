// Command pipeline sends structs through four stages of channels.
package main

import "fmt"

type item struct {
	n   int
	sum [4]int
}

func main() {
	in := make(chan *item, 64)
	go func() {
		for i := range 200_000 {
			in <- &item{n: i}
		}
		close(in)
	}()
	out := in
	for stage := range 4 {
		next := make(chan *item, 64)
		go func(in <-chan *item) {
			for x := range in {
				x.sum[stage] = x.n * stage
				next <- x
			}
			close(next)
		}(out)
		out = next
	}
	total := 0
	for x := range out {
		for _, s := range x.sum {
			total += s
		}
	}
	fmt.Println(total)
}
