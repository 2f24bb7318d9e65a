// What directives and functions without a body do for the pointers that callers convert to uintptr: they are alive until the
// call has returned. A finalizer writes FAIL to memory that is not.
package main

import (
	"fmt"
	"runtime"
	"sync"
	"unsafe"
)

func setup() unsafe.Pointer {
	s := "ok"
	runtime.SetFinalizer(&s, func(p *string) { *p = "FAIL" })
	return unsafe.Pointer(&s)
}

func collect() {
	for range 3 {
		runtime.GC()
	}
}

//go:noinline
//go:uintptrescapes
func test(s string, p, q uintptr, rest ...uintptr) int {
	collect()
	show(s, p, q)
	for _, r := range rest {
		show(s, r)
	}
	return 0
}

// Text between a directive and its function changes nothing.
//
//go:uintptrescapes

// far is such a function too.
func far(rest ...uintptr) {
	collect()
	show("far", rest...)
}

func show(s string, list ...uintptr) {
	for _, p := range list {
		fmt.Println(s, *(*string)(unsafe.Pointer(p)))
	}
}

type T struct{ n int }

//go:noinline
//go:uintptrescapes
func (t T) method(p uintptr, rest ...uintptr) T {
	collect()
	show("method", p)
	show("method", rest...)
	return t
}

type E struct{ *T }

var t = E{&T{1}}
var yes, no = true, false

func calls() int {
	test("call", uintptr(setup()), uintptr(setup()), uintptr(setup()), uintptr(setup()))
	far(uintptr(setup()), uintptr(setup()))
	t.method(uintptr(setup()), uintptr(setup())).method(uintptr(setup()))
	f := test
	_ = f
	return test("return", uintptr(setup()), uintptr(setup()), uintptr(setup()))
}

//go:uintptrescapes
func number(p uintptr, b bool) bool {
	collect()
	show("blocks", p)
	return b
}

func blocks() {
	for range 2 {
		fmt.Println(number(uintptr(setup()), yes && !no))
	}
	if no || number(uintptr(setup()), no || yes) {
		fmt.Println("blocks")
	}
}

func deferred() {
	defer number(uintptr(setup()), yes && no)
	defer func() {
		defer number(uintptr(setup()), true)
	}()
	for range 2 {
		defer number(uintptr(setup()), true)
	}
	collect()
}

func deferredRest() {
	defer test("defer", uintptr(setup()), uintptr(setup()), uintptr(setup()))
	collect()
}

var wait sync.WaitGroup

//go:uintptrescapes
func done(p uintptr, rest ...uintptr) {
	collect()
	show("go", p)
	show("go", rest...)
	wait.Done()
}

//go:uintptrescapes
func doneOne(p uintptr) { done(p) }

func goes() {
	wait.Add(1)
	go doneOne(uintptr(setup()))
	collect()
	wait.Wait()
}

func goesRest() {
	wait.Add(1)
	go done(uintptr(setup()), uintptr(setup()))
	collect()
	wait.Wait()
}

// dead shows the other side: a number does not keep alive what it was made from.
func dead() {
	ran := make(chan bool, 1)
	p := new([64]int)
	runtime.SetFinalizer(p, func(*[64]int) { ran <- true })
	n := uintptr(unsafe.Pointer(p))
	for {
		runtime.GC()
		select {
		case <-ran:
			fmt.Println("dead", n != 0)
			return
		default:
		}
	}
}

func main() {
	calls()
	blocks()
	deferred()
	deferredRest()
	goes()
	goesRest()
	dead()
}
