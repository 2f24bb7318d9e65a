package alternative

import (
	"cmp"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/predict/flow"
	"github.com/presage-race/presage/internal/predict/goval"
	"github.com/presage-race/presage/internal/predict/regcode"
	"github.com/presage-race/presage/internal/source/plan"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// Control of alternatives: branches (A2), calls, returns, deferred calls, goroutines (A6).

// nop executes an instruction without a value. Deferred calls are kept by Defer and run by
// RunDefers.
func (p *path) nop(in *regcode.Instr) bool {
	f := p.frame
	switch in.SSA.(type) {
	case *ssa.Defer:
		d := Deferred{Instr: in}
		for i := range in.Args {
			d.Args = append(d.Args, p.val(&in.Args[i]))
		}
		d.Free = p.free(in)
		f.Defers = append(slices.Clip(f.Defers), d)
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
	f.Defers = f.Defers[:n-1]
	call := &d.Instr.SSA.(*ssa.Defer).Call
	if plan.TypedDefer(call) {
		return p.typed(d.Instr, call, d.Args)
	}
	return p.enters(d.Instr, call, d.Args, d.Free, true)
}

// enter follows an edge.
func (p *path) enter(e regcode.Edge) {
	f := p.frame
	b := &f.Code.Blocks[e.To]
	vals := make([]Value, len(b.Phis))
	for i, phi := range b.Phis {
		vals[i] = p.val(&phi.Args[e.Pred])
	}
	for i, phi := range b.Phis {
		p.set(phi, vals[i])
	}
	f.Block, f.IP = e.To, 0
}

// branch is (A2).
func (p *path) branch(in *regcode.Instr) bool {
	f := p.frame
	c := p.val(&in.Args[0])
	succs := f.Code.Blocks[f.Block].Succs
	if !c.symbolic() {
		bit, ok := c.Concrete.Bits()
		if !ok {
			return p.stop("unknown-branch")
		}
		p.enter(succs[1-bit&1])
		return true
	}
	first := p.starting()
	var recorded goval.Value
	if first {
		recorded, _ = goval.RecordedValue(c.Term)
	}
	var choices []func(*path)
	for _, bit := range []uint64{1, 0} {
		if first && goval.Same(goval.Known(bit), recorded) {
			continue
		}
		guards, ok := p.guard(c.Term, goval.Known(bit))
		if !ok {
			return p.stop("unknown-branch")
		}
		choices = append(choices, func(q *path) {
			q.guards = append(q.guards, guards...)
			if first {
				q.chosen, q.off = guards, true
			}
			if r := in.Args[0].Reg; r >= 0 {
				q.frame.Regs[r] = Value{Concrete: goval.Known(bit)}
			}
			q.enter(succs[1-bit])
		})
	}
	return p.split(choices)
}

func (p *path) call(in *regcode.Instr) bool {
	return p.enters(in, &in.SSA.(*ssa.Call).Call, p.operands(in), p.free(in), false)
}

// push enters a function.
func (p *path) push(c *regcode.Code, args, free []Value, deferred bool) bool {
	f := newFrame(c, args, free)
	f.Caller, f.deferred, f.depth = p.frame, deferred, p.frame.depth+1
	if f.depth > maxDepth {
		return p.stop("too-deep")
	}
	p.frame = f
	return true
}

func newFrame(c *regcode.Code, args, free []Value) *Frame {
	f := &Frame{Code: c, Regs: make([]Value, c.Regs), Cells: make([]Value, len(c.Cells))}
	for i, r := range c.Args {
		switch {
		case i < len(args):
			f.Regs[r] = args[i]
		case i-len(args) < len(free):
			f.Regs[r] = free[i-len(args)]
		}
	}
	return f
}

// ret leaves a function.
func (p *path) ret(in *regcode.Instr) bool {
	f := p.frame
	results := make([]Value, len(in.Args))
	for i := range in.Args {
		results[i] = p.val(&in.Args[i])
	}
	if f.Caller == nil {
		if f.Root {
			return p.stop("goroutine-ends")
		}
		return p.stop("returns")
	}
	if f.depth == 0 {
		p.left++
	}
	p.frame = f.Caller.clone()
	if f.deferred {
		return true
	}
	at := p.frame.instr()
	for i := range at.N {
		p.frame.Regs[at.Reg+i] = Value{}
		if int(i) < len(results) {
			p.frame.Regs[at.Reg+i] = results[i]
		}
	}
	p.frame.IP++
	return true
}

// spawn is (A6).
func (p *path) spawn(in *regcode.Instr, call *ssa.CallCommon) bool {
	operands := p.operands(in)
	c, args, free, why := p.target(call, operands[0], operands[1:1+len(call.Args)], p.free(in))
	if c == nil || len(args)+len(free) != len(c.Args) {
		return p.stop(cmp.Or(why, "opaque-call"))
	}
	for _, s := range slices.Concat(args, free) {
		if s.symbolic() {
			return p.stop("goroutine-argument")
		}
	}
	f := newFrame(c, args, free)
	f.Root = true
	g := p.s.Goroutine()
	p.emit(in, trace.Event{Kind: format.Go, Obj: trace.Addr(g)}, flow.Flow{})
	p.forked = true
	p.waiting = append(slices.Clip(p.waiting), started{g, f})
	p.frame.IP++
	return true
}

// calls returns the invocations that the path has entered since the fork and not left, the
// innermost first. In a goroutine that the path has started, these are all of its invocations.
func (p *path) calls() []flow.Call {
	var list []flow.Call
	f := p.frame
	for ; f.depth > 0 && f.Caller != nil; f = f.Caller {
		list = append(list, flow.Call{Fn: f.Code.Plan.Site, Site: f.Caller.instr().Site})
	}
	if p.g != p.x.G {
		list = append(list, flow.Call{Fn: f.Code.Plan.Site})
	}
	return list
}
