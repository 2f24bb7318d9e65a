package offpath

import (
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/source/plan"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// body is the code of a function, if it is instrumented.
func (m *machine) body(fn *ssa.Function) *plan.Func {
	pf := m.snap.Program.Func(fn)
	if pf == nil || len(pf.SSA.Blocks) == 0 {
		throw("a call of %v, which is not instrumented", fn)
	}
	return pf
}

// callee is the function value of a call that has one (D10).
func (m *machine) callee(c *ssa.CallCommon) value {
	if _, ok := c.Value.(*ssa.Builtin); ok || m.static(c) != nil {
		return value{}
	}
	return m.val(c.Value)
}

// static is the function that a call names. A bound method is called as a value.
func (m *machine) static(c *ssa.CallCommon) *ssa.Function {
	if fn := c.StaticCallee(); fn != nil && !binds(fn) {
		return fn
	}
	return nil
}

// binds reports whether a function is the value of a method with its receiver.
func binds(fn *ssa.Function) bool { return strings.HasPrefix(fn.Synthetic, "bound method wrapper") }

// function is a function as a value: it has an address of its own here.
func (c *checker) function(fn *ssa.Function) value {
	at, ok := c.funcs[fn]
	if !ok {
		o := c.newObject(nil, zero(8), false)
		o.fn, at = fn, o.base
		c.funcs[fn] = at
	}
	return number(at, 8)
}

// entered is the invocation that a call enters, if the function is known. A function value is one
// that was made here, or that was made on a recorded path, as the snapshot says.
func (m *machine) entered(c *ssa.CallCommon, callee value, args, free []value) *frame {
	if fn := m.static(c); fn != nil {
		return m.invocation(m.body(fn), args, free)
	}
	if c.IsInvoke() {
		return m.invoked(c, callee, args)
	}
	addr := m.pointer(callee)
	fn, free := m.functionAt(addr)
	if binds(fn) {
		if len(free) != 1 {
			throw("%v binds %d values", fn, len(free))
		}
		method := plan.Method(fn)
		if method == nil {
			throw("a method of an interface")
		}
		return m.invocation(m.body(method), append([]value{free[0]}, args...), nil)
	}
	return m.invocation(m.body(fn), args, free)
}

// functionAt is the function value at an address.
func (m *machine) functionAt(addr uint64) (fn *ssa.Function, free []value) {
	if addr >= freshBase {
		k := (addr - freshBase) >> freshShift
		if k >= uint64(len(m.objects)) || m.objects[k].fn == nil || addr != m.objects[k].base {
			throw("a call of what is no function")
		}
		return m.objects[k].fn, m.objects[k].free
	}
	c, ok := m.snap.Closure(addr, m.b.To)
	if !ok || len(c.Free) != len(c.Fn.FreeVars) {
		throw("a call of a function that is not known")
	}
	m.called = append(m.called, addr)
	for i, d := range c.Free {
		free = append(free, m.held(d, c.Fn.FreeVars[i].Type()))
	}
	return c.Fn, free
}

// invocation is a call of pf.
func (m *machine) invocation(pf *plan.Func, args, free []value) *frame {
	f := &frame{fn: pf, vals: map[ssa.Value]value{}, locals: map[*ssa.Alloc]*object{}, block: pf.SSA.Blocks[0]}
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
		f.vals[in] = m.typed(&in.Call, callee, m.vals(in.Call.Args), f.site())
		return false
	}
	if plan.Idle(&in.Call) {
		return false
	}
	if m.evaluated(in) {
		return false
	}
	inner := m.entered(&in.Call, m.callee(&in.Call), m.vals(in.Call.Args), m.bindings(in.Call.Value))
	inner.caller = f
	m.frame = inner
	return true
}

