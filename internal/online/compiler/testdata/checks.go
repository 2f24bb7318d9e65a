package checks

import "sync/atomic"

type T struct {
	a, b int
	next *T
	s    []int
	big  [4]int
}

func call()

// hooks: write
func inc(p *int) { *p++ }

// Read before write (OC1) for p; the check of p may panic before the write of q.
// hooks: read write write
func swap(p *int, q *int) { *p, *q = *q+*p, 1 }

// hooks: write
func twice(p *int) int {
	*p = 1
	*p = 2
	return *p
}

// hooks: write call write call read
func boundary(p *int) int {
	*p = 1
	call()
	*p = 2
	call()
	return *p
}

// A read before a write on one path alone stays.
// hooks: read write
func maybe(p *int, b bool) int {
	v := *p
	if b {
		*p = v + 1
	}
	return v
}

// hooks: read
func again(p *int, b bool) int {
	v := *p
	if b {
		return v + *p
	}
	return v
}

// On both paths.
// hooks: write write
func both(p *int, b bool) int {
	if b {
		*p = 1
	} else {
		*p = 2
	}
	return *p
}

// On one path of two.
// hooks: write read
func one(p *int, b bool) int {
	if b {
		*p = 1
	}
	return *p
}

// A read does not stand for a write.
// hooks: read write
func weaker(p *int, b bool) int {
	v := *p
	if v > 0 {
		*p = 0
	}
	return v
}

// The check of q may panic before the write.
// hooks: read read write
func panics(p, q *T) {
	v := p.a
	v += q.a
	p.a = v
}

// Each turn has an address of its own.
// hooks: read
func loop(s []int) (n int) {
	for i := range s {
		n += s[i]
	}
	return n
}

// p is another in each turn: what was checked in the last is not checked.
// hooks: read read
func list(p *T) (n int) {
	for p != nil {
		n += p.a
		p = p.next
	}
	return n
}

// In front of the loop, and in it.
// hooks: write
func before(p *int, n int) {
	*p = 0
	for range n {
		*p++
	}
}

// A call in the loop.
// hooks: write call write
func around(p *int, n int) {
	*p = 0
	for range n {
		call()
		*p++
	}
}

// Fields are locations of their own.
// hooks: write write
func fields(t *T) { t.a, t.b = 1, 2 }

// hooks: writerange
func object(t *T) {
	t.big = [4]int{}
	t.big = [4]int{1: 2}
}

// Atomic operations are calls.
// hooks: read call read
func atomics(p *int, q *atomic.Int64) int {
	v := *p
	q.Store(1)
	return v + *p
}

// hooks: read call read
func channel(p *int, c chan int) int {
	v := *p
	c <- 1
	return v + *p
}

// Functions of the runtime that are an operation of the language do not synchronise.
// hooks: read call
func operation(p *int) ([]int, int) {
	v := *p
	s := make([]int, v)
	return s, *p
}

// hooks: read call call read
func operations(p *int, m map[string]bool, a, b string) int {
	v := *p
	if m[a+b] {
		v++
	}
	return v + *p
}

// It may panic before the write.
// hooks: read call write
func grown(p *int) []int {
	v := *p
	s := make([]int, v)
	*p = v + 1
	return s
}
