package progtest

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// A callee is what a call calls.
type callee struct {
	builtin    string
	fn         *fn // known function
	dynamic    bool
	op         opKind // typed operation
	plainMutex bool
	delta      bool  // WaitGroup: the first argument is the delta, else -1
	off, size  int64 // sync/atomic: the word within its type
	atomic     atomicOp
	boolean    bool        // atomic.Bool
	method     *types.Func // of an interface
	kind       types.BasicKind
	std        any // a function of the standard library
}

func (c *callee) typed() bool { return c.op != opNone }

type atomicOp uint8

const (
	atomicLoad atomicOp = iota
	atomicStore
	atomicAdd
	atomicSwap
	atomicCAS
	atomicAnd
	atomicOr
)

var syncOps = map[string]callee{
	"(*sync.Mutex).Lock":      {op: opLock, plainMutex: true},
	"(*sync.Mutex).Unlock":    {op: opUnlock, plainMutex: true},
	"(*sync.RWMutex).Lock":    {op: opLock},
	"(*sync.RWMutex).Unlock":  {op: opUnlock},
	"(*sync.RWMutex).RLock":   {op: opRLock},
	"(*sync.RWMutex).RUnlock": {op: opRUnlock},
	"(*sync.WaitGroup).Add":   {op: opAdd, delta: true},
	"(*sync.WaitGroup).Done":  {op: opAdd},
	"(*sync.WaitGroup).Wait":  {op: opWait},
}

var atomicNames = map[string]atomicOp{
	"Load": atomicLoad, "Store": atomicStore, "Add": atomicAdd, "Swap": atomicSwap, "CompareAndSwap": atomicCAS,
	"And": atomicAnd, "Or": atomicOr,
}

// prepareCall finds the callee of a call, go or defer.
func (p *Program) prepareCall(f *fn, x *ins, in ssa.CallInstruction) {
	c := in.Common()
	x.args = p.args(f, c.Args...)
	if c.IsInvoke() {
		if _, ok := in.(*ssa.Call); !ok {
			panic(unsupported("go or defer of an interface method"))
		}
		x.call.dynamic, x.call.method = true, c.Method
		x.args = append(x.args, p.arg(f, c.Value))
		return
	}
	if b, ok := c.Value.(*ssa.Builtin); ok {
		p.builtin(x, c, b.Name())
		return
	}
	s := c.StaticCallee()
	if s == nil {
		x.call.dynamic = true
		x.args = append(x.args, p.arg(f, c.Value))
		return
	}
	if o, ok := p.syncOp(s); ok {
		x.call = o
	} else if o, ok := stdOp(s); ok {
		if x.call = o; !isCall(in) {
			panic(unsupported("go or defer of a function of the standard library"))
		}
	} else if s.Name() == "init" && len(s.Blocks) == 0 { // of a dependency
		x.call.builtin = "print"
	} else {
		x.call.fn = p.fn(s)
	}
	if mc, ok := c.Value.(*ssa.MakeClosure); ok {
		x.args = append(x.args, p.arg(f, mc))
	}
	if d, ok := in.(*ssa.Defer); ok {
		n := 0
		for i := range x.args {
			n += x.args[i].n
		}
		if n > 3 || d.DeferStack != nil {
			panic(unsupported("defer with many arguments"))
		}
	}
}

func (p *Program) builtin(x *ins, c *ssa.CallCommon, name string) {
	x.call.builtin = name
	switch name {
	case "len", "cap":
		switch c.Args[0].Type().Underlying().(type) {
		case *types.Slice, *types.Basic:
			return
		}
	case "close":
		x.call.op = opClose
		return
	case "min", "max":
		if x.call.kind = p.basic(c.Args[0].Type()); integer(x.call.kind) {
			return
		}
	case "print", "println", "ssa:wrapnilchk":
		return
	}
	panic(unsupported("builtin " + name))
}

// syncOp returns what a function of sync or sync/atomic does.
func (p *Program) syncOp(fn *ssa.Function) (callee, bool) {
	orig := fn
	if o := fn.Origin(); o != nil {
		orig = o
	}
	obj, ok := orig.Object().(*types.Func)
	if !ok || obj.Pkg() == nil {
		return callee{}, false
	}
	if c, ok := syncOps[obj.FullName()]; ok {
		return c, true
	}
	if obj.Pkg().Path() != "sync/atomic" {
		return callee{}, false
	}
	name := obj.Name()
	sig := fn.Signature
	if recv := sig.Recv(); recv != nil {
		named := recv.Type().Underlying().(*types.Pointer).Elem()
		st := named.Underlying().(*types.Struct)
		field := st.NumFields() - 1
		ft := st.Field(field).Type()
		op, ok := atomicNames[name]
		if !ok {
			return callee{}, false
		}
		return callee{op: opAtomic, atomic: op, off: p.offset(st, field), size: p.sizeof(ft), kind: p.basic(ft),
			boolean: named.(*types.Named).Obj().Name() == "Bool"}, true
	}
	for _, t := range []string{"Int32", "Int64", "Uint32", "Uint64", "Uintptr", "Pointer"} {
		n := len(name) - len(t)
		if n <= 0 || name[n:] != t {
			continue
		}
		if op, ok := atomicNames[name[:n]]; ok {
			ft := sig.Params().At(0).Type().Underlying().(*types.Pointer).Elem()
			return callee{op: opAtomic, atomic: op, size: p.sizeof(ft), kind: p.basic(ft)}, true
		}
	}
	return callee{}, false
}

