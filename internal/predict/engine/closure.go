package engine

import (
	"github.com/presage-race/presage/internal/predict/model"
	"github.com/presage-race/presage/internal/trace/format"
)

// closure finds simple witnesses: the least set of events that contains what the
// pair needs and is closed under what its events needed in the recorded run,
// executed in recorded order. It is a proposal; the machine judges it.
type closure struct {
	static  *static
	objects *objects

	writer []int32   // of a read: the write it saw in the recorded order, or -1
	taker  []int32   // of a send: its receive in the recorded order, or -1
	first  [][]int32 // of each event: events of the same objects that it comes after
	slots  []int32   // of each channel: the receive that empties the initial slot, or -1
	limit  []int32   // by chain: events from here on must stay out
	cut    []int32   // by chain
	work   []int32
	locks  []included
	opened []model.Obj // locks in use
	order  []int32
	failed bool
	soft   bool    // leave out events beyond the limits instead of failing
	seen   []int32 // of a read: the proposal that required it
	run    int32
}

// included are the acquires of one lock in the set.
type included struct {
	used           bool
	open           []int32 // those whose releases are not needed yet
	writer, reader int32   // the latest of each mode: its place plus one
}

func newClosure(st *static, ob *objects) *closure {
	n := len(st.w.Events)
	c := &closure{
		static: st, objects: ob,
		writer: filled(st.n, -1), taker: filled(st.n, -1), first: make([][]int32, n),
		slots: filled(int32(len(st.w.Init)), -1),
		limit: make([]int32, st.width), cut: make([]int32, st.width),
		locks: make([]included, len(st.w.Init)), seen: make([]int32, n),
	}
	c.scan()
	return c
}

// scan finds, in the recorded order, the write that each read saw and the receive of each send.
func (c *closure) scan() {
	last := filled(int32(len(c.static.w.Init)), -1) // by object: last operation, or last write
	queue := make([][]int32, len(c.static.w.Init))
	for o := range c.static.w.Init {
		for range c.static.w.Init[o].Queue {
			queue[o] = append(queue[o], -1)
		}
	}
	after := func(x int32, o model.Obj) {
		if last[o] >= 0 {
			c.first[x] = append(c.first[x], last[o])
		}
	}
	for _, x := range c.static.line {
		e := &c.static.w.Events[x]
		for _, k := range e.Cases {
			after(x, k.Chan)
		}
		switch e.Kind {
		case format.Go, format.Start, format.End, format.Join, format.SelectDefault, model.Pin:
			continue
		case format.Read, format.AtomicRead:
			c.writer[x] = last[e.Obj]
			continue
		case format.AtomicRMW:
			c.writer[x] = last[e.Obj]
		case format.Write, format.AtomicWrite:
		case format.Lock, format.Unlock:
			if !c.objects.objs[e.Obj].disciplined {
				after(x, e.Obj)
			}
		case format.ChanSend:
			after(x, e.Obj)
			queue[e.Obj] = append(queue[e.Obj], x)
		case format.ChanRecv:
			after(x, e.Obj)
			if q := queue[e.Obj]; roleOf(e) == roleRecv && len(q) > 0 {
				c.took(q[0], x, e.Obj)
				queue[e.Obj] = q[1:]
			}
		default:
			after(x, e.Obj)
		}
		last[e.Obj] = x
	}
}

func (c *closure) took(send, recv int32, o model.Obj) {
	if send >= 0 {
		c.taker[send] = recv
	} else if c.slots[o] < 0 {
		c.slots[o] = recv
	}
}

// propose returns the closure of p in recorded order.
func (c *closure) propose(p model.Pair) ([]int32, bool) {
	c.failed = false
	c.run++
	clear(c.cut)
	for _, o := range c.opened {
		l := &c.locks[o]
		*l = included{open: l.open[:0]}
	}
	c.opened, c.work = c.opened[:0], c.work[:0]
	for k := range c.static.width {
		c.limit[k] = min(c.static.from(p.A, k), c.static.from(p.B, k))
	}
	for _, x := range [2]int32{p.A, p.B} {
		c.requireEvent(x)
		for _, r := range c.static.w.Events[x].Where { // (MO10)
			c.requireRead(r)
		}
	}
	for len(c.work) > 0 && (c.soft || !c.failed) {
		x := c.work[len(c.work)-1]
		c.work = c.work[:len(c.work)-1]
		c.requireEvent(x)
		c.requireObject(x)
	}
	if c.failed && !c.soft {
		return nil, false
	}
	c.order = c.order[:0]
	for _, x := range c.static.line {
		if c.static.idx[x] < c.cut[c.static.chain[x]] {
			c.order = append(c.order, x)
		}
	}
	return c.order, !c.failed
}

