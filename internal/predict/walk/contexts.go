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
	functions places[uint64] // their contexts
	origins   places[origin]

	mu       sync.Mutex
	children map[uint64][]uint64 // of a context: all that it ever had; nil: too many
}

// origin is where a context comes from that is cancelled with another one.
type origin struct {
	parent uint64
	by     trace.GoID
	at     int64 // the event that shows it
}

const (
	maxChildren  = 64 // of one context
	maxCancelled = 4  // contexts that one function cancels beside its own
)

func anyContext(uint64) bool { return true }

func anyOrigin(origin) bool { return true }

// CancelAt returns what the function value at an address cancels, if WithCancel has returned it,
// with all contexts that were there at any time between two events.
func (k *facts) CancelAt(addr uint64, since, before int64) (c flow.Cancelled, ok bool) {
	if c.Addr, ok = k.contexts.functions.at(addr, before, anyContext); !ok || !k.FreeTimers() {
		return c, false
	}
	if o, ok := k.origins.at(c.Addr, before, anyOrigin); ok {
		if c.Parent, ok = k.DoneAt(0, o.parent, before); !ok {
			return c, false
		}
	}
	n := 0
	return c, k.cancelled(&c.Context, &n, since, before)
}

// cancelled completes a context. n counts those that are cancelled with the first one. The result
// is false if they are too many or not all known.
func (k *facts) cancelled(c *flow.Context, n *int, since, before int64) (ok bool) {
	if c.Done, ok = k.DoneAt(0, c.Addr, before); !ok {
		return false
	}
	k.contexts.mu.Lock()
	list, ok := k.children[c.Addr]
	list = slices.Clone(list)
	k.contexts.mu.Unlock()
	if ok && list == nil {
		return false
	}
	for _, a := range list {
		here := func(o origin) bool { return o.parent == c.Addr }
		o, ok := k.origins.at(a, before, here)
		switch n := k.origins.within(a, since, before, here); {
		case n == 0:
			continue
		case n > 1 || !ok: // another one was there
			return false
		}
		x := flow.Context{Addr: a, By: o.by, Made: o.at}
		if *n++; *n > maxCancelled || !k.cancelled(&x, n, since, before) {
			return false
		}
		c.Children = append(c.Children, x)
	}
	return true
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
		l.facts.newContext(ctx)
		l.at(made{done: &contextDone{0, e.Val}}, goval.Known(ctx), event)
		if e.Val != 0 {
			l.at(made{size: 0}, goval.Known(e.Val), event)
		}
	}
}

// newContext notes a new context at an address.
func (k *contexts) newContext(ctx uint64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.children, ctx)
}

// cancels notes what a function cancels, or a context with another one.
func (k *facts) cancels(e *trace.Event, event int64) {
	of := uint64(e.Obj - format.Cancels)
	if _, ok := k.DoneAt(0, of, event); !ok {
		k.contexts.functions.add(of, e.Val, event, func(was uint64) bool { return was == e.Val })
		return
	}
	k.origins.add(e.Val, origin{of, e.G, event}, event, func(origin) bool { return false })
	k.contexts.mu.Lock()
	defer k.contexts.mu.Unlock()
	if k.children == nil {
		k.children = map[uint64][]uint64{}
	}
	list, ok := k.children[of]
	switch {
	case slices.Contains(list, e.Val), ok && list == nil:
	case len(list) == maxChildren:
		k.children[of] = nil
	default:
		k.children[of] = append(list, e.Val)
	}
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
		_, uses = l.facts.contexts.functions.at(addr, event, anyContext)
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
