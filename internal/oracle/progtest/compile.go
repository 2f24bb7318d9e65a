package progtest

import (
	"fmt"
	"go/token"
	"go/types"
	"sort"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/source/plan"
	"github.com/presage-race/presage/internal/trace"
	"github.com/presage-race/presage/internal/trace/format"
)

// A fn is a function prepared for the machine. Its registers are words: a value of n bytes takes
// n/8 of them, rounded up, with the same bytes as in memory.
type fn struct {
	prog   *Program
	ssa    *ssa.Function
	id     int
	plan   *plan.Func // nil: not recorded (the initialisers)
	addr   uint64     // of the function value
	params []int      // first words of parameters, then of free variables
	widths []int
	regs   int // words
	locals int // words of variables whose address does not leave the function
	ins    []ins
	blocks []int // index of the first instruction
	slots  map[ssa.Value]int
	local  map[*ssa.Alloc]int
}

// An operand is a register or a constant.
type operand struct {
	slot  int // -1: constant
	n     int
	words []uint64
}

// An ins is one instruction.
type ins struct {
	in      ssa.Instruction
	plan    *plan.Instr
	block   int
	dst, n  int // register and words of the result
	args    []operand
	size    int64 // bytes accessed, or of an element
	off     uint64
	kind    types.BasicKind // of the operands of an operator, or the type converted from
	to      types.BasicKind
	local   bool // access to a variable, not to memory
	call    callee
	outcome Outcome // If
	fn      *fn
	frees   int    // captured values, words
	word    uint64 // MakeInterface: the type word
	direct  bool   // it holds the value itself
	live    []int32
	after   []int32
}

func (p *Program) fn(f *ssa.Function) *fn {
	if f == nil {
		panic(unsupported("a function without a body"))
	}
	if c := p.funcs[f]; c != nil {
		return c
	}
	if len(f.Blocks) == 0 {
		panic(unsupported("call of " + f.String()))
	}
	c := &fn{prog: p, ssa: f, id: len(p.list), plan: p.Plan.Func(f)}
	c.addr = funcBase + uint64(c.id)*16
	p.funcs[f] = c
	p.list = append(p.list, c)
	return c
}

func (f *fn) reg(p *Program, v ssa.Value) int {
	f.slots[v] = f.regs
	f.regs += p.layout.width(v.Type())
	return f.slots[v]
}

func (p *Program) compile(f *fn) {
	f.slots, f.local = map[ssa.Value]int{}, map[*ssa.Alloc]int{}
	if f.ssa.Recover != nil && f.ssa.Signature.Results().Len() > 0 {
		panic(unsupported("defer in a function with results"))
	}
	for _, v := range f.ssa.Params {
		f.params, f.widths = append(f.params, f.reg(p, v)), append(f.widths, p.layout.width(v.Type()))
	}
	for _, v := range f.ssa.FreeVars {
		f.params, f.widths = append(f.params, f.reg(p, v)), append(f.widths, p.layout.width(v.Type()))
	}
	for _, b := range f.ssa.Blocks {
		for _, in := range b.Instrs {
			if v, ok := in.(ssa.Value); ok {
				if _, isRange := v.(*ssa.Range); isRange {
					panic(unsupported("range over a map or string"))
				}
				f.reg(p, v)
			}
		}
	}
	for i, b := range f.ssa.Blocks {
		f.blocks = append(f.blocks, len(f.ins))
		if b == f.ssa.Recover {
			continue
		}
		for j, in := range b.Instrs {
			x := ins{in: in, block: i, dst: -1}
			if f.plan != nil {
				x.plan = &f.plan.Blocks[i].Instrs[j]
			}
			if v, ok := in.(ssa.Value); ok {
				x.dst, x.n = f.slots[v], p.layout.width(v.Type())
			}
			p.prepare(f, &x)
			f.ins = append(f.ins, x)
		}
	}
	f.liveness()
}

