package walk

import (
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/predict/flow"
	"github.com/presage-race/presage/internal/source/plan"
	"github.com/presage-race/presage/internal/trace"
)

// A fork is a [flow.Fork]: the state of a goroutine right before an instruction at which it could
// have gone on in another way, because an operand that must keep its value (rule F2) rests on reads
// that need not. Explore (explore.go) executes the other ways.
type fork struct {
	w      *Walker
	g      trace.GoID
	frame  *xframe // the innermost; immutable
	args   []int   // operands that may be others
	site   trace.Site
	stacks [][2]uint64 // where the goroutine's stack has been: not memory (F6)
	// What the goroutine's next event rests on whichever way it goes.
	needs  []int64
	guards []flow.Guard
	reads  []int64 // of args; nil: not computed
}

// NewBranching returns a symbolic walker whose Flows have forks.
func NewBranching(p *plan.Plan) *Walker {
	w := NewSymbolic(p)
	w.branching = true
	return w
}

// MindMissing says that nobody looks at forks behind the beginning of a missing method: none is
// kept.
func (w *Walker) MindMissing() { w.minding = true }

// forkable returns the operands of an instruction that make it a fork.
func (g *goroutine) forkable(f *frame, in *instr) []int {
	pins := in.pins
	switch in.op {
	case opIf, opLoad, opStore:
	case opEval, opPart:
		switch in.in.(type) {
		case *ssa.FieldAddr, *ssa.IndexAddr:
		case *ssa.Slice:
			if in.kind == types.String { // it has bounds, and is evaluated
				return nil
			}
		case *ssa.Call:
			if !in.dynamic {
				return nil
			}
			pins = 1
		default:
			return nil
		}
	default:
		return nil
	}
	var open []int
	for i := range in.args {
		if pins != all && pins>>min(i, 63)&1 == 0 {
			continue
		}
		if d := f.depsOf(&in.args[i]); d != nil && !d.pinned && f.termOf(&in.args[i]) != nil {
			open = append(open, i)
		}
	}
	return open
}

// sampled reports whether to keep the n-th fork of one instruction in a goroutine: the first ones,
// then ever fewer.
func sampled(n uint32) bool { return n <= 64 || n&(n-1) == 0 }

// fork keeps the state of the goroutine at an instruction, if it is a fork.
func (g *goroutine) fork(f *frame, in *instr) {
	open := g.forkable(f, in)
	if open == nil {
		return
	}
	if g.forked == nil {
		g.forked = map[*instr]uint32{}
	}
	if g.forked[in]++; !sampled(g.forked[in]) {
		g.w.stats.ForksLeft++
		return
	}
	if g.w.straight {
		return
	}
	g.w.stats.Forks++
	x := &fork{
		w: g.w, g: g.id, frame: g.freeze(len(g.frames) - 1), args: open, site: in.site,
		needs: slices.Concat(g.d.pending, g.d.later), guards: slices.Clone(g.guards),
	}
	if x.site == 0 {
		x.site = f.code.blocks[f.block].site
	}
	x.stacks = g.stacks[:len(g.stacks):len(g.stacks)]
	g.forks = append(g.forks, x)
}

// maxFrames bounds the callers that a fork keeps.
const maxFrames = 16

// freeze returns frame n of the goroutine and its callers, as the machine of alternatives has them.
func (g *goroutine) freeze(n int) *xframe {
	g.wake(n - maxFrames)
	top := g.freezeFrame(g.frames[n])
	x := top
	for k := n; k > 0 && n-k < maxFrames; k-- {
		f, caller := g.frames[k], g.frames[k-1]
		if !caller.walked || !f.static || !caller.atCall() {
			break
		}
		if caller.frozen == nil {
			caller.frozen = g.freezeFrame(caller)
		}
		x.caller = caller.frozen
		if x = x.caller; x.caller != nil {
			return top
		}
		if k == 1 && !x.root {
			x.root = true
		}
	}
	if n == 0 {
		x.root = true
	}
	return top
}

func (g *goroutine) freezeFrame(f *frame) *xframe {
	x := &xframe{code: f.code, block: f.block, ip: f.ip, defers: slices.Clip(f.defers), lostDefers: f.lostDefers}
	x.regs = make([]sval, len(f.regs))
	for r := range f.regs {
		x.regs[r] = f.open(f.regs[r], f.deps[r], f.terms[r])
	}
	x.cells = make([]sval, len(f.code.cells))
	for i := range x.cells {
		c := &f.cells[i]
		if c.words == nil {
			continue
		}
		v := Value{bits: c.words[0], known: c.known, more: &more{words: slices.Clone(c.words[1:])}}
		if x.cells[i] = (sval{v: v}); c.terms != nil {
			x.cells[i] = f.open(v, c.deps, &term{words: c.terms})
		}
	}
	return x
}

// open is a value that the reads d go into: symbolic if they need not keep their values.
func (f *frame) open(v Value, d *reads, t *term) sval {
	switch {
	case d == nil || d.pinned:
		return sval{v: v}
	}
	return symbolic(t)
}

// deferred keeps a deferred call.
func (g *goroutine) deferred(f *frame, in *instr) {
	if len(f.defers) >= maxFrames {
		f.lostDefers = true
		return
	}
	d := xdefer{in: in}
	for i := range in.args {
		d.args = append(d.args, f.symbolOf(&in.args[i]))
	}
	for i := range in.free {
		d.free = append(d.free, f.symbolOf(&in.free[i]))
	}
	f.defers = append(slices.Clip(f.defers), d)
}

func (f *frame) symbolOf(a *arg) sval {
	if a.reg < 0 {
		return sval{v: f.value(a)}
	}
	return f.open(f.regs[a.reg], f.deps[a.reg], f.terms[a.reg])
}

// Reads implements [flow.Fork].
func (x *fork) Reads() []int64 {
	if x.reads == nil {
		x.reads = []int64{}
		in := x.frame.instr()
		for _, i := range x.args {
			for _, r := range readsOf(x.frame.regs[in.args[i].reg].term()) {
				x.reads = append(x.reads, r.Number())
			}
		}
		slices.Sort(x.reads)
		x.reads = slices.Compact(x.reads)
	}
	return x.reads
}

// Base implements [flow.Fork].
func (x *fork) Base() bool { return x.frame.instr().op != opIf }

// Site implements [flow.Fork].
func (x *fork) Site() trace.Site { return x.site }
