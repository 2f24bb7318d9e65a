package mask

import "sort"

// What traced code returns (Masker.Told). The comment of a function says whether its mask is everything if the recorder is told of it; else all of these are.

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

// want: told
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
