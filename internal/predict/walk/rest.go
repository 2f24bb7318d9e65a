package walk

import (
	"go/token"
	"go/types"
	"math"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/predict/alternative"
	"github.com/presage-race/presage/internal/predict/flow"
	"github.com/presage-race/presage/internal/predict/goval"
	"github.com/presage-race/presage/internal/predict/regcode"
	"github.com/presage-race/presage/internal/source/plan"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// Rest implements [flow.Rester]. A goroutine is left out if the walk does not know where exactly it
// stands: in a call of code that is not walked, among deferred calls, after a panic, or within an
// operation that has some of its records. The goroutines are among them that timers would start.
func (w *Walker) Rest() []flow.Fork {
	if !w.opts.branching || w.straight {
		return nil
	}
	var list []flow.Fork
	for _, g := range w.goroutines {
		if g == nil {
			continue
		}
		if x := g.rest(); x != nil {
			w.stats.Forks++
			list = append(list, x)
		}
	}
	for _, x := range w.pending {
		if w.facts.runs(x.Starts) {
			list = append(list, x)
		}
	}
	return list
}

// rest returns how a goroutine goes on after its last event, nil if that is not known.
func (g *goroutine) rest() (x *alternative.Fork) {
	defer func() {
		if recover() != nil {
			x = nil
		}
	}()
	frame, at := g.entry()
	if f := g.stack.top(); f != nil {
		if !f.walked || g.away > 0 || g.thrown || !g.machine.completes(f) {
			return nil
		}
		frame, at = g.stack.freeze(len(g.stack.frames)-1), f.Instr().Site
		if at == 0 {
			at = f.code.Blocks[f.block].Site
		}
	}
	if frame == nil {
		return nil
	}
	return &alternative.Fork{
		Program: g.w.program, Facts: ownFacts{&g.w.facts, g.id, math.MaxInt64}, G: g.id, Frame: frame, At: at, Event: math.MaxInt64, Rest: true, Stacks: slices.Clip(g.stacks),
		Needs: slices.Concat(g.deps.pending, g.deps.later), Guards: slices.Clone(g.pins.guards),
	}
}

// completes brings a frame to an instruction that has not begun. It returns false if the current
// one has begun and is not known to be complete.
func (m *machine) completes(f *Frame) bool {
	s := &f.stage
	in := f.Instr()
	switch {
	case s.waits(in):
		s.reset()
		return true
	case f.entering > 0 || f.leaving || f.unwinds || s.run || s.fails || s.call != otherCall:
		return false
	case s.inside && idles(in): // time passes
		s.inside = false
		s.want++
	case s.inside:
		return false
	case !s.took:
		return true
	}
	for _, w := range in.Wants[s.want:] {
		if w.Kind == regcode.WantRuntime && !completed(in, s.last) || !f.optional(&w) {
			return false
		}
	}
	m.finish(f, in)
	s.reset()
	f.ip++
	return true
}

// waits reports whether an operation of channels that may block has only the accesses to them that
// it begins with: it waits, and may begin anew.
func (s *stage) waits(in *regcode.Instr) bool {
	if !s.took || s.last != format.Read {
		return false
	}
	switch in.SSA.(type) {
	case *ssa.Send, *ssa.Select:
		return true
	}
	return false
}

// idles reports whether an instruction is a call that does nothing but let time pass.
func idles(in *regcode.Instr) bool {
	x, ok := in.SSA.(*ssa.Call)
	return ok && plan.Idle(&x.Call)
}

// completed reports whether an operation is over when it has written a record of kind k as its last
// one. An operation of several records, such as Cond.Wait, is never known to be.
func completed(in *regcode.Instr, k format.Kind) bool {
	switch x := in.SSA.(type) {
	case *ssa.UnOp:
		return x.Op == token.ARROW && k == format.ChanRecv
	case *ssa.Call:
		if b, ok := x.Call.Value.(*ssa.Builtin); ok {
			return b.Name() == "close" && k == format.ChanClose
		}
		fn := x.Call.StaticCallee()
		if fn == nil || !plan.Typed(fn) {
			return false
		}
		switch recv := fn.Signature.Recv(); {
		case k.IsAtomic():
			return fn.Pkg != nil && fn.Pkg.Pkg.Path() == "sync/atomic"
		case recv == nil:
			return false
		case fn.Name() == "Lock" || fn.Name() == "RLock":
			return k == format.Lock
		case fn.Name() == "Unlock" || fn.Name() == "RUnlock":
			// RWMutex.Unlock makes its record before it ends the program if nobody has the lock.
			return k == format.Unlock && (fn.Name() == "RUnlock" || !isRWMutex(recv.Type()))
		case fn.Name() == "Add" || fn.Name() == "Done":
			return k == format.WGAdd
		case fn.Name() == "Wait":
			return k == format.WGWait
		}
	}
	return false
}

// isRWMutex reports whether t is *sync.RWMutex.
func isRWMutex(t types.Type) bool {
	p, ok := t.(*types.Pointer)
	if !ok {
		return false
	}
	n, ok := p.Elem().(*types.Named)
	return ok && n.Obj().Name() == "RWMutex"
}

// entry returns the frame of a goroutine that has not executed anything, nil if its function is not
// known.
func (g *goroutine) entry() (*alternative.Frame, trace.Site) {
	if g.began || g.starter == nil {
		return nil, 0
	}
	fn, free := g.starter.Call.StaticCallee(), values(g.captured)
	if fn == nil && !g.starter.Call.IsInvoke() {
		addr, ok := g.startedFn.Bits()
		if !ok {
			return nil, 0
		}
		var captured []goval.Value
		if fn, captured, ok = factsOf(g).FunctionAt(addr, g.event); !ok {
			return nil, 0
		}
		free = values(captured)
	}
	return g.w.entry(fn, values(g.started), free)
}

// entry returns the first frame of a goroutine that begins with fn, nil if that is not walked.
func (w *Walker) entry(fn *ssa.Function, args, free []alternative.Value) (*alternative.Frame, trace.Site) {
	if fn == nil || regcode.BoundMethod(fn) != nil {
		return nil, 0
	}
	pf := w.plan.Func(fn)
	if pf == nil || len(args)+len(free) != len(w.program.Code(pf).Args) {
		return nil, 0
	}
	return alternative.Entry(w.program.Code(pf), args, free), pf.Site
}

func values(list []goval.Value) []alternative.Value {
	var out []alternative.Value
	for _, v := range list {
		out = append(out, alternative.Value{Concrete: v})
	}
	return out
}

// starts keeps the arguments of a go statement for the goroutine it starts.
func (g *goroutine) starts(f *Frame, in *regcode.Instr, child trace.GoID) {
	x, ok := in.SSA.(*ssa.Go)
	if !ok || child == 0 {
		return
	}
	c := g.w.goroutine(child)
	c.starter, c.startedFn, c.event = x, f.Value(&in.Args[0]), g.event
	c.started, c.captured = c.started[:0], c.captured[:0]
	for i := range in.Args[1:] {
		c.started = append(c.started, f.Value(&in.Args[i+1]))
	}
	for i := range in.Free {
		c.captured = append(c.captured, f.Value(&in.Free[i]))
	}
}
