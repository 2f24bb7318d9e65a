package offpath

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/predict/flow"
	"github.com/presage-race/presage/internal/source/plan"
	"github.com/presage-race/presage/internal/trace/format"
)

// body is the code of a function, which must be instrumented.
func (m *machine) body(fn *ssa.Function) *plan.Func {
	pf := m.process.in.snap.Program.Func(fn)
	if pf == nil || len(pf.SSA.Blocks) == 0 {
		throw("a call of %v, which is not instrumented", fn)
	}
	return pf
}

// callee is the function value of a call, or the interface of a method's call; nothing if the call
// names its function.
func (f *frame) callee(c *ssa.CallCommon) value {
	if _, ok := c.Value.(*ssa.Builtin); ok || static(c) != nil {
		return value{}
	}
	return f.val(c.Value)
}

// static is the function that a call names. A bound method is called as a value.
func static(c *ssa.CallCommon) *ssa.Function {
	if fn := c.StaticCallee(); fn != nil && !binds(fn) {
		return fn
	}
	return nil
}

// binds reports whether a function is the value of a method with its receiver.
func binds(fn *ssa.Function) bool { return strings.HasPrefix(fn.Synthetic, "bound method wrapper") }

// entered is the invocation that a call enters. A function value must be one of the heap, or one
// that the snapshot has at its address (CP3).
func (m *machine) entered(c *ssa.CallCommon, callee value, args, free []value) *frame {
	if fn := static(c); fn != nil {
		return m.invocation(m.body(fn), args, free)
	}
	if c.IsInvoke() {
		return m.invoked(c, callee, args)
	}
	return m.called(callee, args)
}

// called is the invocation that a call of a function value enters.
func (m *machine) called(callee value, args []value) *frame {
	fn, free := m.functionAt(pointer(callee))
	if binds(fn) {
		if len(free) != 1 {
			throw("%v binds %d values", fn, len(free))
		}
		method := plan.Method(fn)
		if method == nil {
			throw("a bound method of an interface")
		}
		return m.invocation(m.body(method), append([]value{free[0]}, args...), nil)
	}
	return m.invocation(m.body(fn), args, free)
}

// functionAt is the function value at an address.
func (m *machine) functionAt(addr uint64) (fn *ssa.Function, free []value) {
	if addr >= freshBase {
		return m.env.heap.closure(addr)
	}
	p := m.process
	c, ok := p.in.snap.Closure(addr, p.in.window.To)
	if !ok || len(c.Free) != len(c.Fn.FreeVars) {
		throw("a call of an unknown function")
	}
	p.called = append(p.called, addr)
	for i, d := range c.Free {
		free = append(free, m.env.held(d, c.Fn.FreeVars[i].Type()))
	}
	return c.Fn, free
}

// invocation is a call of pf.
func (m *machine) invocation(pf *plan.Func, args, free []value) *frame {
	f := &frame{env: m.env, fn: pf, vals: map[ssa.Value]value{}, locals: map[*ssa.Alloc]*object{}, block: pf.SSA.Blocks[0]}
	if len(args) != len(pf.SSA.Params) || len(free) != len(pf.SSA.FreeVars) {
		throw("a call of %v with %d arguments and %d free variables", pf.SSA, len(args), len(free))
	}
	for i, p := range pf.SSA.Params {
		f.vals[p] = args[i]
	}
	for i, v := range pf.SSA.FreeVars {
		f.vals[v] = free[i]
	}
	return f
}

