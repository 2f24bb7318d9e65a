package offpath

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/predict/flow"
	"github.com/presage-race/presage/internal/source/plan"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// machine executes one goroutine.
type machine struct {
	*checker
	g     trace.GoID
	born  int // objects there were when it was started
	main  bool
	frame *frame
}

// frame is an invocation.
type frame struct {
	fn       *plan.Func
	from     *flow.Frame // where it was at the fork; nil: it began later
	vals     map[ssa.Value]value
	locals   map[*ssa.Alloc]*object
	block    *ssa.BasicBlock
	ip       int
	defers   []deferred
	lost     bool
	deferred bool // runs as a deferred call
	caller   *frame
}

type deferred struct {
	call   *ssa.Defer
	callee value // of a call through a function value
	args   []value
	free   []value
}

// resume is the goroutine of the fork, where it stands.
func (c *checker) resume() *machine {
	m := &machine{checker: c, g: c.way.G, main: true}
	var inner *frame
	for i := range c.snap.Frames {
		s := &c.snap.Frames[i]
		pf := c.snap.Program.Func(s.Func)
		if pf == nil || pf.SSA != s.Func || s.Block >= len(s.Func.Blocks) || s.Instr >= len(s.Func.Blocks[s.Block].Instrs) {
			throw("the fork stands nowhere")
		}
		f := &frame{
			fn: pf, from: s, vals: map[ssa.Value]value{}, locals: map[*ssa.Alloc]*object{},
			block: s.Func.Blocks[s.Block], ip: s.Instr, lost: s.LostDefers,
		}
		for _, a := range s.Func.Locals {
			if d, ok := s.Locals[a]; ok {
				f.locals[a] = c.newObject(m, c.datum(d, pointee(a.Type())), true)
			}
		}
		for _, d := range s.Defers {
			f.defers = append(f.defers, m.heldDefer(d))
		}
		if inner == nil {
			m.frame = f
		} else {
			if _, ok := f.instr().(*ssa.Call); !ok {
				throw("a caller is not at a call")
			}
			inner.caller = f
		}
		inner = f
	}
	return m
}

func (m *machine) heldDefer(d flow.Deferred) deferred {
	out := deferred{call: d.Call}
	if _, builtin := d.Call.Call.Value.(*ssa.Builtin); !builtin && m.static(&d.Call.Call) == nil {
		out.callee = m.datum(d.Callee, d.Call.Call.Value.Type())
	}
	for i, a := range d.Args {
		out.args = append(out.args, m.datum(a, d.Call.Call.Args[i].Type()))
	}
	for i, b := range d.Free {
		out.free = append(out.free, m.held(b, d.Call.Call.Value.(*ssa.MakeClosure).Bindings[i].Type()))
	}
	return out
}

func (f *frame) instr() ssa.Instruction { return f.block.Instrs[f.ip] }

// site is that of the instruction at which the frame stands.
func (f *frame) site() trace.Site { return f.fn.Blocks[f.block.Index].Instrs[f.ip].Site }

// datum is a value of the snapshot, as it is in the witness (D3).
func (c *checker) datum(d flow.Datum, t types.Type) value {
	if tuple, ok := t.(*types.Tuple); ok {
		v := value{tuple: make([]value, tuple.Len())}
		for i := range v.tuple {
			if i < len(d.Parts) && !invalid(tuple.At(i).Type()) {
				v.tuple[i] = c.datum(d.Parts[i], tuple.At(i).Type())
			}
		}
		return v
	}
	if plan.Open(t) {
		return unknown(0)
	}
	if d.Func != nil {
		return c.function(d.Func)
	}
	n := sizeof(t)
	v := unknown(n)
	for i, w := range d.Words {
		if 8*i >= n {
			break
		}
		bits, ok := w.Bits, w.Known
		if ok && w.Term != nil {
			bits, ok = c.term(w.Term)
		}
		if ok {
			v = v.with(8*i, number(bits, min(8, n-8*i)))
		}
	}
	v.text = d.Text
	if d.Says != nil {
		if s, ok := c.content(d.Says); ok {
			v.text = &s
		}
	}
	if d.Null != nil {
		if null, ok := c.term(d.Null); ok {
			v.some = null == 0
		}
	}
	return v
}

func invalid(t types.Type) bool {
	b, ok := t.(*types.Basic)
	return ok && b.Kind() == types.Invalid
}

// held is datum, but of a bound variable it is the address of one that holds it.
func (m *machine) held(d flow.Datum, t types.Type) value {
	if !d.Bound {
		return m.datum(d, t)
	}
	return number(m.newObject(m, m.datum(d, pointee(t)), false).base, 8)
}

// val is an operand.
func (m *machine) val(v ssa.Value) value { return m.texts.read(v.Type(), m.value(v)) }

