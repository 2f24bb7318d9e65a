// Command objects has pairs of one class that goroutines of different functions make. Marked are those that may be one object.
package main

type apart struct{ n int }

func left() {
	a := &apart{}
	go func() { a.n = 1 }()
}

func right() {
	a := &apart{}
	go func() { a.n = 2 }()
}

type sent struct{ n int }

var queue = make(chan *sent, 1)

func send() {
	s := &sent{}
	queue <- s
	go func() { s.n = 1 }() // want "channel"
}

func receive() {
	s := <-queue
	go func() { s.n = 2 }() // want "channel"
}

type boxed struct{ n int }

var boxes = map[string]any{}

func put() {
	b := &boxed{}
	boxes["a"] = b
	go func() { b.n = 1 }() // want "interface in a map"
}

func get() {
	b := boxes["b"].(*boxed)
	go func() { b.n = 2 }() // want "interface in a map"
}

type listed struct {
	n    int
	next *listed
}

var head *listed

func link() {
	l := &listed{next: head}
	head = l
	go func() { l.n = 1 }() // want "list"
}

func walk() {
	l := head.next
	go func() { l.n = 2 }() // want "list"
}

type generic struct{ n int }

type stack[E any] struct{ all []E }

func (s *stack[E]) push(e E) { s.all = append(s.all, e) }

func (s *stack[E]) top() E { return s.all[len(s.all)-1] }

var generics stack[*generic]

func push() {
	g := &generic{}
	generics.push(g)
	go func() { g.n = 1 }() // want "generic"
}

func top() {
	g := generics.top()
	go func() { g.n = 2 }() // want "generic"
}

type bound struct{ n int }

func (b *bound) set() { b.n = 1 } // want "method value" "twice"

var later func()

func bind() {
	b := &bound{}
	later = b.set
	go func() { b.n = 2 }() // want "method value"
}

func call() {
	go later()
}

func main() {
	left()
	right()
	send()
	receive()
	put()
	get()
	link()
	walk()
	push()
	top()
	bind()
	call()
}