// evaluated executes a call of a pure function of the standard library. It reports whether in is
// one.
func (m *machine) evaluated(in *ssa.Call) bool {
	callee := in.Call.StaticCallee()
	if callee != nil && callee.Origin() != nil {
		callee = callee.Origin()
	}
	if callee == nil || m.snap.Program.Func(callee) != nil {
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
	c := &std{args: m.vals(args), known: true}
	for _, a := range args {
		c.kinds = append(c.kinds, basicKind(a.Type()))
	}
	f(c)
	m.frame.vals[in] = c.value(in.Type())
	return true
}

// leave returns from a function.
func (m *machine) leave(in *ssa.Return) {
	f := m.frame
	results := m.vals(in.Results)
	if f.caller == nil {
		if m.main && !m.snap.Root {
			throw("the return from a function whose caller is not known")
		}
		throw("the goroutine ends")
	}
	m.frame = f.caller
	if f.deferred {
		return // to its RunDefers, which looks for more
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

// runDefers runs the last deferred call, and comes back.
func (m *machine) runDefers() {
	f := m.frame
	n := len(f.defers)
	switch {
	case f.lost:
		throw("deferred calls that are not known")
	case n == 0:
		f.ip++
		return
	}
	d := f.defers[n-1]
	f.defers = f.defers[:n-1]
	call := &d.call.Call
	if plan.TypedDefer(call) {
		site := f.fn.Blocks[d.call.Block().Index].Instrs[indexIn(d.call)].Site
		if _, ok := call.Value.(*ssa.Builtin); ok {
			m.sync(format.ChanClose, 0, d.args[0], site)
			return
		}
		m.typed(call, call.StaticCallee(), d.args, site)
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

// start executes a go statement (D8).
func (m *machine) start(in *ssa.Go) {
	inner := m.entered(&in.Call, m.callee(&in.Call), m.vals(in.Call.Args), m.bindings(in.Call.Value))
	s := m.expect(format.Go, 0, m.frame.site(), nil, 0)
	m.forked = true
	m.freeze(m)
	u := &machine{checker: m.checker, g: trace.GoID(s.Event.Obj), frame: inner, born: len(m.objects)}
	m.waiting = append(m.waiting, u)
}

// builtin executes a call of a builtin function.
func (m *machine) builtin(in *ssa.Call, name string) value {
	args := in.Call.Args
	switch name {
	case "len", "cap":
		return m.length(name == "cap", args[0])
	case "min", "max":
		return extreme(name == "min", basicKind(in.Type()), m.vals(args))
	case "real", "imag":
		x := m.val(args[0])
		n := len(x.img) / 2
		if name == "imag" {
			return x.part(n, n)
		}
		return x.part(0, n)
	case "complex":
		x, y := m.val(args[0]), m.val(args[1])
		return zero(2*len(x.img)).with(0, x).with(len(x.img), y)
	case "ssa:wrapnilchk":
		m.pointer(m.val(args[0]))
		return m.val(args[0])
	case "close":
		m.sync(format.ChanClose, 0, m.val(args[0]), m.frame.site())
		return value{}
	case "delete", "clear":
		if _, ok := plan.Core(args[0].Type()).(*types.Map); ok {
			m.mapAccess(format.Write, m.val(args[0]))
		}
	}
	throw("%s is not modelled", name)
	return value{}
}

func (m *machine) length(capacity bool, arg ssa.Value) value {
	t := plan.Core(arg.Type())
	if p, ok := t.(*types.Pointer); ok {
		t = plan.Core(p.Elem())
	}
	switch t := t.(type) {
	case *types.Array:
		return number(uint64(t.Len()), 8)
	case *types.Slice:
		if capacity {
			return m.val(arg).part(16, 8)
		}
		return m.val(arg).part(8, 8)
	case *types.Basic:
		return m.val(arg).part(8, 8)
	case *types.Map:
		m.mapAccess(format.Read, m.val(arg))
	}
	throw("the length of %v", arg.Type())
	return value{}
}

// extreme is min and max, by the builtins themselves.
func extreme(least bool, k types.BasicKind, args []value) value {
	r := args[0]
	for _, v := range args[1:] {
		if k == types.String {
			r = extremeText(least, r, v)
			continue
		}
		x, ok := r.bits()
		y, ok2 := v.bits()
		n := len(r.img)
		switch {
		case !ok || !ok2:
			r = unknown(n)
		case k == types.Float32 || k == types.Float64:
			a, _ := floatOf(r)
			b, _ := floatOf(v)
			f := max(a, b)
			if least {
				f = min(a, b)
			}
			if r, ok = floating(f); n == 4 {
				r, ok = floating(float32(f))
			}
			if !ok {
				r = unknown(n)
			}
		case isSigned(k):
			if (signExtended(k, y) < signExtended(k, x)) == least && x != y {
				r = v
			}
		default:
			if (y < x) == least && x != y {
				r = v
			}
		}
	}
	return r
}

func extremeText(least bool, a, b value) value {
	s, ok := a.content()
	t, ok2 := b.content()
	switch {
	case !ok || !ok2:
		return unknown(16)
	case (t < s) == least && s != t:
		return b
	}
	return a
}
