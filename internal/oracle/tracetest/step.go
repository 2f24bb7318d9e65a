package tracetest

import (
	"errors"
	"slices"

	"github.com/presage-race/presage/internal/predict/model"
	"github.com/presage-race/presage/internal/trace/format"
)

var (
	errNotReachable = errors.New("its thread cannot reach it")
	errDisabled     = errors.New("not enabled")
	errOrder        = errors.New("a conditional order is broken")
	errStrict       = errors.New("a strict read returns another value")
)

// after returns the state after event i, which is next in its thread, in state st.
func (m *machine) after(st *state, i int32) (*state, error) {
	if !m.reachable(st, i) {
		return nil, errNotReachable
	}
	e := &m.w.Events[i]
	if e.Last || slices.ContainsFunc(m.weak[i], func(f int32) bool { return !m.executed(st, f) }) {
		// (MO8), (MO4)
		return nil, errDisabled
	}
	n := &state{at: slices.Clone(st.at), kept: slices.Clone(st.kept), saw: slices.Clone(st.saw), objs: slices.Clone(st.objs), late: slices.Clone(st.late)}
	n.at[e.Thread]++
	if !m.apply(n, i, e) {
		return nil, errDisabled
	}
	if e.Strict && isRead(e) && !n.kept[i] {
		return nil, errStrict
	}
	return n, m.keepsOrders(n, i)
}

// keepsOrders checks the conditional orders after event i (MO9).
func (m *machine) keepsOrders(n *state, i int32) error {
	for k, c := range m.w.Orders {
		if i == c.To && i != c.From && !m.executed(n, c.From) {
			n.late[k] = true
		}
		if n.late[k] && m.executed(n, c.From) && m.executed(n, c.If) {
			return errOrder
		}
	}
	return nil
}

func (m *machine) executed(st *state, i int32) bool {
	return m.rank[i] < st.at[m.w.Events[i].Thread]
}

// apply changes n by event i, or reports that i is not enabled. Lists are shared between states:
// they are replaced, never written to.
func (m *machine) apply(n *state, i int32, e *model.Event) bool {
	switch e.Kind {
	case format.Go, format.End, format.Start, model.Pin:
		return true
	case format.Join:
		u := model.Thread(e.Obj)
		return n.at[u] == int32(len(m.threads[u])) && !m.stuck(n, u)
	case format.SelectDefault:
		for _, k := range e.Cases {
			if m.canGo(n, k) {
				return false
			}
		}
		return true
	}
	c := &n.objs[e.Obj]
	switch k := e.Kind; {
	case k.IsAccess():
		m.access(n, i, e, c)
		return true
	case k == format.Lock || k == format.Unlock || k == format.TryFail:
		return c.lock(k, e.Flags&format.FlagRead != 0)
	case k >= format.ChanSend && k <= format.ChanLen:
		return m.channel(n, i, e, c)
	}
	return c.meet(e)
}

// access is a read, write or update of memory.
func (m *machine) access(n *state, i int32, e *model.Event, c *cell) {
	if isRead(e) {
		v := saw{uint64(c.a), c.b == 1}
		n.see(i, v)
		n.kept[i] = v.ok && v.v == e.Val
	}
	var v saw
	switch e.Kind {
	case format.Write, format.AtomicWrite:
		v = m.stored(n, e, e.Val, true)
	case format.AtomicRMW:
		v = m.stored(n, e, e.Aux, n.kept[i])
	default:
		return
	}
	c.a, c.b = int64(v.v), 1
	if !v.ok {
		c.a, c.b = 0, 0 // all unknown values are the same
	}
}

// lock is an operation on a lock.
func (c *cell) lock(k format.Kind, shared bool) bool {
	switch k {
	case format.TryFail:
		return c.a == 1 || !shared && c.b > 0
	case format.Unlock:
		if shared {
			c.b--
			return c.b >= 0
		}
		c.a--
		return c.a == 0
	}
	if c.a != 0 || !shared && c.b != 0 {
		return false
	}
	if shared {
		c.b++
	} else {
		c.a = 1
	}
	return true
}

