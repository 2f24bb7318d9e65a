package walk

import (
	"slices"
	"sync"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/predict/flow"
	"github.com/presage-race/presage/internal/predict/goval"
	"github.com/presage-race/presage/internal/predict/regcode"
	"github.com/presage-race/presage/internal/source/plan"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// contexts are what the trace shows of functions that cancel contexts, and of contexts that are
// cancelled with others (package format). Alternatives look it up while the walk continues.
type contexts struct {
	functions places[canceller]
	origins   places[origin]
	children  places[*children]

	mu sync.Mutex // of what children points to
}

// A contextID is a context: its address, and the event that has shown its channel. Another one may
// have the address later.
type contextID struct {
	addr uint64
	made int64
}

// A canceller is a function that cancels a context.
type canceller struct {
	addr uint64 // of the context
	at   int64  // the event that shows it
}

// origin is where a context comes from that is cancelled with another one.
type origin struct {
	parent contextID
	by     trace.GoID
	at     int64 // the event that shows it
}

// children are the addresses of all contexts that were ever cancelled with another one.
type children struct {
	of   int64 // the event that has shown the other one
	list []uint64
	full int64 // the event that has shown too many; 0: none
}

const (
	maxChildren  = 64 // of one context
	maxCancelled = 4  // contexts that one function cancels beside its own
)

func anyCanceller(canceller) bool { return true }

func anyOrigin(origin) bool { return true }

// contextAt returns the context at an address right before an event, and its channel.
func (k *functions) contextAt(addr uint64, event int64) (id contextID, ch uint64, ok bool) {
	m, ok := k.at(addr, event, func(m made) bool { return m.done != nil && m.done.word == 0 })
	if !ok {
		return id, 0, false
	}
	return contextID{addr, m.at}, m.done.ch, true
}

// CancelAt returns what the function value at an address cancels, if WithCancel has returned it,
// with all contexts that were there at any time between two events.
func (k *facts) CancelAt(addr uint64, since, before int64) (c flow.Cancelled, ok bool) {
	f, ok := k.contexts.functions.at(addr, before, anyCanceller)
	if !ok || !k.FreeTimers() {
		return c, false
	}
	id, done, ok := k.contextAt(f.addr, before)
	if !ok || id.made >= f.at { // its memory has another one by now
		return c, false
	}
	if o, ok := k.origins.at(f.addr, before, anyOrigin); ok {
		parent, ch, ok := k.contextAt(o.parent.addr, before)
		if !ok || parent != o.parent {
			return c, false
		}
		c.Parent = ch
	}
	c.Addr, c.Done = f.addr, done
	n := 0
	return c, k.cancelled(&c.Context, id, &n, since, before)
}

// cancelled completes a context, which has an id, with those that are cancelled with it. n counts
// these. The result is false if they are too many or not all known.
func (k *facts) cancelled(c *flow.Context, id contextID, n *int, since, before int64) (ok bool) {
	list, ok := k.childrenOf(id, before)
	if !ok {
		return false
	}
	here := func(o origin) bool { return o.parent == id }
	for _, a := range list {
		o, ok := k.origins.at(a, before, here)
		switch n := k.origins.within(a, since, before, here); {
		case n == 0:
			continue
		case n > 1 || !ok: // another one was there
			return false
		}
		child, done, ok := k.contextAt(a, before)
		if *n++; !ok || child.made >= o.at || *n > maxCancelled {
			return false
		}
		x := flow.Context{Addr: a, Done: done, By: o.by, Made: o.at}
		if !k.cancelled(&x, child, n, since, before) {
			return false
		}
		c.Children = append(c.Children, x)
	}
	return true
}

// childrenOf returns the addresses of the contexts that were cancelled with another one, up to an
// event. ok is false if they are too many.
func (k *contexts) childrenOf(id contextID, before int64) (list []uint64, ok bool) {
	c, ok := k.children.at(id.addr, before, func(c *children) bool { return c.of == id.made })
	if !ok {
		return nil, true
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.Clone(c.list), c.full == 0 || c.full >= before
}

// madeContext notes the channel that Done of a context will return, or the context of a function
// that cancels it, or of another one that is cancelled with it.
func (l *learner) madeContext(e *trace.Event, event int64) {
	switch {
	case e.Kind != format.AtomicWrite:
	case format.IsCancel(e.Obj):
		l.facts.cancels(e, event)
	case format.IsContext(e.Obj):
		ctx := uint64(e.Obj - format.Contexts)
		l.at(made{done: &contextDone{0, e.Val}}, goval.Known(ctx), event)
		if e.Val != 0 {
			l.at(made{size: 0}, goval.Known(e.Val), event)
		}
	}
}

// cancels notes what a function cancels, or a context with another one.
func (k *facts) cancels(e *trace.Event, event int64) {
	of := uint64(e.Obj - format.Cancels)
	parent, _, ok := k.contextAt(of, event)
	if !ok {
		k.contexts.functions.add(of, canceller{e.Val, event}, event, func(canceller) bool { return false })
		return
	}
	k.origins.add(e.Val, origin{parent, e.G, event}, event, func(origin) bool { return false })
	k.contexts.child(parent, e.Val, event)
}

// child notes a context that is cancelled with another one.
func (k *contexts) child(parent contextID, addr uint64, event int64) {
	c := &children{of: parent.made}
	k.children.add(parent.addr, c, event, func(was *children) bool {
		if was.of != c.of {
			return false
		}
		c = was
		return true
	})
	k.mu.Lock()
	defer k.mu.Unlock()
	switch {
	case slices.Contains(c.list, addr):
	case len(c.list) < maxChildren:
		c.list = append(c.list, addr)
	case c.full == 0:
		c.full = event
	}
}

// allocated ends contexts in memory that is allocated anew.
func (k *contexts) allocated(addr, size uint64, at int64) {
	k.functions.allocated(addr, size, at)
	k.origins.allocated(addr, size, at)
	k.children.allocated(addr, size, at)
}

// context notes the channel that Done of a context has returned.
func (l *learner) context(f *Frame, in *regcode.Instr, event int64) {
	word, ok := f.Value(&in.Args[0]).Word(0)
	data, ok2 := f.Value(&in.Args[0]).Word(1)
	ch, ok3 := f.regs[in.Reg].Bits()
	if ok && ok2 && ok3 {
		l.at(made{done: &contextDone{word, ch}}, goval.Known(data), event)
	}
}

// usesContext reports whether an instruction calls Done or Err of a context of package context, or
// a function that WithCancel has returned. They look at no memory but that of contexts.
func (l *learner) usesContext(f *Frame, in *regcode.Instr, event int64) (uses bool) {
	call, ok := in.SSA.(*ssa.Call)
	if !ok {
		return false
	}
	v := f.Value(&in.Args[0])
	switch plan.ContextMethod(&call.Call) {
	case "Done", "Err":
		data, ok := v.Word(1)
		if !ok {
			return false
		}
		_, uses = l.facts.DoneAt(0, data, event)
		return uses
	case "":
		addr, ok := v.Bits()
		if !ok || call.Call.IsInvoke() || call.Call.StaticCallee() != nil {
			return false
		}
		_, uses = l.facts.contexts.functions.at(addr, event, anyCanceller)
	}
	return uses
}

// asksContext reports whether an instruction calls Err of a context of which Done is known.
func (k *forker) asksContext(f *Frame, in *regcode.Instr) bool {
	call, ok := in.SSA.(*ssa.Call)
	if !ok || plan.ContextMethod(&call.Call) != "Err" {
		return false
	}
	word, ok := f.Value(&in.Args[0]).Word(0)
	data, ok2 := f.Value(&in.Args[0]).Word(1)
	if !ok || !ok2 {
		return false
	}
	ch, ok := k.w.facts.DoneAt(word, data, *k.event)
	return ok && ch != 0
}

// makesContext reports whether an instruction calls WithCancel for a parent that may be cancelled.
func (k *forker) makesContext(f *Frame, in *regcode.Instr) bool {
	call, ok := in.SSA.(*ssa.Call)
	if !ok || !plan.WithCancel(&call.Call) {
		return false
	}
	data, ok := f.Value(&in.Args[1]).Word(1)
	if !ok {
		return false
	}
	ch, ok := k.w.facts.DoneAt(0, data, *k.event)
	return ok && ch != 0
}