// enter pushes a frame of f. The closure is the function value called, 0 if the function captures
// nothing.
func (m *machine) enter(s *state, g *goroutine, f *fn, kind entry, site *ins, args []uint64, closure uint64) {
	if len(g.frames) >= maxFrames {
		panic(fault("too deep a recursion"))
	}
	fr := frame{fn: f, base: len(g.regs), locals: len(g.stack), site: site, defers: len(g.defers), kind: kind}
	g.regs = append(g.regs, make([]uint64, f.regs)...)
	g.stack = append(g.stack, make([]uint64, f.locals)...)
	regs, n := g.regs[fr.base:], 0
	for i := range f.params {
		if i < len(f.ssa.Params) {
			copy(regs[f.params[i]:f.params[i]+f.widths[i]], args)
			args = args[f.widths[i]:]
			continue
		}
		for w := range f.widths[i] {
			n++
			regs[f.params[i]+w] = *m.word(s, closure+uint64(n)*8)
		}
	}
	g.frames = append(g.frames, fr)
	if kind != started { // that is a step of its own
		m.rec.enter(s, g)
		m.rec.block(g, 0)
	}
}

// target returns the function and closure that a call enters.
func (m *machine) target(s *state, g *goroutine, x *ins, value uint64) (*fn, uint64) {
	if x.call.fn != nil {
		return x.call.fn, value
	}
	if value < nilPage {
		panic(isPanic{})
	}
	addr := value
	if value >= heapBase {
		addr = *m.word(s, value)
	}
	i := (addr - funcBase) / 16
	if i >= uint64(len(m.prog.list)) {
		panic(fault("a function that is none"))
	}
	return m.prog.list[i], value
}

// gather copies the words of the first n arguments of a call, and returns its function value.
func (m *machine) gather(g *goroutine, f *frame, x *ins) (args []uint64, value uint64) {
	n := len(x.in.(ssa.CallInstruction).Common().Args)
	for i := range n {
		args = append(args, g.arg(f, &x.args[i])...)
	}
	if len(x.args) > n {
		value = g.arg1(f, &x.args[n])
	}
	return args, value
}

// call is the Call instruction of a function of the program.
func (m *machine) call(s *state, g *goroutine, f *frame, x *ins) {
	args, value := m.gather(g, f, x)
	if x.call.method != nil {
		m.invoke(s, g, f, x, args)
		return
	}
	fn, closure := m.target(s, g, x, value)
	kind := static
	if f.fn.plan == nil { // a wrapper: its callee does not know it
		kind = dynamic
	}
	if x.call.dynamic {
		kind = dynamic
		m.rec.opaque(g, x, true)
		m.decide(g, fn, 0)
	}
	m.enter(s, g, fn, kind, x, args, closure)
}

// leave is the Return instruction: first the deferred calls, then the caller goes on.
func (m *machine) leave(s *state, g *goroutine, f *frame, x *ins) {
	if f.fn.defers() && !g.leaving {
		g.leaving = true
		return
	}
	if g.leaving {
		if d := g.deferral(); d != nil { // not typed: that is an op
			ins, args := d.ins, d.args
			g.defers = g.defers[:len(g.defers)-1]
			g.leaving = false
			n := len(ins.in.(*ssa.Defer).Call.Args)
			var value uint64
			if len(ins.args) > n {
				w := 0
				for i := range n {
					w += ins.args[i].n
				}
				value = args[w]
			}
			fn, closure := m.target(s, g, ins, value)
			m.enter(s, g, fn, deferred, ins, args[:], closure)
			return
		}
	}
	g.leaving = false
	var res []uint64
	for i := range x.args {
		res = append(res, g.arg(f, &x.args[i])...)
	}
	m.rec.exit(g)
	kind, locals := f.kind, f.locals
	g.regs, g.stack = g.regs[:f.base], g.stack[:locals]
	g.frames = g.frames[:len(g.frames)-1]
	if len(g.frames) == 0 {
		g.ended = true
		s.live--
		m.rec.end(g)
		return
	}
	c := g.top()
	if kind == deferred {
		g.leaving = true // go on with the next
		return
	}
	y := &c.fn.ins[c.ip]
	copy(g.regs[c.base+y.dst:c.base+y.dst+y.n], res)
	if kind == dynamic {
		m.rec.opaque(g, y, false)
	}
	m.rec.after(s, g, y)
	c.ip++
}