// call executes a call. It reports whether it has entered a function.
func (m *machine) call(in *ssa.Call) (entered bool) {
	f := m.frame
	if b, ok := in.Call.Value.(*ssa.Builtin); ok {
		f.vals[in] = m.builtin(in, b.Name())
		return false
	}
	if callee := in.Call.StaticCallee(); plan.Typed(callee) {
		if isOnce(callee) {
			return m.once(in)
		}
		if isGo(callee) {
			m.groupGo(in)
			return false
		}
		if name := plan.MapMethod(callee); name != "" {
			f.vals[in] = m.syncMap(f.at().Site, f.operands(in.Call.Args), name)
			return false
		}
		f.vals[in] = m.ops.typed(f.at().Site, &in.Call, callee, f.operands(in.Call.Args))
		return false
	}
	if plan.Idle(&in.Call) {
		return false
	}
	if k := (contexts{m}); k.cancels(&in.Call, f.callee(&in.Call), f.at().Site) || k.withCancel(in) {
		return false
	}
	if o, ok := m.onceFunc(&in.Call); ok {
		return m.first(o)
	}
	if plan.PoolGet(&in.Call) {
		return m.poolGet(in)
	}
	if (contexts{m}).asks(in) {
		return false
	}
	if m.evaluated(in) || m.made(in) {
		return false
	}
	inner := m.entered(&in.Call, f.callee(&in.Call), f.operands(in.Call.Args), f.bindings(in.Call.Value))
	inner.caller = f
	m.frame = inner
	return true
}

// isOnce reports whether a function is the Do of sync.Once.
func isOnce(fn *ssa.Function) bool {
	obj, ok := fn.Object().(*types.Func)
	return ok && obj.FullName() == "(*sync.Once).Do"
}

// once executes the Do of a Once. It reports whether it has entered the function.
func (m *machine) once(in *ssa.Call) (entered bool) {
	f := m.frame
	args := f.operands(in.Call.Args)
	addr, first := m.ops.once(args[0], f.at().Site)
	if !first {
		return false
	}
	fn, free := m.functionAt(pointer(args[1]))
	m.runsOnce(fn, free, addr)
	return true
}

// runsOnce enters the function that a Once runs.
func (m *machine) runsOnce(fn *ssa.Function, free []value, once uint64) {
	if binds(fn) {
		throw("a Once of a bound method")
	}
	inner := m.invocation(m.body(fn), nil, free)
	inner.caller, inner.once = m.frame, once
	m.frame = inner
}

// onceFunc is what a call calls, if OnceFunc or the like has returned it.
func (m *machine) onceFunc(c *ssa.CallCommon) (o flow.OnceFunc, ok bool) {
	if static(c) != nil || c.IsInvoke() {
		return o, false
	}
	addr, ok := m.frame.callee(c).bits()
	if !ok || addr < 4096 || addr >= freshBase {
		return o, false
	}
	p := m.process
	if o, ok = p.in.snap.Once(addr, p.in.window.To); ok {
		p.called = append(p.called, addr)
	}
	return o, ok
}

// first executes a call of such a function value: what it returns is what the function returns if
// the goroutine is the first, and else unknown. It reports whether it has entered the function.
func (m *machine) first(o flow.OnceFunc) (entered bool) {
	f := m.frame
	once, first := m.ops.once(number(o.Object, 8), f.at().Site)
	if !first {
		call := f.instr().(*ssa.Call)
		f.vals[call] = nothingKnown(call.Type())
		return false
	}
	fn, free := o.Runs.Fn, []value(nil)
	if o.At != 0 {
		fn, free = m.functionAt(o.At)
	}
	m.runsOnce(fn, free, once)
	return true
}

// nothingKnown is an unknown value of a type.
func nothingKnown(t types.Type) value {
	tuple, ok := t.(*types.Tuple)
	if !ok {
		return unknown(sizeof(t))
	}
	v := value{tuple: []value{}}
	for x := range tuple.Variables() {
		v.tuple = append(v.tuple, unknown(sizeof(x.Type())))
	}
	return v
}

