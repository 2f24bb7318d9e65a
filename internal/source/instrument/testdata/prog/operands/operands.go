// Package operands has statements in which operands are evaluated, and fail, in an order that the language leaves open.
package operands

import "fmt"

type in struct {
	x   int
	arr [4]int
}
type S struct {
	a   int
	e   in
	arr [4]int
	ins [2]in
	p   *S
	s   []in
	f   func(int) int
	i   interface{ M(int) int }
	c   chan int
	m   map[int]int
}

func f() int          { fmt.Print("f "); return 1 }
func g(a ...any) int  { fmt.Print("g "); return len(a) }
func pp() *S          { fmt.Print("pp "); return nil }
func two() (int, int) { fmt.Print("two "); return 1, 2 }

type E struct{ *in }

func (i in) val(k int) int  { return i.x + k }
func (i *in) ptr(k int) int { fmt.Print("ptr ", i == nil, " "); return k }

func try(n int, fn func()) {
	defer func() { fmt.Println(n, recover()) }()
	fn()
}

var gp *S
var gs []int

type caller interface{ M(int) int }
type one int

func (o one) M(k int) int { return int(o)*10 + k }

type box struct{ caller }

var boxed = &box{one(1)}
var funcs = []func(int) int{func(k int) int { return k }, nil}

func change(n int) int {
	boxed.caller, funcs[0] = one(n), func(k int) int { return -k }
	return n
}
func getBox() *box              { return boxed }
func getFuncs() []func(int) int { return funcs }
func pop(s []int) (x int, rest []int) {
	x, rest = s[len(s)-1], s[:len(s)-1]
	return
}

// callees are evaluated before the arguments if they have a call in them.
func callees() {
	fmt.Println(boxed.caller.M(change(2)), getBox().caller.M(change(3)), getBox().M(change(4)), boxed.M(change(5)))
	for range 2 {
		fmt.Println(funcs[0](change(1)), getFuncs()[0](change(2)), funcs[len(funcs)-2](change(3)))
		funcs[0] = func(k int) int { return k * 100 }
	}
	func() {
		defer fmt.Println("deferred", getFuncs()[0](change(6)))
		defer getBox().caller.M(change(7))
	}()
	try(-1, func() { boxed.caller = nil; getBox().caller.M(change(8)) })
	try(-3, func() { var a any; fmt.Println(a.(string)[map[int]int{1: change(9)}[1]]) })
	try(-2, func() { fmt.Println(pop([]int{1, 2})); pop(nil) })
}

