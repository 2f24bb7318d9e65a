package order_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/presage-race/presage/internal/static/order"
	"github.com/presage-race/presage/internal/static/path"
)

var (
	table = path.NewTable()
	c     = table.Root(path.Global, 0, "c", "chan int")
	g     = table.Root(path.Token, 0, "g", "")
	over  = table.OverOf(g, w)
	w     = table.Root(path.Global, 0, "w", "sync.WaitGroup")
)

func text(counts order.Counts) map[string]int {
	out := map[string]int{}
	for o, n := range counts {
		out[o.Name] = n
	}
	return out
}

func TestSync(t *testing.T) {
	var none order.Sync
	for _, x := range []struct {
		rule               string
		got                order.Sync
		acquired, released map[string]int
	}{
		{"O1, O2: they count", none.Acquire(c, 2).Release(w, 1), map[string]int{"c": 2}, map[string]int{"w": 1}},
		{"the least of two ways", none.Acquire(c, 2).Join(none.Acquire(c, 1)), map[string]int{"c": 1}, map[string]int{}},
		{"on one way only", none.Acquire(c, 2).Join(none), map[string]int{}, map[string]int{}},
		{"the most of two ways", none.Release(c, 2).Join(none.Release(c, 1)), map[string]int{}, map[string]int{"c": 2}},
		{"many absorbs", none.Release(c, order.Many).Release(c, 1), map[string]int{}, map[string]int{"c": order.Many}},
		{"a call adds up", none.Acquire(c, 1).Then(none.Acquire(c, 1).Release(w, 1)), map[string]int{"c": 2}, map[string]int{"w": 1}},
		{"made anew", none.Acquire(c, 1).Release(c, 1).Release(w, 1).Forget(c), map[string]int{}, map[string]int{"w": 1}},
		{"the other way has not started any", none.Release(g, 1).Acquire(over, 1).Join(none), map[string]int{"over": 1}, map[string]int{"g": 1}},
		{"the other way has not waited", none.Release(g, 1).Acquire(over, 1).Join(none.Release(g, 1)), map[string]int{}, map[string]int{"g": 1}},
		{"started again", none.Acquire(over, 1).Release(g, 1), map[string]int{}, map[string]int{"g": 1}},
		{"a call that joins", none.Then(none.Release(g, 1).Acquire(over, 1)), map[string]int{"over": 1}, map[string]int{"g": 1}},
		{"what was started before the call is not over", none.Release(g, 1).Then(none.Release(g, 1).Acquire(over, 1)), map[string]int{}, map[string]int{"g": 2}},
		{"a call that starts", none.Release(g, 1).Acquire(over, 1).Then(none.Release(g, 1)), map[string]int{}, map[string]int{"g": 2}},
	} {
		if diff := cmp.Diff(x.acquired, text(x.got.Acquired)); diff != "" {
			t.Errorf("%s, acquired (-want +got):\n%s", x.rule, diff)
		}
		if diff := cmp.Diff(x.released, text(x.got.Released)); diff != "" {
			t.Errorf("%s, released (-want +got):\n%s", x.rule, diff)
		}
	}
}
