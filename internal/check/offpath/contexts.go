package offpath

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/predict/built"
	"github.com/presage-race/presage/internal/predict/flow"
	"github.com/presage-race/presage/internal/source/plan"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// contexts executes calls that make, ask and cancel contexts.
type contexts struct{ m *machine }

// asks executes a call of Done or Err of a context whose code is not instrumented, as the contract
// of context.Context says (CP3): Done returns what it has returned before. Err returns nil where
// the channel of Done is open, and an error where it is closed. It reports whether in is such a
// call.
func (k contexts) asks(in *ssa.Call) bool {
	m := k.m
	f := m.frame
	method := plan.ContextMethod(&in.Call)
	if method != "Done" && method != "Err" {
		return false
	}
	v := f.val(in.Call.Value)
	if at, ok := v.word(1); ok {
		if c := m.env.heap.made(at); c != nil {
			k.asksNew(in, c)
			return true
		}
	}
	if t, ok := m.env.types.of(v); ok {
		if pf, _ := m.process.in.snap.Program.MethodOf(t.typ, in.Call.Method); pf != nil {
			return false
		}
	}
	word, ok := v.word(0)
	data, ok2 := v.word(1)
	if !ok || !ok2 || data >= freshBase {
		return false
	}
	p := m.process
	done, ok := p.in.snap.Done(word, data, p.in.window.To)
	if !ok {
		return false
	}
	p.called = append(p.called, data)
	switch {
	case method == "Done":
		f.vals[in] = number(done, 8)
	case done == 0:
		f.vals[in] = zero(16)
	default:
		f.vals[in] = k.err(in, done)
	}
	return true
}

// err is Err of a context with a channel: the step is that of a select with this channel alone and
// a default, or the receive that finds it closed.
func (k contexts) err(in *ssa.Call, done uint64) value {
	m := k.m
	site := m.frame.at().Site
	if m.steps.ahead(site).Event.Kind != format.SelectDefault {
		m.steps.expect(format.ChanRecv, format.FlagClosed, site, &done, 0)
		return m.newError(in.Type(), errorOfFmt, unknown(16))
	}
	s := m.steps.expect(format.SelectDefault, 0, site, nil, 0)
	m.ops.casesAre(s, []channelCase{{done, false}})
	return zero(16)
}

// cancels executes a call of a function that context.WithCancel has returned, with its step at a
// site. That of a new context is no step. Another one closes the channel, or the channel has been
// closed, as the next step says (CP4). Nothing else shows that a context is cancelled (package
// format). It reports whether c is such a call.
func (k contexts) cancels(c *ssa.CallCommon, callee value, site trace.Site) bool {
	m := k.m
	if static(c) != nil || c.IsInvoke() {
		return false
	}
	addr, ok := callee.bits()
	if !ok || addr < 4096 {
		return false
	}
	if c := m.env.heap.made(addr); c != nil {
		c.ended = true
		return true
	}
	p := m.process
	if addr >= freshBase {
		return false
	}
	what, ok := p.in.snap.Cancel(addr, p.in.window.From, p.in.window.To)
	if !ok {
		return false
	}
	p.called = append(p.called, addr, what.Addr, what.Done, what.Parent)
	p.in.known(addr, &what)
	x := &canceller{m, site}
	been := m.steps.ahead(site).Event.Kind == format.ChanRecv
	x.closed(what.Done, been)
	if what.Parent != 0 && !been {
		x.parentLives(what.Parent)
	}
	x.children(what.Children, been)
	return true
}

// known checks that the window shows nothing else of a function that cancels a context than the
// snapshot has: the context is the same one, and so are those that are cancelled with it, which are
// all there are.
func (in *subject) known(function uint64, what *flow.Cancelled) {
	listed := map[[2]uint64]bool{{function, what.Addr}: true}
	var of func(c *flow.Context)
	of = func(c *flow.Context) {
		listed[[2]uint64{c.Addr, 0}] = true
		for i := range c.Children {
			child := &c.Children[i]
			listed[[2]uint64{c.Addr, child.Addr}] = true
			of(child)
		}
	}
	of(&what.Context)
	what.Each(func(c *flow.Context) {
		if c != &what.Context && in.allocates(c.Addr, c.Made) {
			reject("CP6", "the memory of a context at %#x is allocated anew", c.Addr)
		}
	})
	for _, r := range in.window.Records {
		if !format.IsCancel(r.Obj) || r.Kind != format.AtomicWrite {
			continue
		}
		parent := uint64(r.Obj - format.Cancels)
		if is := parent == function || listed[[2]uint64{parent, 0}]; is && !listed[[2]uint64{parent, r.Val}] && !in.allocates(parent, r.Index) {
			reject("CP4", "the context at %#x has another child, at %#x", parent, r.Val)
		}
	}
}

// allocates reports whether the window allocates the memory at an address after an event.
func (in *subject) allocates(addr uint64, event int64) bool {
	return slices.ContainsFunc(in.window.Records, func(r *built.Record) bool {
		return r.Kind == format.Alloc && r.Index > event && addr-uint64(r.Obj) < r.Val
	})
}

// canceller executes the steps of a function that cancels a context (CP4).
type canceller struct {
	m    *machine
	site trace.Site
}

// more ends the execution if the witness has no further step.
func (k *canceller) more() {
	if k.m.steps.empty() {
		panic(finished{})
	}
}

// closed is the step in which the channel of a context is closed; with been, it has been before.
func (k *canceller) closed(done uint64, been bool) {
	if been {
		k.m.steps.expect(format.ChanRecv, format.FlagClosed, k.site, &done, 0)
		return
	}
	k.m.steps.expect(format.ChanClose, 0, k.site, &done, 0)
}

// parentLives is the step in which the context is removed from its parent: while nobody cancels
// that, whose channel is open.
func (k *canceller) parentLives(done uint64) {
	k.more()
	s := k.m.steps.expect(format.SelectDefault, 0, k.site, nil, 0)
	k.m.ops.casesAre(s, []channelCase{{done, false}})
}

// children are the steps in which the contexts are cancelled that are made from one, as far as they
// are there when its channel is closed. With been, it has been cancelled before, with all of them.
func (k *canceller) children(list []flow.Context, been bool) {
	for i := range list {
		c := &list[i]
		if !k.exists(c) {
			continue
		}
		k.more()
		found := k.m.steps.ahead(k.site).Event.Kind == format.ChanRecv
		if been && !found {
			reject("CP4", "a context is cancelled that has been before, with another one")
		}
		k.closed(c.Done, found)
		k.children(c.Children, found)
	}
}

// exists reports whether a context has been made. If another goroutine makes it in the window, the
// step says so: it reads the word that stands for the context.
func (k *canceller) exists(c *flow.Context) bool {
	in := k.m.process.in
	switch {
	case c.By == in.alt.G:
		return c.Made < in.alt.At
	case c.Made < in.window.From:
		return true
	}
	k.more()
	word := uint64(format.Contexts) + c.Addr
	s := k.m.steps.expect(format.AtomicRead, 0, k.site, &word, 8)
	switch v, ok := k.m.ops.values.seen(s, 8).bits(); {
	case ok && v == c.Done:
		return true
	case !ok || v != 0:
		reject("CP4", "the word of a context has another value than its channel")
	}
	return false
}
