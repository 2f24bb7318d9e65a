package offpath

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/source/plan"
)

// newContext is a context that the alternative has made (CP3). Its object, the function that
// cancels it, and its channel refer to it. As long as the alternative has no second goroutine,
// nobody else has them.
type newContext struct {
	parent  *newContext // nil: one of the recorded run
	channel uint64      // of the nearest parent of the recorded run; 0: that is never cancelled
	ended   bool        // its function was called
	done    uint64      // its own channel
}

// over reports whether a context is cancelled, by its function or that of a parent.
func (c *newContext) over() bool { return c != nil && (c.ended || c.parent.over()) }

// someContext stands for the types of contexts.
var someContext = types.NewPointer(types.NewNamed(
	types.NewTypeName(token.NoPos, types.NewPackage("context", "context"), "a context", nil), types.NewStruct(nil, nil), nil))

// made returns the new context to which an object refers that is at an address; nil if there is
// none. Once a second goroutine has started, nothing is known of it.
func (h *heap) made(addr uint64) *newContext {
	if addr < freshBase {
		return nil
	}
	x, _ := h.number(addr)
	if x == nil || x.context == nil {
		return nil
	}
	if h.forked || addr != x.base {
		throw("a context that another goroutine may have")
	}
	return x.context
}

// withCancel executes a call of context.WithCancel for a parent of package context. It reports
// whether in is such a call.
func (k contexts) withCancel(in *ssa.Call) bool {
	m := k.m
	if !plan.WithCancel(&in.Call) || m.process.in.snap.Program.Func(in.Call.StaticCallee()) != nil {
		return false
	}
	f, h := m.frame, m.env.heap
	data, ok := f.val(in.Call.Args[0]).word(1)
	if !ok || h.forked {
		return false
	}
	c := &newContext{parent: h.made(data)}
	switch p := m.process; {
	case c.parent != nil:
		c.channel = c.parent.channel
	case data >= notProgram:
		return false
	default:
		if c.channel, ok = p.in.snap.Done(0, data, p.in.window.To); !ok {
			return false
		}
		p.called = append(p.called, data)
	}
	part := func() uint64 {
		x := h.allocate(nil, zero(8), false)
		x.context = c
		return x.base
	}
	t := in.Type().(*types.Tuple).At(0).Type()
	ctx := words(m.env.types.word(t, concrete{typ: someContext}), number(part(), 8))
	c.done = part()
	f.vals[in] = value{tuple: []value{ctx, number(part(), 8)}}
	return true
}

// asksNew executes Done or Err of a new context. Err finds no error if the channel of the parent is
// open: only the goroutine itself could have cancelled the context. It finds one if that is closed:
// the goroutine that closes it can cancel this context before it does anything else.
func (k contexts) asksNew(in *ssa.Call, c *newContext) {
	m := k.m
	f := m.frame
	switch {
	case in.Call.Method.Name() == "Done":
		f.vals[in] = number(c.done, 8)
	case c.over():
		f.vals[in] = m.newError(in.Type(), errorOfFmt, unknown(16))
	case c.channel == 0:
		f.vals[in] = zero(16)
	default:
		f.vals[in] = k.err(in, c.channel)
	}
}

// receivesDone is a receive from a channel that may be that of a new context. ok reports that it
// has been executed, because the channel is closed; else c is the channel that it waits for.
func (o *operations) receivesDone(addr uint64) (c uint64, ok bool) {
	x := o.heap.made(addr)
	switch {
	case x == nil:
		return addr, false
	case x.over():
		return 0, true
	case x.channel == 0:
		throw("a receive from the channel of a context that nobody cancels")
	}
	return x.channel, false
}

// selectsDone is the channel in whose place a case of a select has that of a new context; 0: it is
// never ready.
func (o *operations) selectsDone(addr uint64) uint64 {
	x := o.heap.made(addr)
	switch {
	case x == nil:
		return addr
	case x.over():
		throw("a select with the channel of a context that is cancelled")
	}
	return x.channel
}
