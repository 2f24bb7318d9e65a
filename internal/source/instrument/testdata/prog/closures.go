package main

import "fmt"

func init() { subjects["closures"] = closures }

var atInit = func(n int) func() int {
	return func() int { n++; return n }
}

var table = map[string]func(int) int{
	"double": func(x int) int { return 2 * x },
	"square": func(x int) int { return x * x },
}

func counter() (func() int, func()) {
	n := 0
	return func() int { n++; return n }, func() { n = 100 }
}

func fib(n int) int {
	var f func(int) int
	f = func(n int) int {
		if n < 2 {
			return n
		}
		return f(n-1) + f(n-2)
	}
	return f(n)
}

type acc struct{ sum int }

func (a *acc) add(n int) *acc { a.sum += n; return a }
func (a acc) get() int        { return a.sum }

func variadic(prefix string, xs ...int) string { return fmt.Sprint(prefix, len(xs), xs) }

func closures() {
	inc, reset := counter()
	fmt.Println(inc(), inc())
	reset()
	fmt.Println(inc(), fib(15))
	a := &acc{}
	add, get := a.add, a.get
	add(1).add(2)
	fmt.Println(get(), (*acc).get(a), acc.get(*a), (*acc).add(a, 5).sum)
	var fs []func() int
	for i := 0; i < 3; i++ {
		fs = append(fs, func() int { i *= 2; return i })
	}
	for _, f := range fs {
		fmt.Print(f(), f(), " ")
	}
	fmt.Println(table["double"](4), table["square"](5))
	next := atInit(41)
	fmt.Println(next(), next())
	fmt.Println(variadic("a"), variadic("b", 1, 2), variadic("c", []int{4}...), variadic("d", nil...))
	x := 1
	func() {
		x := x + 1
		func() { x++; fmt.Println("inner", x) }()
		fmt.Println("middle", x)
	}()
	fmt.Println("outer", x)
	compose := func(fs ...func(int) int) func(int) int {
		return func(x int) int {
			for _, f := range fs {
				x = f(x)
			}
			return x
		}
	}
	fmt.Println(compose(func(x int) int { return x + 1 }, table["square"])(3))
}