// Run runs them all.
func Run() {
	callees()
	n := 0
	t := func(fn func()) { try(n, fn); n++ }
	t(func() { p, q, s, i := locals(); none(p, q, s, i); p.arr[0] = f() })
	t(func() { p, q, s, i := locals(); none(p, q, s, i); p.arr[i] = f() })
	t(func() { p, q, s, i := locals(); none(p, q, s, i); p.e.x = f() })
	t(func() { p, q, s, i := locals(); none(p, q, s, i); p.e.arr[i] = f() })
	t(func() { p, q, s, i := locals(); none(p, q, s, i); p.ins[i].x = f() })
	t(func() { p, q, s, i := locals(); none(p, q, s, i); p.ins[1].arr[i] = f() })
	t(func() { p, q, s, i := locals(); none(p, q, s, i); (*p).arr[i] = f() })
	t(func() { p, q, s, i := locals(); none(p, q, s, i); p.arr[i] += f() })
	t(func() { p, q, s, i := locals(); none(p, q, s, i); p.e.x += f() })
	t(func() { p, q, s, i := locals(); none(p, q, s, i); p.arr[i], p.a = f(), f() })
	t(func() { p, q, s, i := locals(); none(p, q, s, i); p.a, p.arr[i] = two() })
	t(func() { p, q, s, i := locals(); none(p, q, s, i); q[i] = f() })
	t(func() { p, q, s, i := locals(); none(p, q, s, i); q[1] = f() })
	t(func() { p, q, s, i := locals(); none(p, q, s, i); (*q)[1] = f() })
	t(func() { p, q, s, i := locals(); none(p, q, s, i); *q = [4]int{f()} })
	t(func() { p, q, s, i := locals(); none(p, q, s, i); *p = S{a: f()} })
	t(func() { p, q, s, i := locals(); none(p, q, s, i); p.e = in{x: f()} })
	t(func() { p, q, s, i := locals(); none(p, q, s, i); p.p.p.a = f() })
	t(func() { p, q, s, i := locals(); none(p, q, s, i); p.s[i].x = f() })
	t(func() { p, q, s, i := locals(); none(p, q, s, i); s[i] = f() })
	t(func() { p, q, s, i := locals(); none(p, q, s, i); s[i] += f() })
	t(func() { p, q, s, i := locals(); none(p, q, s, i); s[i]++ })
	t(func() { p, q, s, i := locals(); none(p, q, s, i); g(&p.arr[i], f()) })
	t(func() { p, q, s, i := locals(); none(p, q, s, i); g(&p.a, f()) })
	t(func() { p, q, s, i := locals(); none(p, q, s, i); g(&p.e.x, f()) })
	t(func() { p, q, s, i := locals(); none(p, q, s, i); g(&s[i], f()) })
	t(func() { p, q, s, i := locals(); none(p, q, s, i); g(p.arr[:], f()) })
	t(func() { p, q, s, i := locals(); none(p, q, s, i); g(p.arr[1:i], f()) })
	t(func() { p, q, s, i := locals(); none(p, q, s, i); g(q[:], f()) })
	t(func() { p, q, s, i := locals(); none(p, q, s, i); g(p.e, f()) })
	t(func() { p, q, s, i := locals(); none(p, q, s, i); g(p.e.x, f()) })
	t(func() { p, q, s, i := locals(); none(p, q, s, i); g(len(p.arr), f()) })
	t(func() { p, q, s, i := locals(); none(p, q, s, i); g(len(q), f()) })
	t(func() { p, q, s, i := locals(); none(p, q, s, i); g(len(p.s), f()) })
	t(func() { p, q, s, i := locals(); none(p, q, s, i); p.e.val(f()) })
	t(func() { p, q, s, i := locals(); none(p, q, s, i); p.e.ptr(f()) })
	t(func() { p, q, s, i := locals(); none(p, q, s, i); p.ins[i].val(f()) })
	t(func() { p, q, s, i := locals(); none(p, q, s, i); p.ins[i].ptr(f()) })
	t(func() { p, q, s, i := locals(); none(p, q, s, i); E{}.val(f()) })
	t(func() { p, q, s, i := locals(); none(p, q, s, i); E{}.ptr(f()) })
	t(func() { p, q, s, i := locals(); none(p, q, s, i); var e *E; e.val(f()) })
	t(func() { p, q, s, i := locals(); none(p, q, s, i); var e *E; e.ptr(f()) })
	t(func() { p, q, s, i := locals(); none(p, q, s, i); var e *E; h := e.ptr; g(h, f()) })
	t(func() { p, q, s, i := locals(); none(p, q, s, i); var e E; h := e.val; g(h, f()) })
	t(func() { p, q, s, i := locals(); none(p, q, s, i); p.f(f()) })
	t(func() { p, q, s, i := locals(); none(p, q, s, i); p.i.M(f()) })
	t(func() { p, q, s, i := locals(); none(p, q, s, i); p.c <- f() })
	t(func() { p, q, s, i := locals(); none(p, q, s, i); p.m[f()] = f() })
	t(func() { p, q, s, i := locals(); none(p, q, s, i); p.m[f()]++ })
	t(func() { p, q, s, i := locals(); none(p, q, s, i); delete(p.m, f()) })
	t(func() { p, q, s, i := locals(); none(p, q, s, i); g(p.m[f()], f()) })
	t(func() { p, q, s, i := locals(); none(p, q, s, i); g(<-p.c, f()) })
	t(func() { p, q, s, i := locals(); none(p, q, s, i); pp().a = f() })
	t(func() { p, q, s, i := locals(); none(p, q, s, i); pp().e.arr[i] = f() })
	t(func() { p, q, s, i := locals(); none(p, q, s, i); pp().f(f()) })
	t(func() { p, q, s, i := locals(); none(p, q, s, i); pp().i.M(f()) })
	t(func() { p, q, s, i := locals(); none(p, q, s, i); pp().p.a = f() })
	t(func() { p, q, s, i := locals(); none(p, q, s, i); pp().arr[i] = f() })
	t(func() { p, q, s, i := locals(); none(p, q, s, i); pp().m[1] = f() })
	t(func() { p, q, s, i := locals(); none(p, q, s, i); pp().s[i].x = f() })
	t(func() { p, q, s, i := locals(); none(p, q, s, i); g(&pp().a, f()) })
	t(func() { p, q, s, i := locals(); none(p, q, s, i); defer p.e.val(f()); g() })
	t(func() { p, q, s, i := locals(); none(p, q, s, i); defer p.e.ptr(f()); g() })
	t(func() { p, q, s, i := locals(); none(p, q, s, i); defer p.f(f()); g() })
	t(func() { p, q, s, i := locals(); none(p, q, s, i); defer p.i.M(f()); g() })
	t(func() { p, q, s, i := locals(); none(p, q, s, i); go p.i.M(f()); g() })
	t(func() { p, q, s, i := locals(); none(p, q, s, i); go p.e.ptr(f()); g() })
	t(func() { p, q, s, i := locals(); none(p, q, s, i); a := [2]*S{}; a[1].e.arr[i] = f() })
	t(func() { p, q, s, i := locals(); none(p, q, s, i); a := [2]in{}; a[i].x = f() })
	t(func() { p, q, s, i := locals(); none(p, q, s, i); a := [2]in{}; a[i].arr[i] = f() })
	t(func() { p, q, s, i := locals(); none(p, q, s, i); a := [2]in{}; a[i].ptr(f()) })
	t(func() { p, q, s, i := locals(); none(p, q, s, i); a := [2]in{}; a[i].val(f()) })
	t(func() { p, q, s, i := locals(); none(p, q, s, i); a := [2]in{}; g(a[i], f()) })
	t(func() { p, q, s, i := locals(); none(p, q, s, i); a := [2]in{}; g(&a[i], f()) })
	t(func() { p, q, s, i := locals(); none(p, q, s, i); a := [2]in{}; g(a[i].arr[:f()], f()) })
	t(func() { p, q, s, i := locals(); none(p, q, s, i); gp.arr[i] = f() })
	t(func() { p, q, s, i := locals(); none(p, q, s, i); gp.e.x, gp.a = f(), f() })
	t(func() { p, q, s, i := locals(); none(p, q, s, i); gs[i], gp.a = f(), f() })
	t(func() { p, q, s, i := locals(); none(p, q, s, i); gp.arr = [4]int{f(), f()} })
	t(func() { p, q, s, i := locals(); none(p, q, s, i); gp.ins[i] = in{x: f()} })
	t(func() { p, q, s, i := locals(); none(p, q, s, i); gp.s[i] = in{x: f()} })
	t(func() { p, q, s, i := locals(); none(p, q, s, i); gp.s = append(gp.s, in{x: f()}) })
	t(func() { p, q, s, i := locals(); none(p, q, s, i); gp.s = append(gp.s[:1], in{x: f()}) })
	t(func() { p, q, s, i := locals(); none(p, q, s, i); p.s = append(p.s, in{x: f()}) })
	t(func() { p, q, s, i := locals(); none(p, q, s, i); x, y := p.a, f(); g(x, y) })
	t(func() { p, q, s, i := locals(); none(p, q, s, i); x := p.arr[f()]; g(x) })
	t(func() { p, q, s, i := locals(); none(p, q, s, i); x := q[f()]; g(x) })
	t(func() {
		p, q, s, i := locals()
		none(p, q, s, i)
		for p.a = range f() {
		}
	})
	t(func() {
		p, q, s, i := locals()
		none(p, q, s, i)
		for p.arr[i] = range 3 {
			g()
		}
	})
	t(func() {
		p, q, s, i := locals()
		none(p, q, s, i)
		for p.arr[i], p.a = range []int{1} {
			g()
		}
	})
	t(func() {
		p, q, s, i := locals()
		none(p, q, s, i)
		for range p.arr {
			g()
		}
	})
	t(func() {
		p, q, s, i := locals()
		none(p, q, s, i)
		for i := range p.arr {
			g(i)
			break
		}
	})
	t(func() {
		p, q, s, i := locals()
		none(p, q, s, i)
		for i, v := range p.arr {
			g(i, v)
			break
		}
	})
	t(func() {
		p, q, s, i := locals()
		none(p, q, s, i)
		for i, v := range p.s {
			g(i, v)
			break
		}
	})
	t(func() {
		p, q, s, i := locals()
		none(p, q, s, i)
		for i, v := range *q {
			g(i, v)
			break
		}
	})
	t(func() {
		p, q, s, i := locals()
		none(p, q, s, i)
		if v := p.e.x; v == f() {
			g()
		}
	})
	t(func() {
		p, q, s, i := locals()
		none(p, q, s, i)
		switch p.a {
		case f():
			g()
		}
	})
	t(func() {
		p, q, s, i := locals()
		none(p, q, s, i)
		switch {
		case p.a == f():
			g()
		}
	})
	t(func() {
		p, q, s, i := locals()
		none(p, q, s, i)
		switch x := any(p.e).(type) {
		case in:
			g(x)
		}
	})
	t(func() {
		p, q, s, i := locals()
		none(p, q, s, i)
		select {
		case p.c <- f():
		default:
		}
	})
	t(func() {
		p, q, s, i := locals()
		none(p, q, s, i)
		select {
		case p.arr[i] = <-p.c:
		default:
		}
	})
	t(func() {
		p, q, s, i := locals()
		none(p, q, s, i)
		c := make(chan int, 1)
		c <- 1
		p.arr[i] = <-c
		g()
	})
	t(func() {
		p, q, s, i := locals()
		none(p, q, s, i)
		c := make(chan int, 1)
		c <- 1
		p.arr[i], _ = <-c
		g()
	})
	t(func() { p, q, s, i := locals(); none(p, q, s, i); var a any = 1; p.arr[i], _ = a.(int); g() })
	t(func() { p, q, s, i := locals(); none(p, q, s, i); var a any = "x"; p.arr[i] = a.(int); g() })
	t(func() { p, q, s, i := locals(); none(p, q, s, i); var a any = "x"; s[i] = a.(int); g() })
	t(func() { p, q, s, i := locals(); none(p, q, s, i); var a any = "x"; p.a = a.(int); g() })
	t(func() { p, q, s, i := locals(); none(p, q, s, i); z := 0; p.arr[i] = 1 / z })
	t(func() { p, q, s, i := locals(); none(p, q, s, i); z := 0; p.e.x = 1 / z })
	t(func() { p, q, s, i := locals(); none(p, q, s, i); z := 0; s[i] = 1 / z })
	t(func() { p, q, s, i := locals(); none(p, q, s, i); z := 0; *q = [4]int{1 / z} })
	t(func() { p, q, s, i := locals(); none(p, q, s, i); z := 0; q[i] = 1 / z })
	t(func() { p, q, s, i := locals(); none(p, q, s, i); z := 0; p.s[i].x = 1 / z })
	t(func() { p, q, s, i := locals(); none(p, q, s, i); z := 0; g(&s[i], 1/z) })
	t(func() { p, q, s, i := locals(); none(p, q, s, i); z := 0; g(s[i], 1/z, p.a) })
	t(func() { p, q, s, i := locals(); none(p, q, s, i); z := 0; g(1/z, s[i], p.a) })
	t(func() { p, q, s, i := locals(); none(p, q, s, i); z := 0; g(p.e, 1/z, s[i]) })
	t(func() { p, q, s, i := locals(); none(p, q, s, i); z := 0; g(1/z, p.e, s[i:]) })
	t(func() { p, q, s, i := locals(); none(p, q, s, i); z := 0; g(s[i], s[i+2:i], 1/z) })
	t(func() { p, q, s, i := locals(); none(p, q, s, i); z := 0; x, y := 1/z, s[i]; g(x, y) })
	t(func() { p, q, s, i := locals(); none(p, q, s, i); z := 0; x, y := s[i], 1/z; g(x, y) })
	t(func() { p, q, s, i := locals(); none(p, q, s, i); z := 0; x, y := 1/z, s[i:]; g(x, y) })
	t(func() {
		p, q, s, i := locals()
		none(p, q, s, i)
		z := 0
		x := S{a: 1 / z, arr: [4]int{s[i]}, p: p.p}
		g(x)
	})
	t(func() {
		p, q, s, i := locals()
		none(p, q, s, i)
		z := 0
		x := &S{p: p.p, a: 1 / z, arr: [4]int{s[i]}}
		g(x)
	})
	t(func() { p, q, s, i := locals(); none(p, q, s, i); z := 0; x := []any{p.p, 1 / z, s[i]}; g(x) })
	t(func() { p, q, s, i := locals(); none(p, q, s, i); z := 0; x := p.a + 1/z + s[i]; g(x) })
	t(func() { p, q, s, i := locals(); none(p, q, s, i); z := 0; x := p.a == 1/z && s[i] == 0; g(x) })
	t(func() { p, q, s, i := locals(); none(p, q, s, i); z := 0; x := s[i:][1/z]; g(x) })
	t(func() {
		p, q, s, i := locals()
		none(p, q, s, i)
		var a any
		z := 0
		x := s[1/z] + a.(int)
		g(x)
	})
	t(func() { p, q, s, i := locals(); none(p, q, s, i); var a any; x := p.p.p == a.(*S); g(x) })
	t(func() {
		p, q, s, i := locals()
		none(p, q, s, i)
		var a any = s
		x := p.a == 1 && a == a
		g(x, a == a, s[i])
	})
	t(func() { p, q, s, i := locals(); none(p, q, s, i); var a any = s; g(s[i], a == a) })
	t(func() { p, q, s, i := locals(); none(p, q, s, i); var a any = s; g(a == a, s[i]) })
	t(func() { p, q, s, i := locals(); none(p, q, s, i); m := map[any]int{}; var a any = s; g(s[i], m[a]) })
	t(func() { p, q, s, i := locals(); none(p, q, s, i); m := map[any]int{}; var a any = s; g(m[a], s[i]) })
	t(func() { p, q, s, i := locals(); none(p, q, s, i); m := map[any]int{}; var a any = s; m[a] = s[i] })
	t(func() { p, q, s, i := locals(); none(p, q, s, i); m := map[any]int{}; var a any = s; s[i] = m[a] })
	t(func() { p, q, s, i := locals(); none(p, q, s, i); m := map[any]*S{}; m[1].a = s[i] })
	t(func() { p, q, s, i := locals(); none(p, q, s, i); m := map[any]*S{}; m[s[i]].a = 1 / len(m) })
	t(func() { p, q, s, i := locals(); none(p, q, s, i); m := map[any][]int{}; m[1][2] = 1 / len(m) })
	t(func() { p, q, s, i := locals(); none(p, q, s, i); var m map[int]int; m[s[i]] = 1 / len(m) })
	t(func() { p, q, s, i := locals(); none(p, q, s, i); var m map[int]int; m[1] = 1 / len(m) })
	t(func() { p, q, s, i := locals(); none(p, q, s, i); var m map[int]int; m[1] += 1 / len(m) })
	t(func() { p, q, s, i := locals(); none(p, q, s, i); m := map[int]int{}; m[1] %= 1 / len(m) })
	t(func() { p, q, s, i := locals(); none(p, q, s, i); m := map[int]int{}; m[s[i]] %= 1 / len(m) })
	t(func() { p, q, s, i := locals(); none(p, q, s, i); x := [2]int(s) == [2]int{s[i], 1}; g(x) })
	t(func() { p, q, s, i := locals(); none(p, q, s, i); k := -1; x := s[i] << k; g(x) })
	t(func() { p, q, s, i := locals(); none(p, q, s, i); k := -1; x := 1<<k + s[i]; g(x) })
	t(func() { p, q, s, i := locals(); none(p, q, s, i); k := -1; p.a <<= k })
	t(func() { p, q, s, i := locals(); none(p, q, s, i); k := -1; s[i] <<= k })
	t(func() { p, q, s, i := locals(); none(p, q, s, i); k := -1; x := make([]int, k)[s[i]]; g(x) })
	t(func() { p, q, s, i := locals(); none(p, q, s, i); k := -1; g(s[i], make([]int, k)) })
	t(func() { p, q, s, i := locals(); none(p, q, s, i); k := -1; g(s[i], len(make([]int, k))) })
	t(func() { p, q, s, i := locals(); none(p, q, s, i); k := -1; return; g(k) })
	t(func() { p, q, s, i := locals(); none(p, q, s, i); panic(fmt.Sprint(s[i], p.a)) })
	t(func() { p, q, s, i := locals(); none(p, q, s, i); close(p.c) })
	t(func() { p, q, s, i := locals(); none(p, q, s, i); copy(s[i:], p.s[0].arr[:]) })
	t(func() { p, q, s, i := locals(); none(p, q, s, i); copy(p.s[0].arr[:], s[i:]) })
	t(func() { p, q, s, i := locals(); none(p, q, s, i); clear(p.m) })
}

func locals() (*S, *[4]int, []int, int) { return nil, nil, nil, 7 }
func none(*S, *[4]int, []int, int)      {}