func (m *machine) value(v ssa.Value) value {
	f := m.frame
	switch v := v.(type) {
	case *ssa.Const:
		return m.texts.constant(constantOf(v))
	case *ssa.Global:
		return m.global(v)
	case *ssa.Function:
		return m.function(v)
	}
	if x, ok := f.vals[v]; ok {
		return x
	}
	if f.from != nil {
		if d, ok := f.from.Values[v]; ok {
			x := m.fromSnapshot(v, d)
			f.vals[v] = x
			return x
		}
	}
	throw("%s has no value", v.Name())
	return value{}
}

func (m *machine) fromSnapshot(v ssa.Value, d flow.Datum) value {
	if o := m.frame.locals[rootOf(v)]; o != nil {
		if len(d.Words) == 0 || !d.Words[0].Known || d.Words[0].Term != nil {
			return unknown(8)
		}
		return number(o.base+d.Words[0].Bits, 8)
	}
	return m.held(d, v.Type())
}

// rootOf is the variable that an address is in, nil if SSA does not say.
func rootOf(v ssa.Value) *ssa.Alloc {
	for {
		switch x := v.(type) {
		case *ssa.Alloc:
			return x
		case *ssa.FieldAddr:
			v = x.X
		case *ssa.IndexAddr:
			v = x.X
		default:
			return nil
		}
	}
}

// global is the address of a variable of a package. Of one that nobody has accessed so far it is
// not known; it stands for itself if it is only accessed by name (D8).
func (m *machine) global(g *ssa.Global) value {
	name := g.String()
	if addr, ok := m.globals[name]; ok {
		return number(addr, 8)
	}
	addr, at, ok := m.snap.Global(g)
	if !ok || at >= m.b.To {
		if !m.snap.Program.Named(g) {
			return unknown(8)
		}
		o := m.newObject(m, unknown(sizeof(pointee(g.Type()))), false)
		o.variable = true
		addr = o.base
	}
	m.globals[name] = addr
	return number(addr, 8)
}

func pointee(t types.Type) types.Type {
	p, ok := plan.Core(t).(*types.Pointer)
	if !ok {
		throw("%v is not a pointer", t)
	}
	return p.Elem()
}

// step executes one instruction (D4).
func (m *machine) step() {
	f := m.frame
	switch in := f.instr().(type) {
	case *ssa.DebugRef, *ssa.Phi: // a phi has its value from the edge
	case *ssa.Jump:
		m.enter(0)
		return
	case *ssa.If:
		c, ok := m.val(in.Cond).bits()
		if !ok {
			throw("a branch on what is not known")
		}
		m.enter(int(1 - c&1))
		return
	case *ssa.Return:
		m.leave(in)
		return
	case *ssa.RunDefers:
		m.runDefers()
		return
	case *ssa.Defer:
		d := deferred{call: in, callee: m.callee(&in.Call), args: m.vals(in.Call.Args), free: m.bindings(in.Call.Value)}
		f.defers = append(f.defers, d)
	case *ssa.Go:
		m.start(in)
	case *ssa.Call:
		if m.call(in) {
			return
		}
	case *ssa.Store:
		if !plan.Kept(in) || f.fn.Local(in.Addr) {
			m.store(m.val(in.Addr), m.val(in.Val))
		}
	case *ssa.Send:
		m.send(in)
	case *ssa.MapUpdate:
		m.mapAccess(format.Write, m.val(in.Map))
	case ssa.Value:
		v := m.compute(in)
		f.vals[in] = v
	default:
		throw("%T is not modelled", in)
	}
	f.ip++
}

func (m *machine) vals(list []ssa.Value) []value {
	out := make([]value, len(list))
	for i, v := range list {
		out[i] = m.val(v)
	}
	return out
}

func (m *machine) bindings(callee ssa.Value) []value {
	if c, ok := callee.(*ssa.MakeClosure); ok {
		return m.vals(c.Bindings)
	}
	return nil
}

// enter leaves the block by an edge.
func (m *machine) enter(succ int) {
	f := m.frame
	from, to := f.block, f.block.Succs[succ]
	nth := 0 // of several edges between the two
	for _, s := range from.Succs[:succ] {
		if s == to {
			nth++
		}
	}
	pred := -1
	for i, p := range to.Preds {
		if p == from {
			if pred = i; nth == 0 {
				break
			}
			nth--
		}
	}
	vals := map[ssa.Value]value{}
	for _, in := range to.Instrs {
		phi, ok := in.(*ssa.Phi)
		if !ok {
			break
		}
		vals[phi] = m.val(phi.Edges[pred])
	}
	for phi, v := range vals { // at once
		f.vals[phi] = v
	}
	f.block, f.ip = to, 0
}
