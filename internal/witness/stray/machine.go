package stray

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"presage/internal/plan"
	"presage/internal/trace"
	"presage/internal/trace/format"
	"presage/internal/window"
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
	from     *window.Frame // where it was at the fork; nil: it began later
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
	call *ssa.Defer
	args []value
	free []value
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

func (m *machine) heldDefer(d window.Deferred) deferred {
	out := deferred{call: d.Call}
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
func (c *checker) datum(d window.Datum, t types.Type) value {
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
	return v
}

func invalid(t types.Type) bool {
	b, ok := t.(*types.Basic)
	return ok && b.Kind() == types.Invalid
}

// held is datum, but of a bound variable it is the address of one that holds it.
func (m *machine) held(d window.Datum, t types.Type) value {
	if !d.Bound {
		return m.datum(d, t)
	}
	return number(m.newObject(m, m.datum(d, pointee(t)), false).base, 8)
}

// val is an operand.
func (m *machine) val(v ssa.Value) value {
	f := m.frame
	switch v := v.(type) {
	case *ssa.Const:
		return constantOf(v)
	case *ssa.Global:
		return m.global(v)
	case *ssa.Function:
		x := unknown(8)
		x.fn = v
		return x
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

func (m *machine) fromSnapshot(v ssa.Value, d window.Datum) value {
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

// global is the address of a variable of a package. Of one that nobody has accessed so far it is not known; it stands for itself if it is
// only accessed by name (D8).
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
		d := deferred{call: in, args: m.vals(in.Call.Args), free: m.bindings(in.Call.Value)}
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

// compute executes an instruction that has a value.
func (m *machine) compute(in ssa.Value) value {
	switch in := in.(type) {
	case *ssa.Alloc:
		return m.alloc(in)
	case *ssa.UnOp:
		switch in.Op {
		case token.MUL:
			return m.load(m.val(in.X), sizeof(in.Type()))
		case token.ARROW:
			return m.receive(in)
		}
		return unary(in, m.val(in.X))
	case *ssa.BinOp:
		return binary(in.Op, in, m.val(in.X), m.val(in.Y))
	case *ssa.ChangeType:
		return changed(in, m.val(in.X))
	case *ssa.Convert:
		return converted(in, m.val(in.X))
	case *ssa.Extract:
		t := m.val(in.Tuple).tuple
		if in.Index >= len(t) {
			throw("a tuple of %d has no part %d", len(t), in.Index)
		}
		return t[in.Index]
	case *ssa.Field:
		s, ok := plan.Core(in.X.Type()).(*types.Struct)
		if !ok {
			throw("a field of %v", in.X.Type())
		}
		return m.val(in.X).part(offsets(s)[in.Field], sizeof(in.Type()))
	case *ssa.FieldAddr:
		return m.fieldAddr(in)
	case *ssa.Index:
		return m.index(in)
	case *ssa.IndexAddr:
		return m.indexAddr(in)
	case *ssa.Slice:
		return m.slice(in)
	case *ssa.SliceToArrayPointer:
		return m.arrayPointer(in)
	case *ssa.MakeSlice:
		return m.makeSlice(in)
	case *ssa.MakeClosure:
		v := unknown(8)
		v.fn, v.free = in.Fn.(*ssa.Function), m.vals(in.Bindings)
		return v
	case *ssa.MakeInterface, *ssa.ChangeInterface:
		return unknown(16)
	case *ssa.Lookup:
		if _, ok := plan.Core(in.X.Type()).(*types.Map); ok {
			m.mapAccess(format.Read, m.val(in.X))
		}
	case *ssa.Next:
		if r, ok := in.Iter.(*ssa.Range); ok && !in.IsString {
			m.mapAccess(format.Read, m.val(r.X))
		}
	case *ssa.Range:
		return unknown(8)
	}
	throw("%T is not modelled", in)
	return value{}
}

// changed keeps the image. The type word of an interface is another one.
func changed(in *ssa.ChangeType, v value) value {
	if i, ok := in.Type().Underlying().(*types.Interface); ok && i.NumMethods() > 0 {
		return v.with(0, unknown(8))
	}
	return v
}

// pointer is an address that is not nil.
func (m *machine) pointer(p value) uint64 {
	addr, ok := p.bits()
	switch {
	case !ok:
		throw("an address that is not known")
	case addr < 4096:
		throw("panic: nil dereference")
	}
	return addr
}

func (m *machine) fieldAddr(in *ssa.FieldAddr) value {
	s, ok := plan.Core(pointee(in.X.Type())).(*types.Struct)
	if !ok {
		throw("a field of %v", in.X.Type())
	}
	p := m.val(in.X)
	if !p.known() { // it may be nil; who dereferences it has to know
		return unknown(8)
	}
	return number(m.pointer(p)+uint64(offsets(s)[in.Field]), 8)
}

// indexOf is an index, checked.
func indexOf(v ssa.Value, x value, n uint64) int {
	i, ok := x.bits()
	if !ok {
		throw("an index that is not known")
	}
	at := signExtended(basicKind(v.Type()), i)
	if isSigned(basicKind(v.Type())) && at < 0 || uint64(at) >= n {
		throw("panic: index out of range")
	}
	return int(at)
}

func (m *machine) indexAddr(in *ssa.IndexAddr) value {
	x := m.val(in.X)
	var p, n value
	var elem types.Type
	switch t := plan.Core(in.X.Type()).(type) {
	case *types.Slice:
		p, n, elem = x.part(0, 8), x.part(8, 8), t.Elem()
	case *types.Pointer:
		a, ok := plan.Core(t.Elem()).(*types.Array)
		if !ok {
			throw("an element of %v", t)
		}
		p, n, elem = x, number(uint64(a.Len()), 8), a.Elem()
		m.pointer(p)
	default:
		throw("an element of %v", t)
	}
	length, ok := n.bits()
	if !ok {
		throw("a length that is not known")
	}
	i := indexOf(in.Index, m.val(in.Index), length)
	base, ok := p.bits()
	if !ok {
		return unknown(8)
	}
	return number(base+uint64(i*sizeof(elem)), 8)
}

func (m *machine) index(in *ssa.Index) value {
	x := m.val(in.X)
	switch t := plan.Core(in.X.Type()).(type) {
	case *types.Array:
		i := indexOf(in.Index, m.val(in.Index), uint64(t.Len()))
		n := sizeof(t.Elem())
		return x.part(i*n, n)
	case *types.Basic:
		length, ok := x.word(1)
		if !ok {
			throw("a length that is not known")
		}
		i := indexOf(in.Index, m.val(in.Index), length)
		if s, ok := x.content(); ok {
			return number(uint64(s[i]), 1)
		}
		return unknown(1)
	}
	throw("an element of %v", in.X.Type())
	return value{}
}

// slice is x[lo:hi:max], with 0 ≤ lo ≤ hi ≤ max ≤ capacity.
func (m *machine) slice(in *ssa.Slice) value {
	x := m.val(in.X)
	p, length, capacity, elem := x.part(0, 8), value{}, value{}, 1
	text := false
	switch t := plan.Core(in.X.Type()).(type) {
	case *types.Pointer:
		a, ok := plan.Core(t.Elem()).(*types.Array)
		if !ok {
			throw("a slice of %v", t)
		}
		m.pointer(p)
		length, elem = number(uint64(a.Len()), 8), sizeof(a.Elem())
		capacity = length
	case *types.Slice:
		length, capacity, elem = x.part(8, 8), x.part(16, 8), sizeof(t.Elem())
	case *types.Basic:
		length, text = x.part(8, 8), true
		capacity = length
	default:
		throw("a slice of %v", t)
	}
	bound := func(v ssa.Value, or value) int64 {
		if v != nil {
			or = m.val(v)
		}
		b, ok := or.bits()
		if !ok {
			throw("a bound that is not known")
		}
		if v == nil {
			return int64(b)
		}
		return signExtended(basicKind(v.Type()), b)
	}
	lo, hi, most := bound(in.Low, number(0, 8)), bound(in.High, length), bound(in.Max, capacity)
	if limit := bound(nil, capacity); lo < 0 || lo > hi || hi > most || most > limit {
		throw("panic: slice bounds out of range")
	}
	left := most - lo
	if text {
		left = hi - lo
	}
	if base, ok := p.bits(); ok && left > 0 { // Go makes no pointer past the end
		p = number(base+uint64(lo)*uint64(elem), 8)
	} else if lo > 0 && left > 0 {
		p = unknown(8)
	}
	if !text {
		return words(p, number(uint64(hi-lo), 8), number(uint64(left), 8))
	}
	v := words(p, number(uint64(hi-lo), 8))
	if s, ok := x.content(); ok {
		s = s[lo:hi]
		v.text = &s
	}
	return v
}

func (m *machine) arrayPointer(in *ssa.SliceToArrayPointer) value {
	a, ok := plan.Core(pointee(in.Type())).(*types.Array)
	x := m.val(in.X)
	n, known := x.word(1)
	if !ok || !known {
		throw("a length that is not known")
	}
	if n < uint64(a.Len()) {
		throw("panic: slice too short for an array")
	}
	return x.part(0, 8)
}