// arg makes an operand of a value.
func (p *Program) arg(f *fn, v ssa.Value) operand {
	switch v := v.(type) {
	case *ssa.Const:
		return operand{slot: -1, n: p.layout.width(v.Type()), words: p.constant(v)}
	case *ssa.Global:
		a, ok := p.globals[v]
		if !ok {
			panic(unsupported("variable " + v.String()))
		}
		return operand{slot: -1, n: 1, words: []uint64{a}}
	case *ssa.Function:
		return operand{slot: -1, n: 1, words: []uint64{p.fn(v).addr}}
	case *ssa.Builtin:
		return operand{slot: -1}
	}
	s, ok := f.slots[v]
	if !ok {
		panic(unsupported(fmt.Sprintf("operand %T", v)))
	}
	return operand{slot: s, n: p.layout.width(v.Type())}
}

func (p *Program) args(f *fn, vs ...ssa.Value) []operand {
	out := make([]operand, len(vs))
	for i, v := range vs {
		out[i] = p.arg(f, v)
	}
	return out
}

// prepare fills in the operands, sizes and kinds of an instruction.
func (p *Program) prepare(f *fn, x *ins) {
	switch in := x.in.(type) {
	case *ssa.Alloc, *ssa.Store:
		p.prepareMemory(f, x)
	case *ssa.UnOp:
		p.prepareUnOp(f, x, in)
	case *ssa.BinOp:
		x.args, x.kind = p.args(f, in.X, in.Y), operandKind(in)
		if in.Op == token.SHL || in.Op == token.SHR {
			x.to = basicKind(in.Y.Type())
		}
	case *ssa.FieldAddr, *ssa.Field, *ssa.IndexAddr, *ssa.Index, *ssa.Lookup, *ssa.Slice, *ssa.Extract:
		p.preparePart(f, x)
	case *ssa.Convert:
		x.args, x.kind, x.to = p.args(f, in.X), basicKind(in.X.Type()), basicKind(in.Type())
	case *ssa.ChangeType:
		x.args = p.args(f, in.X)
	case *ssa.ChangeInterface:
		x.args = p.args(f, in.X)
	case *ssa.TypeAssert:
		x.args = p.args(f, in.X)
	case *ssa.Phi:
		x.args = p.args(f, in.Edges...)
	case *ssa.If:
		x.args, x.outcome = p.args(f, in.Cond), outcome(in.Cond)
	case *ssa.Return:
		x.args = p.args(f, in.Results...)
	case *ssa.Panic:
		x.args = p.args(f, in.X)
	case *ssa.MakeClosure, *ssa.MakeChan, *ssa.MakeSlice, *ssa.MakeInterface:
		p.prepareMake(f, x)
	case *ssa.MakeMap:
		oneWordMap(p, in.Type())
	case *ssa.MapUpdate:
		oneWordMap(p, in.Map.Type())
		x.args = p.args(f, in.Map, in.Key, in.Value)
	case *ssa.Send:
		x.args, x.size = p.args(f, in.Chan, in.X), p.layout.sizeof(in.X.Type())
	case *ssa.Select:
		p.prepareSelect(f, x, in)
	case ssa.CallInstruction:
		p.prepareCall(f, x, in)
	case *ssa.Jump, *ssa.RunDefers, *ssa.DebugRef:
	default:
		panic(unsupported(fmt.Sprintf("%T", in)))
	}
}

// prepareMemory prepares a variable or a store.
func (p *Program) prepareMemory(f *fn, x *ins) {
	switch in := x.in.(type) {
	case *ssa.Alloc:
		x.size = p.layout.sizeof(in.Type().Underlying().(*types.Pointer).Elem())
		if isLocal(p, f, in) {
			x.local, x.off = true, uint64(f.locals)
			f.local[in] = f.locals
			f.locals += words(x.size)
		}
	case *ssa.Store:
		x.args = p.args(f, in.Addr, in.Val)
		x.size, x.local = p.layout.sizeof(in.Val.Type()), isLocal(p, f, in.Addr) || x.unseen(format.Write)
	}
}

func (p *Program) prepareUnOp(f *fn, x *ins, in *ssa.UnOp) {
	x.args = p.args(f, in.X)
	switch in.Op {
	case token.MUL:
		x.size, x.local = p.layout.sizeof(in.Type()), isLocal(p, f, in.X) || x.unseen(format.Read)
	case token.ARROW:
		x.size = p.layout.sizeof(in.X.Type().Underlying().(*types.Chan).Elem())
	default:
		x.kind = basicKind(in.X.Type())
	}
}

