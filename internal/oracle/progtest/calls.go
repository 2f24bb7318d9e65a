package progtest

import (
	"golang.org/x/tools/go/ssa"
)

// calls enters and leaves functions, and records the paths of goroutines.
type calls struct {
	prog *Program
	rec  *recorder
	// paths has the paths that goroutines, by name, are compared with; nil: they are not
	paths map[uint64][]decision
	ran   map[uint64]int // the goroutines of that run, by name; see Run.ends
}

// enter pushes a frame of f. The closure is the function value called, 0 if the function captures
// nothing.
func (cl *calls) enter(s *state, g *goroutine, f *fn, kind entry, site *ins, args []uint64, closure uint64) {
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
			regs[f.params[i]+w] = *s.word(closure + uint64(n)*8)
		}
	}
	g.frames = append(g.frames, fr)
	if kind != started { // a started goroutine enters in a step of its own
		cl.rec.enter(s, g)
		cl.rec.block(g, 0)
	}
}

// target returns the function and closure that a call enters.
func (cl *calls) target(s *state, g *goroutine, x *ins, value uint64) (*fn, uint64) {
	if x.call.fn != nil {
		return x.call.fn, value
	}
	if value < nilPage {
		panic(isPanic{})
	}
	addr := value
	if value >= heapBase {
		addr = *s.word(value)
	}
	i := (addr - funcBase) / 16
	if addr < funcBase || i >= uint64(len(cl.prog.list)) {
		panic(fault("an invalid function"))
	}
	return cl.prog.list[i], value
}

// gather copies the words of the first n arguments of a call, and returns its function value.
func (cl *calls) gather(g *goroutine, f *frame, x *ins) (args []uint64, value uint64) {
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
func (cl *calls) call(s *state, g *goroutine, f *frame, x *ins) {
	args, value := cl.gather(g, f, x)
	if x.call.method != nil {
		cl.invoke(s, g, f, x, args)
		return
	}
	fn, closure := cl.target(s, g, x, value)
	kind := static
	if f.fn.plan == nil { // a wrapper, which is not recorded
		kind = dynamic
	}
	if x.call.dynamic {
		kind = dynamic
		cl.rec.opaque(g, x, true)
		cl.decide(g, fn, 0, AtValue)
	}
	cl.enter(s, g, fn, kind, x, args, closure)
}

// leave is the Return instruction: first deferred calls run, then the caller continues.
func (cl *calls) leave(s *state, g *goroutine, f *frame, x *ins) {
	if f.fn.defers() && !g.leaving {
		g.leaving = true
		return
	}
	if g.leaving {
		if d := g.deferral(); d != nil { // a function; deferred operations are steps
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
			fn, closure := cl.target(s, g, ins, value)
			cl.enter(s, g, fn, deferred, ins, args[:], closure)
			return
		}
	}
	g.leaving = false
	var res []uint64
	for i := range x.args {
		res = append(res, g.arg(f, &x.args[i])...)
	}
	cl.rec.exit(g)
	if g.group != 0 && len(g.frames) == 1 {
		cl.rec.sync(g, &op{kind: opAdd, ins: f.site, addr: g.group}, *s.word(g.group), ^uint64(0))
	}
	kind, locals := f.kind, f.locals
	g.regs, g.stack = g.regs[:f.base], g.stack[:locals]
	g.frames = g.frames[:len(g.frames)-1]
	if len(g.frames) == 0 {
		g.ended = true
		s.live--
		cl.rec.end(g)
		return
	}
	c := g.top()
	switch kind {
	case deferred:
		g.leaving = true // for the next deferred call
		return
	case callback, onceFunc, pooled:
		cl.returned(s, g, c, kind, res)
		return
	}
	y := &c.fn.ins[c.ip]
	copy(g.regs[c.base+y.dst:c.base+y.dst+y.n], res)
	if kind == dynamic {
		cl.rec.opaque(g, y, false)
	}
	cl.rec.after(s, g, y)
	c.ip++
}

// invoke is the call of an interface's method.
func (cl *calls) invoke(s *state, g *goroutine, f *frame, x *ins, args []uint64) {
	v := g.arg(f, &x.args[len(x.args)-1])
	if v[0] == 0 {
		panic(isPanic{})
	}
	t := cl.prog.typeOf(v[0])
	prog := f.fn.ssa.Prog
	sel := prog.MethodSets.MethodSet(t).Lookup(x.call.method.Pkg(), x.call.method.Name())
	fn := cl.prog.funcs[prog.MethodValue(sel)]
	if fn == nil {
		panic(fault("a method of a wrapper"))
	}
	all := append(append([]uint64{}, cl.prog.inside(s, t, v)...), args...)
	cl.rec.opaque(g, x, true)
	cl.decide(g, fn, 0, AtValue)
	cl.enter(s, g, fn, dynamic, x, all, 0)
}

// decide records the outcome of a branch, or of a call of a function value, as part of the
// goroutine's path. It also finds out whether the goroutine leaves the path that it is compared
// with.
func (cl *calls) decide(g *goroutine, f *fn, block int, at Outcome) {
	g.steps = 0
	d := decision(uint32(f.id)<<16 | uint32(block))
	if cl.rec != nil {
		cl.rec.run.paths[g.name] = append(cl.rec.run.paths[g.name], d)
	}
	if cl.paths == nil || g.off || g.past {
		return
	}
	switch path := cl.paths[g.name]; {
	case g.pos >= len(path):
		g.past, g.pos = true, 0
	case path[g.pos] != d:
		g.off, g.left, g.pos = true, at, 0
	default:
		g.pos++
	}
}

// A decision is a function and a block of the function.
type decision uint32
