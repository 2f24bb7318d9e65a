package explore

import (
	"github.com/presage-race/presage/internal/record/steer"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// A history is the order of operations on each object of an execution, without what is the same in
// all executions that differ only in the order of operations that do not depend on each other.
// Objects and operations have no addresses in it, which differ between runs.
type history struct {
	lists [][]name
	at    map[name]position
	next  *next // that comes behind them, in a history that a schedule is to have
}

// A name is an operation: its goroutine, which of its operations it is, and what it does. Those of
// a select have the number of the first one.
type name struct {
	goroutine uint64
	nth       int
	kind      format.Kind
	cas       uint64
}

// A position is one in a list of a history: before is how many operations come first. Neighbours
// that commute have the same one.
type position struct{ list, before int }

// A next operation is known by its place. What it does is known if kind is: an operation that comes
// earlier than in the run that it is known from may do something else. before is how many
// operations may come first, besides cases of its own select.
type next struct {
	name
	position
}

// A chronicle is a history while it is made.
type chronicle struct {
	*history
	objects map[trace.Addr]*chapter
}

// A chapter is an object's part.
type chapter struct {
	list, before int
	last         *op
}

func nameOf(o *op) name { return name{o.number, o.call, o.kind, o.cas} }

func counted(o *op) bool { return ordering(o) && o.number != steer.Runtime }

// chapter returns that of the object of an operation that comes next.
func (c *chronicle) chapter(o *op) *chapter {
	b := c.objects[o.obj]
	if b == nil {
		b = &chapter{list: len(c.lists)}
		c.objects[o.obj] = b
		c.lists = append(c.lists, nil)
	} else if depend(b.last, o) {
		b.before = len(c.lists[b.list])
	}
	b.last = o
	return b
}

// chronicleOf returns the history of some operations of an execution, in their order.
func (x *execution) chronicleOf(ops []int) *chronicle {
	c := &chronicle{&history{at: make(map[name]position, len(ops))}, map[trace.Addr]*chapter{}}
	for _, i := range ops {
		o := &x.ops[i]
		if !counted(o) {
			continue
		}
		b := c.chapter(o)
		n := nameOf(o)
		c.lists[b.list] = append(c.lists[b.list], n)
		c.at[n] = position{b.list, b.before}
	}
	return c
}

func (x *execution) historyOf(ops []int) *history { return x.chronicleOf(ops).history }

// historyTo is that of some operations and of one that comes next. Unless exactly, that may do
// something else to its object than it is known to do.
func (x *execution) historyTo(ops []int, o *op, exactly bool) *history {
	c := x.chronicleOf(ops)
	if !counted(o) {
		return c.history
	}
	b := c.chapter(o)
	c.next = &next{name{goroutine: o.number, nth: o.call}, position{b.list, len(c.lists[b.list])}}
	if exactly {
		c.next.name = nameOf(o)
	}
	return c.history
}

// begins reports whether another history begins with h: on each object, the operations of h come
// first, and in the same order.
func (h *history) begins(other *history) bool {
	for _, list := range h.lists {
		in := -1
		for _, n := range list {
			p, ok := other.at[n]
			if !ok || in >= 0 && p.list != in || p.before != h.at[n].before {
				return false
			}
			in = p.list
		}
	}
	return h.next == nil || h.follows(other)
}

// follows reports whether what is next in h has its place in another history.
func (h *history) follows(other *history) bool {
	lists := other.lists
	if list := h.lists[h.next.list]; len(list) > 0 {
		at := other.at[list[0]].list
		lists = lists[at : at+1]
	}
	for _, list := range lists {
		own := 0
		for _, n := range list {
			if n.goroutine != h.next.goroutine || n.nth != h.next.nth {
				continue
			}
			if (h.next.kind == 0 || n == h.next.name) && other.at[n].before <= h.next.before+own {
				return true
			}
			own++
		}
	}
	return false
}

// has reports whether a select that begins with operation nth of a goroutine has chosen a case.
func (h *history) has(goroutine uint64, nth int, cas uint64) bool {
	for _, k := range []format.Kind{format.ChanRecv, format.ChanSend, format.ChanLen} {
		if _, ok := h.at[name{goroutine, nth, k, cas}]; ok {
			return true
		}
	}
	return false
}

// size is about how many bytes a history has.
func (h *history) size() int { return 128 * len(h.at) }

// with returns a number for a history and two operations behind it.
func (h *history) with(p, q *op) uint64 {
	sum := uint64(0)
	for _, list := range h.lists {
		n := uint64(0)
		for i, at := 0, 0; i < len(list); i++ { // those that commute have one number
			b := h.at[list[i]].before
			if b != at {
				at = b
				n = steer.Child(n, uint64(at))
			}
			n += steer.Child(list[i].sum(), uint64(b))
		}
		sum += steer.Child(n, 0)
	}
	for _, o := range []*op{p, q} {
		sum = steer.Child(sum, nameOf(o).sum())
	}
	return sum
}

func (n name) sum() uint64 {
	return steer.Child(steer.Child(n.goroutine, uint64(n.nth)), uint64(n.kind)|n.cas<<8)
}

// ordering reports whether the order of an operation with others on its object matters.
func ordering(o *op) bool {
	switch o.kind {
	case format.Go, format.Release, format.SelectDefault:
		return false
	case format.Acquire, format.ReleaseMerge:
		return o.timer
	case format.Observe:
		return false
	}
	return true
}
