package mask

import "sort"

// What traced code returns (Masker.Told). The comment of a function says whether its mask is everything if the recorder is told of it, and if it is not: told, if not then alone, else never or everything.

type store interface{ Del(key int) (int, any) }

type named interface{ Name() string }

type cache struct {
	store store
	exit  func(any)
	last  any
	next  named
	todo  func()
	order sort.Interface
}

func makesNamed() named { return nil }

func makesFunc() func() { return nil }

// want: never
func processes(c *cache) {
	_, v := c.store.Del(1)
	c.last = v
	c.exit(v)
}

// want: told
func keeps(c *cache) {
	c.next = makesNamed()
	_ = c.next.Name()
}

// want: told
func calls(c *cache) { makesFunc()() }

// want: told
func ofValue(c *cache, f func() named) {
	c.next = f()
	_ = c.next.Name()
}

// want: told
func ofMade(c *cache) {
	f := func() func() { return nil }
	c.todo = f()
	c.todo()
}

// want: everything
func standard(c *cache) {
	c.order = sort.Reverse(c.order)
	_ = c.order.Len()
}

// want: everything
func ofStandard(c *cache, x sort.IntSlice) {
	f := sort.Reverse
	c.order = f(x)
	_ = c.order.Len()
}

// want: never
func recovers(c *cache) {
	if p := recover(); p != nil {
		c.last = p
		c.exit(p)
		_ = c.next.Name()
	}
}

// want: everything
func asserts(c *cache) {
	c.last = recover()
	if n, ok := c.last.(named); ok {
		_ = n.Name()
	}
}

// want: everything
func assertsFunc(c *cache) {
	c.last = recover()
	c.last.(func())()
}

// want: everything
func switches(c *cache) {
	c.last = recover()
	switch x := c.last.(type) {
	case named:
		_ = x.Name()
	case int:
	}
}

// want: told
func finds(c *cache) {
	_, v := c.store.Del(1)
	c.next = v.(named)
	_ = c.next.Name()
}

// want: everything
func generic[T ~func()](c *struct{ f T }, x T) {
	c.f = x
	c.f()
}

// want: never
func stores[T any](c *struct {
	f func()
	v T
}, x T) {
	c.v = x
	c.f()
}

// want: everything
func storesAndCalls[T interface{ Name() string }](c *struct {
	f func()
	v T
}, x T) {
	c.v = x
	c.f()
	_ = c.v.Name()
}

// want: everything
func fewer(c *struct{ f sort.Interface }, l interface{ Len() int }) {
	c.f = sort.Reverse(c.f)
	l = c.f
	_ = l.Len()
}
