package alternative

import (
	"cmp"
	"slices"

	"github.com/presage-race/presage/internal/predict/expr"
	"github.com/presage-race/presage/internal/predict/flow"
	"github.com/presage-race/presage/internal/predict/goval"
	"github.com/presage-race/presage/internal/predict/regcode"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// cancelling finds the ways in which a function cancels a context (AL3): the context is cancelled
// now, or it has been. Then its children are, one after the other. Each way is a list of actions.
//
// A function that has cancelled its context removes it from the children of its parent, for which
// it waits until nobody cancels the parent. Only a parent that is not cancelled is considered. A
// function whose context has been cancelled waits until its children are, too.
//
// Whether there is a child that another goroutine makes in the window is known by the word of the
// child (package format), right after the channel of the parent was closed. A child that is made
// later finds it closed. One that is being made while that happens is cancelled as well, by the
// goroutine that makes it. No other goroutine has it before.
type cancelling struct {
	p   *path
	why string // not empty: something is not modelled
}

// A cancelAct is an action: an event, and the word that it reads.
type cancelAct struct {
	event trace.Event
	reads bool
	word  uint64
	cases []flow.StepCase // of a SelectDefault
}

// maxCancels bounds the ways that are considered.
const maxCancels = 8

// emitted makes the step of an action.
func (a *cancelAct) emitted(p *path, in *regcode.Instr) {
	n := p.emit(in, a.event, flow.Flow{})
	p.events.last().Cases = a.cases
	if a.reads {
		is := goval.Equal(readValue(n, 8).Term.Word(0), expr.Word(a.word))
		p.events.require(flow.Guard{Term: is, Want: 1})
		p.memory.learns(goval.Known(a.word))
	}
}

// function returns the ways in which a function cancels c.
func (x *cancelling) function(c *flow.Cancelled) (list [][]cancelAct) {
	first := x.closes(&c.Context)
	if c.Parent != 0 {
		e := x.on(format.ChanRecv, c.Parent)
		first = append(first, cancelAct{
			event: trace.Event{Kind: format.SelectDefault}, cases: []flow.StepCase{{Chan: c.Parent, Capacity: e.Aux}},
		})
	}
	list = x.children([][]cancelAct{first}, c.Children, false)
	return append(list, x.found(&c.Context)...)
}

// on returns an operation on a channel.
func (x *cancelling) on(kind format.Kind, ch uint64) trace.Event {
	e := trace.Event{Kind: kind}
	if why := channelsOf(x.p).setChannel(&e, known(ch)); why != "" {
		x.why = why
	}
	return e
}

// closes returns the action that closes the channel of a context.
func (x *cancelling) closes(c *flow.Context) []cancelAct {
	return []cancelAct{{event: x.on(format.ChanClose, c.Done)}}
}

// found returns the ways in which c and its children have been cancelled.
func (x *cancelling) found(c *flow.Context) [][]cancelAct {
	e := x.on(format.ChanRecv, c.Done)
	if e.Flags = format.FlagClosed; !channelsOf(x.p).closes(c.Done) {
		return nil
	}
	return x.children([][]cancelAct{{{event: e}}}, c.Children, true)
}

// children adds to ways those in which children are cancelled after that; with been, they have been
// before.
func (x *cancelling) children(ways [][]cancelAct, list []flow.Context, been bool) [][]cancelAct {
	for i := range list {
		var next [][]cancelAct
		for _, more := range x.child(&list[i], been) {
			for _, w := range ways {
				if len(next) == maxCancels {
					x.p.x.bounded = true
					continue
				}
				next = append(next, slices.Concat(w, more))
			}
		}
		ways = next
	}
	return ways
}

// child returns the ways in which a child is cancelled, or is not there.
func (x *cancelling) child(c *flow.Context, been bool) (list [][]cancelAct) {
	fork := x.p.x.fork
	if c.By == fork.G && c.Made >= fork.Event {
		return [][]cancelAct{nil}
	}
	there := c.By == fork.G || c.Made < x.p.x.around.From()
	if !there { // the path will have read its word
		all, q := x, *x.p
		q.memory.clip()
		q.memory.learns(goval.Known(c.Done))
		x = &cancelling{p: &q}
		defer func() { all.why = cmp.Or(all.why, x.why) }()
	}
	if !been {
		list = x.children([][]cancelAct{x.closes(c)}, c.Children, false)
	}
	list = append(list, x.found(c)...)
	if there {
		return list
	}
	read := func(word uint64) []cancelAct {
		e := trace.Event{Kind: format.AtomicRead, Size: 8, Obj: format.Contexts + trace.Addr(c.Addr)}
		return []cancelAct{{event: e, reads: true, word: word}}
	}
	for i := range list {
		list[i] = append(read(c.Done), list[i]...)
	}
	return append(list, read(0))
}
