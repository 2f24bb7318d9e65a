package main

import (
	"fmt"
	"math"
	"runtime"
	"strings"
)

func init() { subjects["panics"] = panics }

type point struct{ x, y int }

func (p *point) get() int { return p.y }
func (p point) val() int  { return p.x }

func panics() {
	var (
		p  *point
		s  []int
		m  map[any]int
		e  any
		a  [4]int
		i  = 7
		z  = 0
		f  func(int) int
		c  chan int
		st interface{ val() int }
	)
	caught("nil pointer", func() { fmt.Println(p.x) })
	caught("nil method", func() { fmt.Println(p.get()) })
	caught("nil value method", func() { fmt.Println(p.val()) })
	caught("index", func() { fmt.Println(s[i]) })
	caught("array index", func() { a[i] = 1 })
	caught("array index read", func() { fmt.Println(a[i]) })
	caught("slice", func() { fmt.Println(s[i:1:z]) })
	caught("slice of array", func() { fmt.Println(a[2:i]) })
	caught("divide", func() { fmt.Println(1 / z) })
	caught("constant divide", func() {
		x := 0
		fmt.Println(5 % x)
	})
	caught("assertion", func() { e = 1; fmt.Println(e.(string)) })
	caught("assertion to interface", func() { fmt.Println(e.(fmt.Stringer)) })
	caught("nil interface", func() { fmt.Println(st.val()) })
	caught("nil method value", func() { fmt.Println(st.val == nil) })
	caught("nil embedded method value", func() { var w struct{ fmt.Stringer }; fmt.Println(w.String == nil) })
	caught("nil method value of a type parameter", func() { methodOf[fmt.Stringer](nil) })
	caught("nil interface to itself", func() { fmt.Println(st.(interface{ val() int })) })
	caught("nil map", func() { m["a"] = 1 })
	caught("unhashable", func() { m = map[any]int{}; m[[]int{1}] = 1 })
	caught("nil func", func() { f(1) })
	caught("close nil", func() { close(c) })
	caught("negative make", func() { _ = make([]int, z-1) })
	caught("negative shift", func() { fmt.Println(1 << (z - 1)) })
	caught("conversion", func() { _ = [4]int(s) })
	caught("custom", func() { panic(fmt.Errorf("custom %d", i)) })
	caught("incomparable", func() { var x, y any = []int{}, []int{}; fmt.Println(x == y) })
	caught("nil panic", func() { panic(nil) })
	ranges()
	constants()
	where()
}

func methodOf[T fmt.Stringer](x T) func() string { return x.String }

// ranges has iterators that do not keep to the rules.
func ranges() {
	caught("goes on after false", func() {
		for range func(yield func() bool) { yield(); yield() } {
			break
		}
	})
	caught("goes on after the loop", func() {
		var kept func(int) bool
		for x := range func(yield func(int) bool) { kept = yield; yield(1) } {
			fmt.Println(x)
		}
		kept(2)
	})
	caught("goes on after a panic", func() {
		for range func(yield func() bool) {
			defer yield()
			yield()
		} {
			panic("body")
		}
	})
	caught("recovers", func() {
		for range func(yield func() bool) {
			defer func() { fmt.Println(recover()) }()
			yield()
		} {
			panic("body")
		}
	})
}

func constants() {
	x, y := math.MaxInt64, uint8(200)
	x++
	y += 100
	k := 10
	arr := [3]int{1, 2, 3}
	idx := 2
	str := "hello"
	fl := 1e100
	fmt.Println(x, y, k<<60, arr[idx], str[idx:4], str[1], int8(y), -x, ^y, uint16(k-11), fl*fl)
	var nilslice []int
	fmt.Println(nilslice == nil, len(nilslice), append(nilslice, 1), cap(nilslice[:0]))
	neg := math.Copysign(0, -1)
	fmt.Println(1/neg, complex(neg, 1)*complex(0, 1), -0.0, math.NaN() == math.NaN())
}

// inPlace has literals that are called where they stand: the line of such a call is that of its last brace.
func inPlace() {
	x := 0
	func() { func() { _, _, up, _ := runtime.Caller(1); fmt.Println("in place", up) }() }()
	called := func(x int) {
		_, _, up, _ := runtime.Caller(1)
		fmt.Println("called later", x, up)
	}
	x = 1

	called(x)
	func(x int) {
		_, _, up, _ := runtime.Caller(1)
		fmt.Println("called at once", x, up)
	}(
		x,
	)
	n := func() int {
		_, _, up, _ := runtime.Caller(1)
		return up
	}()
	fmt.Println("of an operand", n)
	func() {
		func() {
			_, _, up, _ := runtime.Caller(1)
			_, _, top, _ := runtime.Caller(2)
			fmt.Println("in place", up, top)
		}()
		x++
	}()
}

// implicit fails where nothing is written that fails: at the line of the call.
func implicit() (line int) {
	var p *point
	defer func() {
		recover()
		for skip := 1; ; skip++ {
			if pc, _, at, _ := runtime.Caller(skip); strings.HasSuffix(runtime.FuncForPC(pc).Name(), "main.implicit") {
				line = at
				return
			}
		}
	}()
	line = 0
	p.val()
	return 0
}

// where prints line numbers and function names.
func where() {
	inPlace()
	_, _, line, _ := runtime.Caller(0)
	fmt.Println("line", line, implicit())
	func() {
		pc, _, line, _ := runtime.Caller(0)
		fmt.Println(runtime.FuncForPC(pc).Name(), line)
	}()
	x := 1
	g := func() {
		pc, _, line, _ := runtime.Caller(0)
		fmt.Println(runtime.FuncForPC(pc).Name(), line, x)
	}
	g()
	h := func() string {
		pc, _, line, _ := runtime.Caller(
			0,
		)
		_, _, up, _ := runtime.Caller(1)
		return fmt.Sprint(runtime.FuncForPC(pc).Name(), line, up)
	}
	fmt.Println("several",
		h(),
		h())
	defer func() {
		recover()
		var pcs [20]uintptr
		frames := runtime.CallersFrames(pcs[:runtime.Callers(0, pcs[:])])
		for {
			f, more := frames.Next()
			if strings.HasPrefix(f.Function, "main.") {
				fmt.Println(f.Function, f.Line)
			}
			if !more {
				break
			}
		}
	}()
	var p *point
	p.x = 1
}
