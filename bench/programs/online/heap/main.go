// Command heap has a gigabyte of live heap, and makes as much garbage again.
package main

import "fmt"

type node struct {
	next *node
	data [13]int
}

func main() {
	const n = 1 << 30 / 112
	var list *node
	for i := range n {
		x := &node{next: list}
		x.data[i%13] = i
		list = x
	}
	garbage := 0
	for i := range n {
		x := &node{}
		x.data[0] = i
		garbage += x.data[0] & 1
	}
	count := 0
	for x := list; x != nil; x = x.next {
		count++
	}
	fmt.Println(count, garbage)
}