// meet is an operation on a WaitGroup, a Once or a Cond.
func (c *cell) meet(e *model.Event) bool {
	switch e.Kind {
	case format.WGAdd:
		c.a += int64(e.Val)
		return c.a >= 0
	case format.WGWait:
		return c.a == 0
	case format.OnceBegin, format.OnceEnd:
		c.a++
		return c.a == int64(1+e.Kind-format.OnceBegin)
	case format.OncePass:
		return c.a == 2
	case format.CondWait:
		c.list = append(slices.Clip(c.list), item{who: e.Thread})
		return true
	case format.CondSignal, format.CondBroadcast:
		c.list = slices.Clone(c.list)
		for k := range c.list {
			if c.list[k].ok {
				continue
			}
			c.list[k].ok = true
			if e.Kind == format.CondSignal {
				break
			}
		}
		return true
	case format.CondWake:
		n := len(c.list)
		c.list = slices.DeleteFunc(slices.Clone(c.list), func(x item) bool { return x.who == e.Thread && x.ok })
		return len(c.list) < n
	}
	panic("tracetest: the model has no event of kind " + e.Kind.String())
}

// channel is an operation on a channel.
func (m *machine) channel(n *state, i int32, e *model.Event, c *cell) bool {
	unbuffered := m.w.Init[e.Obj].Cap == 0
	switch e.Kind {
	case format.ChanSend:
		return m.put(n, i, e, c)
	case format.ChanRecv:
		return m.take(n, i, e, c)
	case format.ChanClose:
		if c.a == 1 || unbuffered && len(c.list) > 0 {
			return false
		}
		c.a = 1
		return true
	}
	length := saw{uint64(len(c.list)), true} // ChanLen
	if unbuffered {
		length.v = 0
	}
	n.see(i, length)
	n.kept[i] = length.v == e.Val
	return true
}

// see records what read i returns, if there are terms.
func (n *state) see(i int32, v saw) {
	if n.saw != nil {
		n.saw[i] = v
	}
}

// put is a send.
func (m *machine) put(n *state, i int32, e *model.Event, c *cell) bool {
	size := max(1, int(m.w.Init[e.Obj].Cap))
	if c.a == 1 || len(c.list) >= size {
		return false
	}
	x := item{who: e.Thread, send: i}
	if v := m.stored(n, e, e.Val, true); v.ok {
		x.v, x.ok = v.v, true
	}
	if m.w.Init[e.Obj].Cap > 0 {
		x.who, x.send = 0, -1 // the sender of an element cannot be observed
	} else if e.Flags&format.FlagNonBlocking != 0 && (m.waiting || e.Partner != model.Anyone) {
		if c.wait = m.receivers(n, e); len(c.wait) == 0 {
			return false
		}
	}
	c.list = append(slices.Clip(c.list), x)
	return true
}

// receivers lists the receives at which threads may wait for the non-blocking send e.
func (m *machine) receivers(n *state, e *model.Event) (list []int32) {
	for t := range m.threads {
		r, ok := m.upcoming(n, model.Thread(t))
		if !ok || r != e.Partner && e.Partner != model.Anyone || m.waiting && !m.reachable(n, r) {
			continue
		}
		x := &m.w.Events[r]
		if r == e.Partner || x.Kind == format.ChanRecv && x.Obj == e.Obj && x.Thread != e.Thread && x.Flags&(format.FlagClosed|format.FlagNonBlocking) == 0 {
			list = append(list, r)
		}
	}
	return list
}

// take is a receive.
func (m *machine) take(n *state, i int32, e *model.Event, c *cell) bool {
	if e.Flags&format.FlagClosed != 0 {
		n.kept[i] = true
		n.see(i, saw{e.Val, true})
		return c.a == 1 && len(c.list) == 0
	}
	if len(c.list) == 0 {
		return false
	}
	x := c.list[0]
	c.list = c.list[1:]
	n.kept[i] = x.ok && x.v == e.Val
	n.see(i, saw{x.v, x.ok})
	if m.w.Init[e.Obj].Cap > 0 {
		return true
	}
	if c.wait != nil && !slices.Contains(c.wait, i) {
		return false
	}
	c.wait = nil
	return x.send < 0 || m.waits(n, x.send) || m.waits(n, i)
}

// waits reports whether a send or receive on an unbuffered channel could have waited for the other
// side (U: patient).
func (m *machine) waits(n *state, i int32) bool {
	e := &m.w.Events[i]
	if e.Flags&format.FlagNonBlocking != 0 {
		return false
	}
	for _, k := range e.Cases {
		if m.canGo(n, k) {
			return false
		}
	}
	return true
}

// canGo reports whether a case of a select is ready (S).
func (m *machine) canGo(n *state, k model.Case) bool {
	c := &n.objs[k.Chan]
	if c.a == 1 {
		return true
	}
	if k.Send {
		return len(c.list) < int(m.w.Init[k.Chan].Cap)
	}
	return len(c.list) > 0
}
