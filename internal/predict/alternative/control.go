package alternative

import (
	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/predict/flow"
	"github.com/presage-race/presage/internal/predict/goval"
	"github.com/presage-race/presage/internal/predict/regcode"
	"github.com/presage-race/presage/internal/source/plan"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// nop executes an instruction without a value. Deferred calls are kept by Defer and run by
// RunDefers.
func (p *path) nop(in *regcode.Instr) bool {
	f := p.frame
	switch in.SSA.(type) {
	case *ssa.Defer:
		f.Defers = append(f.Defers, Deferred{in, p.values(in.Args), p.values(in.Free)})
	case *ssa.RunDefers:
		return p.runDefers()
	}
	f.IP++
	return true
}

// runDefers runs the last deferred call. When that returns, RunDefers is executed again.
func (p *path) runDefers() bool {
	f := p.frame
	n := len(f.Defers)
	switch {
	case f.LostDefers:
		return p.stop("deferred-calls")
	case n == 0:
		f.IP++
		return true
	}
	d := f.Defers[n-1]
	f.Defers = f.Defers[: n-1 : n-1]
	call := &d.Instr.SSA.(*ssa.Defer).Call
	if plan.TypedDefer(call) {
		return operation{p: p, in: d.Instr}.call(call, d.Args)
	}
	if libraryOf(p).deferredQuiet(d, call) {
		return true
	}
	if call.StaticCallee() == nil {
		if ok, going := (operation{p, d.Instr}).cancels(call, d.Args[0]); ok {
			return going
		}
	}
	return p.call(d.Instr, call, d.Args, d.Free, true)
}

// enter follows an edge.
func (p *path) enter(e regcode.Edge) {
	f := p.frame
	b := &f.Code.Blocks[e.To]
	vals := make([]Value, len(b.Phis))
	for i, phi := range b.Phis {
		vals[i] = p.value(&phi.Args[e.Pred])
	}
	for i, phi := range b.Phis {
		f.set(phi, vals[i])
	}
	f.Block, f.IP = e.To, 0
}

// branch goes to both sides of a branch on a term (AL2).
func (p *path) branch(in *regcode.Instr) bool {
	f := p.frame
	c := p.value(&in.Args[0])
	succs := f.Code.Blocks[f.Block].Succs
	if !c.symbolic() {
		bit, ok := c.Concrete.Bits()
		if !ok {
			return p.stop("unknown-branch")
		}
		p.enter(succs[1-bit&1])
		return true
	}
	first := !p.off
	var recorded goval.Value
	if first {
		recorded, _ = goval.RecordedValue(c.Term)
	}
	var choices []func(*path)
	sides := []uint64{1, 0}
	if p.long {
		sides = p.domain().sides(c)
	}
	for _, bit := range sides {
		if first && goval.Same(goval.Known(bit), recorded) {
			continue
		}
		guards, ok := equal(c.Term, goval.Known(bit))
		if !ok {
			return p.stop("unknown-branch")
		}
		choices = append(choices, func(q *path) {
			q.choose(guards, first)
			if r := in.Args[0].Reg; r >= 0 {
				q.frame.Regs[r] = known(bit)
			}
			q.enter(succs[1-bit])
		})
	}
	return p.split(choices)
}

// call enters the function that a call calls.
func (p *path) call(in *regcode.Instr, call *ssa.CallCommon, operands, free []Value, deferred bool) bool {
	c, why := p.resolver().callee(call, operands, free)
	if why != "" {
		return p.stop(why)
	}
	return c.entered(p, deferred)
}

// entered has a path enter a function.
func (c callee) entered(p *path, deferred bool) bool {
	f := newFrame(c.code, c.args, c.free)
	f.Caller, f.deferred, f.depth = p.frame, deferred, p.frame.depth+1
	if f.depth > maxDepth {
		return p.stop("too-deep")
	}
	p.frame = f
	return true
}

// ret leaves a function.
func (p *path) ret(in *regcode.Instr) bool {
	f := p.frame
	results := p.values(in.Args)
	if f.Caller == nil {
		if f.Root {
			if x := f.group; x != nil {
				done := int64(-1)
				p.emit(x.in, trace.Event{Kind: format.WGAdd, Obj: x.object, Val: uint64(done)}, flow.Flow{})
			}
			return p.stop("goroutine-ends")
		}
		return p.stop("returns")
	}
	if f.depth == 0 {
		p.left++
	}
	p.frame = f.Caller.clone()
	if f.Once != 0 {
		at := p.frame.instr()
		p.emit(at, trace.Event{Kind: format.OnceEnd, Obj: f.Once}, flow.Flow{})
		p.events.last().Decides = at.Dynamic
	}
	if !f.deferred {
		p.frame.returned(results)
	}
	return true
}

// spawn starts a goroutine. It is executed when the one that executes now has ended.
func (p *path) spawn(in *regcode.Instr, call *ssa.CallCommon) bool {
	c, why := p.resolver().callee(call, p.values(in.Args), p.values(in.Free))
	if why != "" {
		return p.stop(why)
	}
	if (operation{p, in}).starts(c) {
		p.frame.IP++
	}
	return true
}