// include adds x and what precedes it in its chain.
func (c *closure) include(x int32) {
	if x < 0 {
		c.failed = true
		return
	}
	c.upTo(c.static.chain[x], c.static.idx[x]+1)
}

// upTo adds the first n events of chain k.
func (c *closure) upTo(k, n int32) {
	if n > c.limit[k] || !c.within(k, n) {
		c.failed = true
		return
	}
	for ; c.cut[k] < n; c.cut[k]++ {
		c.work = append(c.work, c.static.chains[k][c.cut[k]])
	}
}

// within reports that the first n events of chain k require no event beyond the limits.
func (c *closure) within(k, n int32) bool {
	if !c.soft || n <= c.cut[k] {
		return true
	}
	for j, m := range c.static.clocks[c.static.chains[k][n-1]] {
		if m > c.limit[j] {
			return false
		}
	}
	return true
}

// requireEvent adds what x needs whatever it does.
func (c *closure) requireEvent(x int32) {
	for k, n := range c.static.clocks[x] {
		if int32(k) != c.static.chain[x] {
			c.upTo(int32(k), n)
		}
	}
	c.upTo(c.static.chain[x], c.static.idx[x])
	e := &c.static.w.Events[x]
	for _, r := range e.Deps {
		c.requireRead(r)
	}
	for k := range e.Guards {
		for _, r := range e.Guards[k].Term.Reads() {
			c.requireRead(r)
		}
	}
	for _, b := range [2]int32{c.objects.blocker[x], c.objects.joins[x]} {
		switch {
		case b >= 0:
			c.include(c.taker[b])
		case b != -1:
			c.include(c.slots[initialSlot-b])
		}
	}
}

// requireRead adds what makes the read r intact.
func (c *closure) requireRead(r int32) {
	w := c.writer[r]
	if w < 0 || c.seen[r] == c.run {
		return
	}
	c.seen[r] = c.run
	c.include(w)
	e := &c.static.w.Events[w]
	for _, d := range e.ValDeps {
		c.requireRead(d)
	}
	if e.Kind == format.AtomicRMW {
		c.requireRead(w)
	}
}

// requireObject adds what x needs from its objects.
func (c *closure) requireObject(x int32) {
	e := &c.static.w.Events[x]
	if e.Strict {
		c.requireRead(x)
	}
	for _, y := range c.first[x] {
		c.include(y)
	}
	if c.static.weak != nil {
		for _, y := range c.static.weak[x] {
			c.include(y)
		}
	}
	if e.Kind == format.Lock && c.objects.objs[e.Obj].disciplined {
		c.requireLock(x, e)
	}
	if e.Kind == format.ChanSend && e.Partner >= 0 && c.static.prev[e.Partner] >= 0 {
		c.include(c.static.prev[e.Partner])
	}
}

// requireLock adds the releases of acquires that are followed by a conflicting one.
func (c *closure) requireLock(x int32, e *model.Event) {
	l := &c.locks[e.Obj]
	if !l.used {
		l.used = true
		c.opened = append(c.opened, e.Obj)
	}
	kept := l.open[:0]
	for _, y := range l.open {
		if c.static.place[y] < c.static.place[x] && !(isRead(e) && isRead(&c.static.w.Events[y])) {
			c.include(c.objects.release[y])
		} else {
			kept = append(kept, y)
		}
	}
	l.open = kept
	now := c.static.place[x] + 1
	if now < l.writer || !isRead(e) && now < l.reader {
		c.include(c.objects.release[x])
	} else {
		l.open = append(l.open, x)
	}
	if isRead(e) {
		l.reader = max(l.reader, now)
	} else {
		l.writer = max(l.writer, now)
	}
}
