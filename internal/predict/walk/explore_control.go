package walk

import (
	"cmp"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/predict/flow"
	"github.com/presage-race/presage/internal/source/plan"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// Control of alternatives: branches (A2), calls, returns, deferred calls, goroutines (A6).

// nop is what has no value: but deferred calls are kept, and run.
func (p *path) nop(in *instr) bool {
	f := p.frame
	switch in.in.(type) {
	case *ssa.Defer:
		d := xdefer{in: in}
		for i := range in.args {
			d.args = append(d.args, p.val(&in.args[i]))
		}
		d.free = p.free(in)
		f.defers = append(slices.Clip(f.defers), d)
	case *ssa.RunDefers:
		return p.runDefers()
	}
	f.ip++
	return true
}

// runDefers runs the last deferred call, and comes back.
func (p *path) runDefers() bool {
	f := p.frame
	n := len(f.defers)
	switch {
	case f.lostDefers:
		return p.stop("deferred-calls")
	case n == 0:
		f.ip++
		return true
	}
	d := f.defers[n-1]
	f.defers = f.defers[:n-1]
	call := &d.in.in.(*ssa.Defer).Call
	if plan.TypedDefer(call) {
		return p.typed(d.in, call, d.args)
	}
	return p.enters(d.in, call, d.args, d.free, true)
}

// enter follows an edge.
func (p *path) enter(e edge) {
	f := p.frame
	b := &f.code.blocks[e.to]
	vals := make([]sval, len(b.phis))
	for i, phi := range b.phis {
		vals[i] = p.val(&phi.args[e.pred])
	}
	for i, phi := range b.phis {
		p.set(phi, vals[i])
	}
	f.block, f.ip = e.to, 0
}

// branch is (A2).
func (p *path) branch(in *instr) bool {
	f := p.frame
	c := p.val(&in.args[0])
	succs := f.code.blocks[f.block].succs
	if !c.symbolic() {
		bit, ok := c.v.Bits()
		if !ok {
			return p.stop("unknown-branch")
		}
		p.enter(succs[1-bit&1])
		return true
	}
	first := p.starting()
	var recorded Value
	if first {
		recorded, _ = recordedOf(c.t)
	}
	var choices []func(*path)
	for _, bit := range []uint64{1, 0} {
		if first && sameValue(Known(bit), recorded) {
			continue
		}
		guards, ok := p.guard(c.t, Known(bit))
		if !ok {
			return p.stop("unknown-branch")
		}
		choices = append(choices, func(q *path) {
			q.guards = append(q.guards, guards...)
			if first {
				q.chosen, q.off = guards, true
			}
			if r := in.args[0].reg; r >= 0 {
				q.frame.regs[r] = sval{v: Known(bit)}
			}
			q.enter(succs[1-bit])
		})
	}
	return p.split(choices)
}

func (p *path) call(in *instr) bool {
	return p.enters(in, &in.in.(*ssa.Call).Call, p.operands(in), p.free(in), false)
}

// push enters a function.
func (p *path) push(c *code, args, free []sval, deferred bool) bool {
	f := newFrame(c, args, free)
	f.caller, f.deferred, f.depth = p.frame, deferred, p.frame.depth+1
	if f.depth > maxDepth {
		return p.stop("too-deep")
	}
	p.frame = f
	return true
}

func newFrame(c *code, args, free []sval) *xframe {
	f := &xframe{code: c, regs: make([]sval, c.regs), cells: make([]sval, len(c.cells))}
	for i, r := range c.args {
		switch {
		case i < len(args):
			f.regs[r] = args[i]
		case i-len(args) < len(free):
			f.regs[r] = free[i-len(args)]
		}
	}
	return f
}

// ret leaves a function.
func (p *path) ret(in *instr) bool {
	f := p.frame
	results := make([]sval, len(in.args))
	for i := range in.args {
		results[i] = p.val(&in.args[i])
	}
	if f.caller == nil {
		if f.root {
			return p.stop("goroutine-ends")
		}
		return p.stop("returns")
	}
	if f.depth == 0 {
		p.left++
	}
	p.frame = f.caller.clone()
	if f.deferred {
		return true
	}
	at := p.frame.instr()
	for i := range at.n {
		p.frame.regs[at.reg+i] = sval{}
		if int(i) < len(results) {
			p.frame.regs[at.reg+i] = results[i]
		}
	}
	p.frame.ip++
	return true
}

// spawn is (A6).
func (p *path) spawn(in *instr, call *ssa.CallCommon) bool {
	operands := p.operands(in)
	c, args, free, why := p.target(call, operands[0], operands[1:1+len(call.Args)], p.free(in))
	if c == nil || len(args)+len(free) != len(c.args) {
		return p.stop(cmp.Or(why, "opaque-call"))
	}
	for _, s := range slices.Concat(args, free) {
		if s.symbolic() {
			return p.stop("goroutine-argument")
		}
	}
	f := newFrame(c, args, free)
	f.root = true
	g := p.s.Goroutine()
	p.emit(in, trace.Event{Kind: format.Go, Obj: trace.Addr(g)}, flow.Flow{})
	p.forked = true
	p.waiting = append(slices.Clip(p.waiting), xstart{g, f})
	p.frame.ip++
	return true
}