// preparePart prepares an instruction that selects a part of a value or variable.
func (p *Program) preparePart(f *fn, x *ins) {
	switch in := x.in.(type) {
	case *ssa.FieldAddr:
		x.args = p.args(f, in.X)
		s := in.X.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Struct)
		x.off = uint64(p.layout.offset(s, in.Field))
		x.local = isLocal(p, f, in.X)
	case *ssa.Field:
		x.args = p.args(f, in.X)
		x.off, x.size = uint64(p.layout.offset(in.X.Type().Underlying().(*types.Struct), in.Field)), p.layout.sizeof(in.Type())
	case *ssa.IndexAddr:
		x.args, x.kind = p.args(f, in.X, in.Index), basicKind(in.Index.Type())
		x.size, x.off = p.layout.elements(in.X.Type())
	case *ssa.Index:
		x.args, x.kind = p.args(f, in.X, in.Index), basicKind(in.Index.Type())
		if a, ok := in.X.Type().Underlying().(*types.Array); ok {
			x.size, x.off = p.layout.sizeof(a.Elem()), uint64(a.Len())
		}
	case *ssa.Lookup:
		if b, ok := in.X.Type().Underlying().(*types.Basic); !ok || b.Info()&types.IsString == 0 {
			oneWordMap(p, in.X.Type())
		}
		x.args, x.kind = p.args(f, in.X, in.Index), basicKind(in.Index.Type())
	case *ssa.Slice:
		p.prepareSlice(f, x, in)
	case *ssa.Extract:
		x.args = p.args(f, in.Tuple)
		t := in.Tuple.Type().(*types.Tuple)
		for i := range in.Index {
			x.off += uint64(p.layout.width(t.At(i).Type()))
		}
	}
}

// prepareMake prepares an instruction that allocates.
func (p *Program) prepareMake(f *fn, x *ins) {
	switch in := x.in.(type) {
	case *ssa.MakeClosure:
		x.fn = p.fn(in.Fn.(*ssa.Function))
		x.args = p.args(f, in.Bindings...)
		for i := range x.args {
			x.frees += x.args[i].n
		}
	case *ssa.MakeChan:
		x.args, x.kind = p.args(f, in.Size), basicKind(in.Size.Type())
		x.size = p.layout.sizeof(in.Type().Underlying().(*types.Chan).Elem())
	case *ssa.MakeSlice:
		x.args = p.args(f, in.Len, in.Cap)
		x.size = p.layout.sizeof(in.Type().Underlying().(*types.Slice).Elem())
	case *ssa.MakeInterface:
		p.prepareInterface(f, x, in)
	}
}

// prepareSelect gives each case of a select two operands: its channel, and what it sends.
func (p *Program) prepareSelect(f *fn, x *ins, in *ssa.Select) {
	for _, s := range in.States {
		x.args = append(x.args, p.arg(f, s.Chan))
		if s.Send != nil {
			x.args = append(x.args, p.arg(f, s.Send))
		} else {
			x.args = append(x.args, operand{})
		}
	}
}

func (p *Program) prepareSlice(f *fn, x *ins, in *ssa.Slice) {
	if in.Max != nil {
		panic(unsupported("slice with a capacity"))
	}
	x.args = p.args(f, in.X)
	for _, v := range []ssa.Value{in.Low, in.High} {
		if v == nil {
			x.args = append(x.args, operand{slot: -1})
		} else {
			x.args = append(x.args, p.arg(f, v))
		}
	}
	x.size, x.off = p.layout.elements(in.X.Type())
}

func isLocal(p *Program, f *fn, addr ssa.Value) bool {
	return f.plan != nil && f.plan.Local(addr)
}

func sortedMembers(sp *ssa.Package) []ssa.Member {
	var names []string
	for n := range sp.Members {
		names = append(names, n)
	}
	sort.Strings(names)
	out := make([]ssa.Member, len(names))
	for i, n := range names {
		out[i] = sp.Members[n]
	}
	return out
}

// unseen reports whether the plan has no record of an access, because it is not of shared memory.
func (x *ins) unseen(k format.Kind) bool { return x.plan != nil && x.hook(k) == nil }

func (x *ins) site() trace.Site {
	if x.plan == nil {
		return 0
	}
	return x.plan.Site
}
