package walk

import (
	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/predict/flow"
	"github.com/presage-race/presage/internal/predict/goval"
	"github.com/presage-race/presage/internal/source/plan"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// A made is a function value that is known, the lock of a Cond, the channel of a context, or the
// capacity of a channel.
type made struct {
	fn   *ssa.Function // nil: it is another one
	free []goval.Value // as recorded: the operands of a MakeClosure are pinned
	once *onceFunc
	lock *flow.Locker // of a Cond
	done *contextDone
	size uint64 // capacity of a channel, which is what it is if the others are nil
	at   int64  // the event that has shown it
}

// onceFunc is a function value that sync.OnceFunc, OnceValue or OnceValues has returned.
type onceFunc struct {
	object uint64      // its Once; 0: it was not called yet
	runs   goval.Value // what the first call runs
}

// contextDone is what Done of a context returns. A type word of 0 stands for all types: of a
// context of package context, no other type has its address.
type contextDone struct{ word, ch uint64 }

// facts are the function values, channels, timers, contents of maps and type words that the walk
// has seen. It implements [alternative.Facts].
type facts struct {
	functions
	mapFacts
	syncMaps
	contexts
	pools
	timers
	dynamics
	frames places[stackFunction] // function values in frames
	image  [2]uint64             // what is known to be static data lies in between
}

// A stackFunction is a function value that lies in a frame of a goroutine, until that is left.
// Recorded stacks have no addresses: what an instruction has made, and has not allocated, counts as
// in its frame.
type stackFunction struct {
	made
	g trace.GoID
}

// ownFacts are the facts for a goroutine at an event: it has those of its frames.
type ownFacts struct {
	*facts
	g     trace.GoID
	event int64
}

// factsOf are those of a goroutine as it is.
func factsOf(g *goroutine) ownFacts { return ownFacts{&g.w.facts, g.id, g.event} }

func (k ownFacts) own(addr uint64) (m made, ok bool) {
	f, ok := k.frames.at(addr, k.event, func(f stackFunction) bool { return f.g == k.g })
	return f.made, ok
}

// FunctionAt returns the function value at an address, with what it has captured: one in a frame of
// the goroutine as it is at the event of k, any other one right before an event.
func (k ownFacts) FunctionAt(addr uint64, before int64) (fn *ssa.Function, free []goval.Value, ok bool) {
	if m, ok := k.own(addr); ok {
		return m.fn, m.free, true
	}
	return k.functions.FunctionAt(addr, before)
}

// MadeAt returns the event from which on the function value of FunctionAt has been there.
func (k ownFacts) MadeAt(addr uint64, before int64) int64 {
	if m, ok := k.own(addr); ok {
		return m.at
	}
	return k.functions.MadeAt(addr, before)
}

// functionOf returns the function that v is, nil if it is not known.
func (k ownFacts) functionOf(v goval.Value) *ssa.Function {
	if fn := v.Function(); fn != nil {
		return fn
	}
	if addr, ok := v.Bits(); ok {
		if fn, _, ok := k.FunctionAt(addr, k.event); ok {
			return fn
		}
	}
	return nil
}

// functions are the function values that are known: closures that walked code has made, and
// functions that it has stored. With them are the channels and Conds that it has made.
type functions struct{ places[made] }

// made notes the function value or channel that is at an address from an event on.
func (k *functions) made(addr uint64, m made, from int64) {
	m.at = from
	k.add(addr, m, from, func(was made) bool {
		if m.isChannel() {
			return was.isChannel() && was.size == m.size
		}
		switch {
		case m.lock != nil:
			return was.lock != nil && *was.lock == *m.lock
		case m.done != nil:
			return was.done != nil && (*was.done == *m.done || *was.done == contextDone{0, m.done.ch})
		}
		return was.fn == m.fn && m.fn != nil && m.free == nil // it captures nothing, and is static
	})
}

func (m made) isChannel() bool {
	return m.fn == nil && m.once == nil && m.lock == nil && m.done == nil
}

// DoneAt returns what Done of the context with a type word at an address returns, right before an
// event.
func (k *functions) DoneAt(word, addr uint64, event int64) (ch uint64, ok bool) {
	m, ok := k.at(addr, event, func(m made) bool { return m.done != nil && (m.done.word == word || m.done.word == 0) })
	if !ok {
		return 0, false
	}
	return m.done.ch, true
}

// LockerAt returns the lock of the Cond at an address right before an event.
func (k *functions) LockerAt(addr uint64, event int64) (l flow.Locker, ok bool) {
	m, ok := k.at(addr, event, func(m made) bool { return m.lock != nil })
	if !ok {
		return l, false
	}
	return *m.lock, true
}

// initial notes the channels, function values and Conds that variables of packages point to when
// package initialisation has ended.
func (k *functions) initial(meta *trace.Meta, p *plan.Plan) {
	at := meta.VariablesAt - 1
	for _, c := range meta.Channels {
		k.made(uint64(c.Addr), made{size: c.Cap}, at)
	}
	for _, c := range meta.Conds {
		k.made(uint64(c.Addr), made{lock: &flow.Locker{Lock: uint64(c.Lock), Shared: c.Shared}}, at)
	}
	for _, f := range meta.Functions {
		if f.Once != 0 {
			k.made(uint64(f.Addr), made{once: &onceFunc{uint64(f.Once), goval.Known(uint64(f.Runs))}}, at)
			continue
		}
		if pf := p.ByID(f.Func); pf != nil && len(pf.SSA.FreeVars) == 0 && !plan.Generic(pf.SSA) {
			k.made(uint64(f.Addr), made{fn: pf.SSA}, at)
		}
	}
}

// FunctionAt returns the function value at an address right before an event, with what it has
// captured.
func (k *functions) FunctionAt(addr uint64, event int64) (fn *ssa.Function, free []goval.Value, ok bool) {
	m, ok := k.at(addr, event, func(m made) bool { return m.fn != nil })
	return m.fn, m.free, ok
}

// MadeAt returns the event from which on the function value at an address has been there.
func (k *functions) MadeAt(addr uint64, event int64) int64 {
	m, _ := k.at(addr, event, func(m made) bool { return m.fn != nil })
	return m.at
}

// CapacityAt returns the capacity of the channel at an address right before an event.
func (k *functions) CapacityAt(addr uint64, event int64) (n uint64, ok bool) {
	m, ok := k.at(addr, event, made.isChannel)
	return m.size, ok
}

// OnceAt returns the Once of the function value at an address right before an event, if OnceFunc or
// the like has returned it, and what its first call runs.
func (k *functions) OnceAt(addr uint64, event int64) (object uint64, runs goval.Value, ok bool) {
	m, ok := k.at(addr, event, func(m made) bool { return m.once != nil && m.once.object != 0 })
	if !ok {
		return 0, goval.Value{}, false
	}
	return m.once.object, m.once.runs, true
}

// isOnce reports whether the function value at an address is one that OnceFunc or the like has
// returned.
func (k *functions) isOnce(addr uint64, event int64) (o *onceFunc, ok bool) {
	m, ok := k.at(addr, event, func(m made) bool { return m.once != nil })
	return m.once, ok
}

// reallocated notes that memory is allocated anew.
func (w *Walker) reallocated(index int64, e *trace.Event) {
	if e.Flags&format.FlagStack != 0 {
		return
	}
	w.private.allocated(uint64(e.Obj), e.Val)
	if w.opts.branching {
		w.facts.functions.allocated(uint64(e.Obj), e.Val, index)
		w.facts.timers.allocated(uint64(e.Obj), e.Val, index)
		w.facts.mapFacts.allocated(uint64(e.Obj), index)
		w.facts.pools.allocated(uint64(e.Obj), e.Val, index)
		w.facts.contexts.allocated(uint64(e.Obj), e.Val, index)
		w.facts.syncMaps.allocated(uint64(e.Obj), e.Val, index)
		w.facts.frames.allocated(uint64(e.Obj), e.Val, index)
	}
}
