package walk

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/predict/goval"
	"github.com/presage-race/presage/internal/predict/regcode"
	"github.com/presage-race/presage/internal/source/plan"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// unwindTo leaves the frames above the one whose opaque call ends. A panic has passed through them,
// and the opaque code has recovered it.
func (g *goroutine) unwindTo(site trace.Site) {
	for i := len(g.stack.frames) - 1; i >= 0; i-- {
		f := g.stack.frames[i]
		if !f.walked || !f.stage.inside || f.Instr().Site != site {
			continue
		}
		if i < len(g.stack.frames)-1 {
			g.unwind(i + 1)
		}
		return
	}
}

// passedThrough leaves the frames above the one that an event belongs to, and returns that frame;
// it returns nil if there is none. A panic, or the end of the goroutine, has passed through the
// frames above without a record. The event is a deferred operation of the returned frame, or it
// ends an operation that called back.
func (g *goroutine) passedThrough(e *trace.Event) *Frame {
	for i := len(g.stack.frames) - 2; i >= 0; i-- {
		f := g.stack.frames[i]
		if !f.walked || f.entering > 0 {
			return nil
		}
		in := f.Instr()
		if w := f.next(in); g.isDefer(f, e) || f.callsBack(in) && in.Site == e.Site && w != nil && (w.Kind == regcode.WantRuntime || w.Kind == regcode.WantEnd) && ofRuntime(e) {
			g.unwind(i + 1)
			return g.stack.top()
		}
	}
	return nil
}

// unwind leaves the frames from number n up. A panic has passed through them, so all reads are
// pinned (WA3).
func (g *goroutine) unwind(n int) {
	g.deps.pinAll()
	for len(g.stack.frames) > n {
		g.w.stats.Panicked++
		g.pop()
	}
}

// pop leaves the innermost frame.
func (g *goroutine) pop() {
	f := g.stack.pop()
	if f.walked {
		g.w.stats.Invocations++
	}
	g.learner.leaves(f, g.event)
	g.privates.left(len(g.stack.frames))
}

// enter handles an Enter event.
func (g *goroutine) enter(e *trace.Event) bool {
	depth := e.Aux
	n := len(g.stack.frames)
	for n > 0 && g.stack.frames[n-1].depth >= depth {
		n--
	}
	if n < len(g.stack.frames) {
		g.unwind(n)
	}
	caller := g.stack.top()
	direct := caller != nil && caller.walked && caller.stage.inside && caller.stage.call == begun && e.Flags&format.FlagDirect != 0
	static := caller != nil && caller.walked && !direct && g.entering(caller, e)
	if caller != nil {
		caller.frozen = nil
	}
	f := g.stack.push(depth)
	if c := g.callee(e); c != nil {
		g.stack.begin(f, c)
	}
	f.static = static || direct
	if g.w.opts.branching {
		f.once = g.learner.onceOf(caller, f, g.event)
	}
	switch {
	case f.code == nil:
		g.w.stats.Unwalked[NoFunction]++
	case static:
		g.machine.bind(caller, f)
	case e.Val == 0:
		f.entering = len(f.code.Params)
		if g.w.opts.branching && len(f.code.Params) == len(f.code.Args) {
			f.expects = g.expected(caller, f, direct)
		}
		if direct {
			g.machine.bindDynamic(caller, f)
			if g.w.opts.branching {
				g.learner.entered(caller, f, g.event)
			}
		}
	case caller == nil && len(g.started) == len(f.code.Args):
		for i, r := range f.code.Args {
			f.regs[r] = g.started[i]
		}
	}
	if g.w.opts.observer != nil {
		g.w.opts.observer.Enter(g.id, caller, f)
	}
	return f.walked
}

// callee returns the code of the function that is entered.
func (g *goroutine) callee(e *trace.Event) *regcode.Code {
	pf, block, _ := g.w.plan.FuncAt(e.Site)
	if pf == nil || block >= 0 {
		return nil
	}
	return g.w.program.Code(pf)
}

// entering advances the caller to the call that enters the function. It reports whether the callee
// can take the arguments from the caller.
func (g *goroutine) entering(f *Frame, e *trace.Event) bool {
	if f.stage.call == begun { // the function that is entered is not the callee
		f.stage.call = otherCall
		g.machine.pass(f, f.Instr())
	}
	if f.stage.inside || f.leaving || f.unwinds {
		f.deferred = f.deferred || f.leaving
		return false
	}
	g.settle(f, e.Val == 0)
	in := f.Instr()
	if w := f.next(in); w != nil {
		switch {
		case w.Kind == regcode.WantEnter && (e.Val == uint64(in.Site) || e.Val == 0):
			f.stage.inside = true
			return e.Val != 0
		case w.Kind == regcode.WantRuntime && f.callsBack(in):
			f.deferred = true // by a callback, or by a deferred call after the operation
			return false
		}
	}
	if in.Op == regcode.OpReturn && f.code.Plan.Defers && e.Val == 0 {
		g.machine.leave(f)
		f.deferred = true
		return false
	}
	if e.Val == 0 { // an implicit check failed here, and deferred functions run
		f.unwinds = true
		g.deps.pinAll()
		return false
	}
	g.fail(f, e, "entered from another call than that of the walk", nil)
	return false
}

// bind gives a callee its arguments.
func (m *machine) bind(caller, f *Frame) {
	in := caller.Instr()
	args := in.Args[1:]
	for i, r := range f.code.Args {
		var a *regcode.Arg
		switch {
		case i < len(args):
			a = &args[i]
		case i-len(args) < len(in.Free):
			a = &in.Free[i-len(args)]
		default:
			continue
		}
		f.regs[r], f.deps[r] = caller.Value(a), caller.depsOf(a)
		if m.opts.symbolic {
			f.terms[r] = caller.termOf(a)
		}
	}
}

