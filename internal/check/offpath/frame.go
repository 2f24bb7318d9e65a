package offpath

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/predict/flow"
	"github.com/presage-race/presage/internal/source/plan"
)

// frame is an invocation of a function.
type frame struct {
	env      *env
	fn       *plan.Func
	from     *flow.Frame // the invocation at the fork; nil: it began later
	vals     map[ssa.Value]value
	locals   map[*ssa.Alloc]*object
	block    *ssa.BasicBlock
	ip       int
	defers   []deferred
	lost     bool   // there are more deferred calls, which are unknown
	deferred bool   // it runs as a deferred call
	once     uint64 // the Once that executes it, 0: none
	group    *group // the WaitGroup whose Go has started its goroutine; nil: none
	caller   *frame
}

type deferred struct {
	call   *ssa.Defer
	callee value // of a call through a function value
	args   []value
	free   []value
}

// env is what the frames of a goroutine evaluate operands with.
type env struct {
	owner  *owner
	heap   *heap
	values *valuation
	vars   *variables
	types  *typeWords
	texts  texts
}

// resume returns an invocation as it is at the fork.
func (e *env) resume(p *plan.Plan, s *flow.Frame) *frame {
	pf := p.Func(s.Func)
	if pf == nil || pf.SSA != s.Func || s.Block >= len(s.Func.Blocks) || s.Instr >= len(s.Func.Blocks[s.Block].Instrs) {
		throw("the fork is at no instruction of the program")
	}
	f := &frame{
		env: e, fn: pf, from: s, vals: map[ssa.Value]value{}, locals: map[*ssa.Alloc]*object{},
		block: s.Func.Blocks[s.Block], ip: s.Instr, lost: s.LostDefers, once: s.Once,
	}
	for _, a := range pf.Locals() {
		if d, ok := s.Locals[a]; ok {
			f.locals[a] = e.heap.allocate(e.owner, e.datum(d, pointee(a.Type())), true)
		}
	}
	for _, d := range s.Defers {
		f.defers = append(f.defers, e.deferred(d))
	}
	return f
}

func (e *env) deferred(d flow.Deferred) deferred {
	out := deferred{call: d.Call}
	call := &d.Call.Call
	if _, builtin := call.Value.(*ssa.Builtin); !builtin && static(call) == nil {
		out.callee = e.datum(d.Callee, call.Value.Type())
	}
	for i, a := range d.Args {
		out.args = append(out.args, e.datum(a, call.Args[i].Type()))
	}
	for i, b := range d.Free {
		out.free = append(out.free, e.held(b, call.Value.(*ssa.MakeClosure).Bindings[i].Type()))
	}
	return out
}

// datum is a value of the snapshot, as it is in the witness (CP2).
func (e *env) datum(d flow.Datum, t types.Type) value {
	if tuple, ok := t.(*types.Tuple); ok {
		v := value{tuple: make([]value, tuple.Len())}
		for i := range v.tuple {
			if i < len(d.Parts) && !invalid(tuple.At(i).Type()) {
				v.tuple[i] = e.datum(d.Parts[i], tuple.At(i).Type())
			}
		}
		return v
	}
	if plan.Open(t) {
		return unknown(0)
	}
	if d.Func != nil {
		return e.heap.function(d.Func)
	}
	v := e.words(d.Words, sizeof(t))
	v.text = d.Text
	if d.Says != nil {
		if s, ok := e.values.content(d.Says); ok {
			v.text = &s
		}
	}
	if d.Null != nil {
		if null, ok := e.values.term(d.Null); ok {
			if v.some = null == 0; !v.some {
				v = zero(len(v.img))
			}
		}
	}
	return v
}

// words is a value of n bytes.
func (e *env) words(list []flow.DatumWord, n int) value {
	v := unknown(n)
	for i, w := range list {
		if 8*i >= n {
			break
		}
		bits, ok := w.Bits, w.Known
		if ok && w.Term != nil {
			bits, ok = e.values.term(w.Term)
		}
		if ok {
			v = v.with(8*i, number(bits, min(8, n-8*i)))
		}
	}
	return v
}

func invalid(t types.Type) bool {
	b, ok := t.(*types.Basic)
	return ok && b.Kind() == types.Invalid
}

// held is datum, but for a bound variable, of which the snapshot has the content, it is the address
// of an object with that content.
func (e *env) held(d flow.Datum, t types.Type) value {
	if !d.Bound {
		return e.datum(d, t)
	}
	return number(e.heap.allocate(e.owner, e.datum(d, pointee(t)), false).base, 8)
}

func (f *frame) instr() ssa.Instruction { return f.block.Instrs[f.ip] }

// at is the plan of the instruction at which the frame stands.
func (f *frame) at() *plan.Instr { return &f.fn.Blocks[f.block.Index].Instrs[f.ip] }

// val is an operand.
func (f *frame) val(v ssa.Value) value { return f.env.texts.read(v.Type(), f.value(v)) }

func (f *frame) value(v ssa.Value) value {
	switch v := v.(type) {
	case *ssa.Const:
		return f.env.texts.constant(constantOf(v))
	case *ssa.Global:
		return f.env.vars.address(f.env.owner, v)
	case *ssa.Function:
		return f.env.heap.function(v)
	}
	if x, ok := f.vals[v]; ok {
		return x
	}
	if f.from != nil {
		if d, ok := f.from.Values[v]; ok {
			x := f.fromSnapshot(v, d)
			f.vals[v] = x
			return x
		}
	}
	throw("%s has no value", v.Name())
	return value{}
}

// fromSnapshot is the value of an instruction before the fork. An address in a variable of the
// invocation is an offset in the snapshot.
func (f *frame) fromSnapshot(v ssa.Value, d flow.Datum) value {
	if x := f.locals[rootOf(v)]; x != nil {
		if len(d.Words) == 0 || !d.Words[0].Known || d.Words[0].Term != nil {
			return unknown(8)
		}
		return number(x.base+d.Words[0].Bits, 8)
	}
	return f.env.held(d, v.Type())
}

// rootOf is the variable that an address is in, nil if SSA does not show it.
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

func (f *frame) operands(list []ssa.Value) []value {
	out := make([]value, len(list))
	for i, v := range list {
		out[i] = f.val(v)
	}
	return out
}

// bindings are the free variables of a call of a closure that the call itself makes.
func (f *frame) bindings(callee ssa.Value) []value {
	if c, ok := callee.(*ssa.MakeClosure); ok {
		return f.operands(c.Bindings)
	}
	return nil
}

func pointee(t types.Type) types.Type {
	p, ok := plan.Core(t).(*types.Pointer)
	if !ok {
		throw("%v is not a pointer", t)
	}
	return p.Elem()
}

// enter leaves the block by an edge. All phis of the next block have their values at once.
func (f *frame) enter(succ int) {
	from, to := f.block, f.block.Succs[succ]
	pred := predecessor(from, to, succ)
	vals := map[ssa.Value]value{}
	for _, in := range to.Instrs {
		phi, ok := in.(*ssa.Phi)
		if !ok {
			break
		}
		vals[phi] = f.val(phi.Edges[pred])
	}
	for phi, v := range vals {
		f.vals[phi] = v
	}
	f.block, f.ip = to, 0
}

// predecessor is the number of an edge among those that lead to its target. There may be several
// edges between two blocks, in the same order on both sides.
func predecessor(from, to *ssa.BasicBlock, succ int) int {
	nth := 0
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
	return pred
}