// evaluated executes a call of a pure function of the standard library. It reports whether in is
// one.
func (m *machine) evaluated(in *ssa.Call) bool {
	callee := in.Call.StaticCallee()
	if callee != nil && callee.Origin() != nil {
		callee = callee.Origin()
	}
	if callee == nil || m.process.in.snap.Program.Func(callee) != nil {
		return false
	}
	fn, ok := callee.Object().(*types.Func)
	if !ok {
		return false
	}
	args := in.Call.Args
	if in.Call.Signature().Variadic() {
		if args, ok = printed(in); !ok {
			return false
		}
	}
	f := library[fn.FullName()]
	if f == nil {
		return false
	}
	c := &std{args: m.frame.operands(args), known: true}
	for _, a := range args {
		c.kinds = append(c.kinds, basicKind(a.Type()))
	}
	f(c)
	m.frame.vals[in] = c.value(in.Type())
	return true
}

// decides checks that no recorded call finds what the function of sync.OnceFunc or the like has
// returned in the recorded run (CP4): with the OnceEnd of step s it has returned something else, or
// has not panicked.
func (p *process) decides(s *step) {
	for _, end := range s.events {
		once := p.in.variant.Events[end].Obj
		for i := range p.in.window.Events {
			if e := &p.in.window.Events[i]; e.Kind == format.OncePass && e.Obj == once && p.in.exec.Done(int32(i)) {
				reject("CP4", "event %d passes the Once of a function value, whose result is another one", i)
			}
		}
	}
}

// leave returns from a function.
func (m *machine) leave(in *ssa.Return) {
	f := m.frame
	results := f.operands(in.Results)
	if f.caller == nil {
		if x := f.group; x != nil {
			adds(m.steps.expect(format.WGAdd, 0, x.site, &x.addr, 0), -1)
			if m.steps.empty() {
				panic(finished{})
			}
		}
		if m.resumed && !m.process.in.snap.Root {
			throw("the return from a function whose caller is unknown")
		}
		throw("the goroutine ends")
	}
	m.frame = f.caller
	if f.once != 0 {
		s := m.steps.expect(format.OnceEnd, 0, m.frame.at().Site, &f.once, 0)
		if call, ok := m.frame.instr().(*ssa.Call); !ok || static(&call.Call) == nil {
			m.process.decides(s)
		}
	}
	if f.deferred {
		return // to RunDefers, which runs the next deferred call
	}
	call := m.frame.instr().(*ssa.Call)
	switch t := call.Type().(type) {
	case *types.Tuple:
		m.frame.vals[call] = value{tuple: results}
		if t.Len() != len(results) {
			throw("%d results of %d", len(results), t.Len())
		}
	default:
		if len(results) != 1 {
			throw("%d results of 1", len(results))
		}
		m.frame.vals[call] = results[0]
	}
	m.frame.ip++
}

// runDefers runs the last deferred call. The frame stays at RunDefers until all have run.
func (m *machine) runDefers() {
	f := m.frame
	n := len(f.defers)
	switch {
	case f.lost:
		throw("unknown deferred calls")
	case n == 0:
		f.ip++
		return
	}
	d := f.defers[n-1]
	f.defers = f.defers[:n-1]
	call := &d.call.Call
	site := f.fn.Blocks[d.call.Block().Index].Instrs[indexIn(d.call)].Site
	if plan.TypedDefer(call) {
		if _, ok := call.Value.(*ssa.Builtin); ok {
			m.ops.sync(format.ChanClose, 0, d.args[0], site)
			return
		}
		if name := plan.MapMethod(call.StaticCallee()); name != "" {
			m.syncMap(site, d.args, name)
			return
		}
		m.ops.typed(site, call, call.StaticCallee(), d.args)
		return
	}
	if _, ok := m.unnoticed(call, d.args); ok || (contexts{m}).cancels(call, d.callee, site) {
		return
	}
	inner := m.entered(call, d.callee, d.args, d.free)
	inner.caller, inner.deferred = f, true
	m.frame = inner
}

func indexIn(in ssa.Instruction) int {
	for i, x := range in.Block().Instrs {
		if x == in {
			return i
		}
	}
	return -1
}