// bindDynamic gives the callee of a call through a function value or an interface its arguments,
// without the receiver: a wrapper may have computed the receiver from the content of the interface
// or the method value. The values of the arguments are recorded as well.
func (m *machine) bindDynamic(caller, f *Frame) {
	caller.stage.call = entered
	args, params := caller.Instr().Args[1:], f.code.Args[:len(f.code.Plan.SSA.Params)]
	if f.code.Plan.SSA.Signature.Recv() != nil {
		if len(args) == len(params) { // a method expression
			m.pins.keep(caller, &args[0])
			args = args[1:]
		}
		params = params[1:]
	}
	if len(args) != len(params) {
		m.pass(caller, caller.Instr())
		return
	}
	for i, r := range params {
		f.regs[r], f.deps[r] = caller.Value(&args[i]), caller.depsOf(&args[i])
		if m.opts.symbolic {
			f.terms[r] = caller.termOf(&args[i])
		}
	}
}

// leave executes the Return instruction. The results are known; deferred calls may follow.
func (m *machine) leave(f *Frame) {
	in := f.Instr()
	for i := range in.Args {
		f.results = append(f.results, f.Value(&in.Args[i]))
		f.from = append(f.from, f.depsOf(&in.Args[i]))
		f.symbols = append(f.symbols, f.termOf(&in.Args[i]))
	}
	if m.opts.observer != nil {
		m.opts.observer.Return(f, in)
	}
	f.leaving = true
}

// exit handles an Exit event.
func (g *goroutine) exit(e *trace.Event) bool {
	n := len(g.stack.frames)
	for n > 0 && g.stack.frames[n-1].depth > e.Aux {
		n--
	}
	if n < len(g.stack.frames) {
		g.unwind(n)
	}
	f := g.stack.top()
	if f == nil || f.depth != e.Aux {
		return false
	}
	walked := f.walked && g.exits(f, e)
	results, from, symbols := f.results, f.from, f.symbols
	static, pointer := f.static, walked && boxesPointer(f)
	g.pop()
	caller := g.stack.top()
	if caller != nil && caller.walked && caller.atCall() {
		if caller.Instr().Op == regcode.OpCall {
			caller.stage.inside = false
			caller.stage.took, caller.stage.last = true, e.Kind
			caller.stage.want++
		} else {
			caller.stage.call = otherCall
		}
		if static && walked {
			if caller.Instr().Op != regcode.OpCall {
				caller.stage.call = returned
			}
			g.machine.results = append(g.machine.results[:0], results...)
			g.machine.resultDeps = append(g.machine.resultDeps[:0], from...)
			g.machine.resultTerms = append(g.machine.resultTerms[:0], symbols...)
			if g.w.opts.observer != nil {
				g.w.opts.observer.Returned(f)
			}
			return true
		}
		g.machine.results, g.machine.resultDeps, g.machine.resultTerms = g.machine.results[:0], g.machine.resultDeps[:0], g.machine.resultTerms[:0]
	}
	for _, d := range from { // what opaque code receives (WA3)
		g.deps.pin(d)
	}
	if g.away > 0 || caller != nil && caller.stage.inside && caller.code != nil && caller.Instr().Reaches && !(pointer && gets(caller.Instr())) {
		g.deps.pinStored() // it resumes (WA3). A Pool does not look at what New returns
	}
	return walked
}

// boxesPointer reports whether a frame is at the return of an interface in which it has put a
// pointer. Another value in an interface is read without a record.
func boxesPointer(f *Frame) bool {
	ret, ok := f.Instr().SSA.(*ssa.Return)
	return ok && len(ret.Results) == 1 && plan.BoxesPointer(ret.Results[0])
}

// exits advances the frame to its Return.
func (g *goroutine) exits(f *Frame, e *trace.Event) bool {
	if f.code.Plan.Site != e.Site {
		g.fail(f, e, "exit of another function", nil)
		return false
	}
	if !f.leaving && !f.unwinds {
		if g.settle(f, false); f.Instr().Op == regcode.OpReturn {
			g.machine.leave(f)
		}
	}
	switch {
	case f.leaving && e.Flags&format.FlagPanic == 0:
		if f.deferred && f.code.ResultsMayChange { // a deferred call may have changed the results
			g.deps.pinAll()
		}
		return true
	case f.code.Plan.Defers || e.Flags&format.FlagPanic != 0: // panic, recovered or not; Goexit
		g.deps.pinAll()
		f.results, f.from, f.symbols = f.results[:0], f.from[:0], f.symbols[:0]
		g.thrown = true
		g.w.stats.Panicked++
		return true
	}
	g.fail(f, e, "exit before the return", nil)
	return false
}

// expected returns the parameters of a frame that was entered with recorded parameters: the
// arguments of the go statement, or of the dynamic call that enters it at once (direct). It returns
// nil if they are not known, and for methods.
func (g *goroutine) expected(caller, f *Frame, direct bool) []goval.Value {
	switch {
	case caller == nil && len(g.started)+len(g.captured) == len(f.code.Args):
		return slices.Concat(g.started, g.captured)
	case !direct || f.code.Plan.SSA.Signature.Recv() != nil:
		return nil
	}
	in := caller.Instr()
	var list []goval.Value
	for i := range in.Args[1:] {
		list = append(list, caller.Value(&in.Args[i+1]))
	}
	if addr, ok := caller.Value(&in.Args[0]).Bits(); ok {
		if fn, free, ok := factsOf(g).FunctionAt(addr, g.event); ok && regcode.BoundMethod(fn) == nil {
			list = append(list, free...)
		}
	}
	if len(list) != len(f.code.Args) {
		return nil
	}
	return list
}
