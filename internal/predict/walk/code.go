package walk

import (
	"go/token"
	"go/types"
	"slices"
	"sync"
	"sync/atomic"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/predict/expr"
	"github.com/presage-race/presage/internal/source/plan"
	"github.com/presage-race/presage/internal/trace"
)

// A code is one function prepared for the machine: its SSA values have numbered
// registers, its operands are resolved, and the records of package plan stand at
// the instructions that write them. It is immutable.
type code struct {
	plan   *plan.Func
	sizes  types.Sizes
	texts  *expr.Texts // what string constants say
	params []int32     // registers of the recorded parameters and free variables: those of plan.Func.Params
	args   []int32     // registers of all parameters
	blocks []block
	regs   int32 // registers of a frame
	cells  []int64
	length int // instructions and their records
	// shifty: a result is loaded from memory before the deferred calls run, which
	// may write it (plan R8).
	shifty bool

	liveness *liveness // made when the walk asks for it the first time; nobody else does
}

type block struct {
	site     trace.Site
	recorded bool
	phis     []*instr
	instrs   []instr
	succs    []edge
}

// An edge leads to a block; pred is its number among the block's predecessors.
type edge struct{ to, pred int32 }

// An instr is one instruction. Its result, or the components of its result if
// that is a tuple, are in registers reg, reg+1, …
type instr struct {
	in     ssa.Instruction
	op     opcode
	site   trace.Site
	reg, n int32
	args   []arg // in the order of ssa.Instruction.Operands
	pins   uint64
	wants  []want
	cell   int32 // the local variable that is loaded, stored, allocated or pointed to; -1: none
	size   int64 // of the result, or of the value stored; -1: depends on type parameters
	off    []int64
	index  int
	kind   types.BasicKind // of the first operand
	kind2  types.BasicKind // of the second operand, or of the result
	elem   int64           // size of an element
	typ    types.Type      // type of the first operand
	free   []arg           // free variables of a closure that is called
	callee *ssa.Function
	std    *std // a call of a function of the standard library that is evaluated
	own    bool // a store of an operand of such a call

	fused     bool
	reaches   bool // an opaque call that may look at memory
	dynamic   bool // a call through a function value or an interface
	maybe     bool // a call that may be one of a typed operation (R15 of package plan)
	callsBack bool // a typed call that may enter instrumented code
	atomic    bool // a call of sync/atomic
	cas       bool // CompareAndSwap
	appends   bool // append, of elements of a known size (F7)
	recorded  bool // the result, or every component that is used, has a Value record
	extract   bool
	vague     bool // a comparison of pointers that may be to variables of size zero (plan.Ambiguous)
}

// An arg is an operand: a register, or a constant if reg is -1.
type arg struct {
	reg  int32
	val  Value
	glob *global
}

// A global is a variable whose address is learnt from its first access.
type global struct {
	of     *ssa.Global
	addr   Value
	learnt atomic.Pointer[learnt] // the same, for those who work beside the walk
}

type learnt struct {
	addr Value
	at   int64 // event
}

// opcode says what the machine does with an instruction.
type opcode uint8

const (
	opEval   opcode = iota // a value computed from operands, or recorded
	opLoad                 // from shared memory
	opLocal                // load of a local variable
	opStore                // to shared memory
	opSet                  // store to a local variable
	opBind                 // the store to a bound variable: its register is the value (plan R13)
	opPart                 // load, or address, in a bound variable: the value there
	opAlloc                // of a local variable
	opJump                 //
	opIf                   //
	opReturn               //
	opPanic                //
	opNop                  //
	opCall                 // of an instrumented function
	opTuple                // several results, each recorded
	opRecord               // all that is left: recorded, with operands pinned
)

// A want is a record that the walk expects at an instruction.
type want struct {
	kind wantKind
	hook *plan.Hook
	reg  int32 // Value: the register it fills in, -1: none
}

type wantKind uint8

const (
	wantValue   wantKind = iota // a Value record
	wantAccess                  // a run of Reads or Writes, ended by one without FlagMore
	wantLen                     // a ChanLen
	wantEnter                   // the Enter of an instrumented callee, all it does, and its Exit
	wantBegin                   // OpaqueBegin
	wantEnd                     // OpaqueEnd
	wantRuntime                 // any number of records that the runtime side writes with the instruction's site
)

// A program is the functions of a plan, prepared for the machines when they are first called. Several goroutines may use it at a time.
type program struct {
	plan      *plan.Plan
	texts     *expr.Texts // what string constants say
	codes     map[*plan.Func]*code
	globals   map[string]*global
	sizes     map[types.Type]int64
	compiling sync.Mutex // of codes and sizes
	naming    sync.Mutex // of globals
}

// newProgram returns the program of a plan.
func newProgram(p *plan.Plan) *program {
	return &program{plan: p, codes: map[*plan.Func]*code{}, globals: map[string]*global{}, sizes: map[types.Type]int64{}}
}

// code returns the code of a function.
func (p *program) code(pf *plan.Func) *code {
	p.compiling.Lock()
	defer p.compiling.Unlock()
	c := p.codes[pf]
	if c == nil {
		c = p.compile(pf)
		p.codes[pf] = c
	}
	return c
}

// global returns what is known of a variable of a package.
func (p *program) global(v *ssa.Global) *global {
	p.naming.Lock()
	defer p.naming.Unlock()
	name := v.String()
	g := p.globals[name]
	if g == nil {
		g = &global{of: v}
		p.globals[name] = g
	}
	return g
}

// learn notes the address of the variable, which an event has shown.
func (g *global) learn(addr uint64, event int64) {
	g.addr = Known(addr)
	g.learnt.Store(&learnt{addr: g.addr, at: event})
}

// addressAt returns the address of the variable, and the event that has shown it.
func (g *global) addressAt() (addr uint64, event int64, ok bool) {
	l := g.learnt.Load()
	if l == nil {
		return 0, 0, false
	}
	addr, ok = l.addr.Bits()
	return addr, l.at, ok
}

// compiler makes the code of one function.
type compiler struct {
	c     *code
	p     *program
	reg   map[ssa.Value]int32
	cells map[*ssa.Alloc]int32
}

func (p *program) compile(pf *plan.Func) *code {
	c := &code{plan: pf, sizes: pf.Unit.Pkg.TypesSizes, texts: p.texts}
	k := &compiler{c: c, p: p, reg: map[ssa.Value]int32{}, cells: map[*ssa.Alloc]int32{}}
	fn := pf.SSA
	for _, v := range fn.Params {
		k.param(v)
	}
	for _, v := range fn.FreeVars {
		k.param(v)
	}
	for _, b := range fn.Blocks {
		for _, in := range b.Instrs {
			if v, ok := in.(ssa.Value); ok {
				k.number(v)
			}
		}
	}
	c.blocks = make([]block, len(fn.Blocks))
	for i, b := range fn.Blocks {
		k.block(&c.blocks[i], &pf.Blocks[i], b)
	}
	return c
}

func (k *compiler) param(v ssa.Value) {
	r := k.number(v)
	k.c.args = append(k.c.args, r)
	if k.size(k.c.plan.VarType(v)) != 0 {
		k.c.params = append(k.c.params, r)
	}
}

func (k *compiler) number(v ssa.Value) int32 {
	r := k.c.regs
	k.reg[v] = r
	k.c.regs += max(1, components(v))
	return r
}

// components is the number of registers of v, 0 for a result that is not a value.
func components(v ssa.Value) int32 {
	if t, ok := v.Type().(*types.Tuple); ok {
		return int32(t.Len())
	}
	return 1
}

func (k *compiler) block(out *block, bp *plan.Block, b *ssa.BasicBlock) {
	out.site, out.recorded = bp.Site, bp.Recorded
	out.instrs = make([]instr, len(b.Instrs))
	for j, in := range b.Instrs {
		k.instr(&out.instrs[j], &bp.Instrs[j], in)
		k.c.length += 1 + len(out.instrs[j].wants)
		if _, ok := in.(*ssa.Phi); ok {
			out.phis = append(out.phis, &out.instrs[j])
		}
	}
	for i := range out.instrs {
		if s, ok := out.instrs[i].in.(*ssa.Store); ok {
			out.instrs[i].own = slices.ContainsFunc(out.instrs[i:], func(x instr) bool { return x.std != nil && slices.Contains(x.std.stores, s) })
		}
	}
	for i, s := range b.Succs {
		e := edge{to: int32(s.Index)}
		dup := i > 0 && b.Succs[0] == s
		for p, pred := range s.Preds {
			if pred == b {
				e.pred = int32(p)
				if !dup {
					break
				}
			}
		}
		out.succs = append(out.succs, e)
	}
}

func (k *compiler) instr(out *instr, ip *plan.Instr, in ssa.Instruction) {
	*out = instr{in: in, site: ip.Site, reg: -1, cell: -1, fused: ip.Fused, maybe: ip.Maybe}
	if v, ok := in.(ssa.Value); ok {
		out.reg, out.n = k.reg[v], components(v)
		out.size = k.size(v.Type())
	}
	for _, o := range in.Operands(nil) {
		out.args = append(out.args, k.arg(*o))
	}
	if len(out.args) > 0 && *in.Operands(nil)[0] != nil {
		out.typ = (*in.Operands(nil)[0]).Type()
		out.kind = kindOf(out.typ)
	}
	k.opcode(out, ip, in)
	k.detail(out, in)
	k.wants(out, ip)
	out.pins = pinned(out, in)
}

// opcode says how the machine executes in, and finds the variable of a local access.
func (k *compiler) opcode(out *instr, ip *plan.Instr, in ssa.Instruction) {
	f := k.c.plan
	switch in := in.(type) {
	case *ssa.Phi, *ssa.DebugRef, *ssa.RunDefers, *ssa.Defer, *ssa.Range:
		out.op = opNop
		if _, ok := in.(*ssa.Range); ok {
			out.op = opEval
		}
	case *ssa.Jump:
		out.op = opJump
	case *ssa.If:
		out.op = opIf
	case *ssa.Return:
		out.op = opReturn
		for _, r := range in.Results {
			if u, ok := r.(*ssa.UnOp); ok && f.Defers && u.Op == token.MUL && !f.Local(u.X) {
				k.c.shifty = true
			}
		}
	case *ssa.Panic:
		out.op = opPanic
	case *ssa.Alloc:
		if f.Bound(in) {
			out.op = opNop
		} else if f.Local(in) {
			out.op, out.cell = opAlloc, k.cell(in)
		}
	case *ssa.Store:
		out.op, out.size = opStore, k.size(in.Val.Type())
		if f.Bound(in.Addr) {
			out.op = opBind
		} else if f.Local(in.Addr) {
			out.op, out.cell = opSet, k.cell(root(in.Addr))
		} else if plan.Kept(in) {
			out.op = opNop
		}
	case *ssa.FieldAddr, *ssa.IndexAddr:
		if v := in.(ssa.Value); f.Bound(v) {
			out.op, out.size = opPart, k.size(pointee(v.Type()))
		}
	case *ssa.UnOp:
		if in.Op == token.MUL {
			out.op = opLoad
			if f.Bound(in.X) {
				out.op = opPart
			} else if f.Local(in.X) {
				out.op, out.cell = opLocal, k.cell(root(in.X))
			}
		}
	case *ssa.Call:
		if _, ok := in.Call.Value.(*ssa.Builtin); !ok && ip.Call && !plan.Typed(in.Call.StaticCallee()) {
			out.op, out.callee = opCall, in.Call.StaticCallee()
			if m, ok := in.Call.Value.(*ssa.MakeClosure); ok {
				k.captured(out, m)
			}
		}
	}
	switch in := in.(type) {
	case *ssa.Go:
		k.closure(out, &in.Call)
	case *ssa.Defer:
		k.closure(out, &in.Call)
	}
}

func (k *compiler) closure(out *instr, c *ssa.CallCommon) {
	if m, ok := c.Value.(*ssa.MakeClosure); ok {
		k.captured(out, m)
	}
}

func (k *compiler) captured(out *instr, m *ssa.MakeClosure) {
	for _, b := range m.Bindings {
		out.free = append(out.free, k.arg(b))
	}
}

// root returns the local variable that addr points into.
func root(addr ssa.Value) *ssa.Alloc {
	for {
		switch x := addr.(type) {
		case *ssa.Alloc:
			return x
		case *ssa.FieldAddr:
			addr = x.X
		case *ssa.IndexAddr:
			addr = x.X
		default:
			panic("program: local address without a variable: " + addr.String())
		}
	}
}

func (k *compiler) cell(a *ssa.Alloc) int32 {
	i, ok := k.cells[a]
	if !ok {
		i = int32(len(k.c.cells))
		k.cells[a] = i
		k.c.cells = append(k.c.cells, k.size(a.Type().Underlying().(*types.Pointer).Elem()))
	}
	return i
}

// detail fills in what the evaluation of some instructions needs.
func (k *compiler) detail(out *instr, in ssa.Instruction) {
	switch in := in.(type) {
	case *ssa.BinOp:
		out.kind2, out.vague = kindOf(in.Y.Type()), plan.Ambiguous(in.X, in.Y)
	case *ssa.Convert:
		out.kind2 = kindOf(in.Type())
	case *ssa.FieldAddr:
		out.index, out.off = in.Field, k.fields(pointee(in.X.Type()))
	case *ssa.Field:
		out.index, out.off = in.Field, k.fields(in.X.Type())
	case *ssa.IndexAddr:
		out.elem = k.element(in.X.Type())
		out.kind2 = kindOf(in.Index.Type())
	case *ssa.Index:
		out.elem = k.element(in.X.Type())
		out.kind2 = kindOf(in.Index.Type())
	case *ssa.Slice:
		out.elem = 1
		if out.kind != types.String {
			out.elem = k.element(in.X.Type())
		}
	case *ssa.Extract:
		out.index, out.extract = in.Index, true
	case *ssa.Call:
		out.dynamic = isDynamic(&in.Call)
		if callee := in.Call.StaticCallee(); callee != nil && plan.Typed(callee) {
			if o := callee.Origin(); o != nil {
				callee = o
			}
			out.atomic = callee.Pkg != nil && callee.Pkg.Pkg.Path() == "sync/atomic"
			name := callee.Name()
			out.callsBack = !out.atomic && (name == "Do" || name == "Wait")
			out.cas = out.atomic && isCompareAndSwap(name)
		}
		if out.op == opEval {
			out.std = k.library(in)
		}
		if b, ok := in.Call.Value.(*ssa.Builtin); ok && len(in.Call.Args) > 0 {
			out.typ = in.Call.Args[0].Type()
			out.kind = kindOf(out.typ)
			if s, ok := plan.Core(in.Type()).(*types.Slice); ok && b.Name() == "append" && len(in.Call.Args) == 2 {
				out.elem = k.size(s.Elem())
				out.appends = out.elem > 0
			}
		}
	}
}

// fields returns the offsets of the fields of a struct type, nil if they depend on type parameters.
func (k *compiler) fields(t types.Type) []int64 {
	s, ok := plan.Core(t).(*types.Struct)
	if !ok || k.size(t) < 0 {
		return nil
	}
	vars := make([]*types.Var, s.NumFields())
	for i := range vars {
		vars[i] = s.Field(i)
	}
	return k.c.sizes.Offsetsof(vars)
}

func pointee(t types.Type) types.Type {
	if p, ok := plan.Core(t).(*types.Pointer); ok {
		return p.Elem()
	}
	return t
}

// element returns the size of an element of what is indexed or sliced, -1 if it is not known.
func (k *compiler) element(t types.Type) int64 {
	if e := plan.Element(t); e != nil {
		return k.size(e)
	}
	return -1
}

// size returns the size of t, -1 if it depends on type parameters.
func (k *compiler) size(t types.Type) int64 {
	if n, ok := k.p.sizes[t]; ok {
		return n
	}
	n := int64(-1)
	if b, ok := t.(*types.Basic); ok && b.Kind() == types.Invalid {
		n = 0
	} else if !plan.Open(t) {
		n = k.c.sizes.Sizeof(t)
	}
	k.p.sizes[t] = n
	return n
}

func isCompareAndSwap(name string) bool {
	return len(name) >= 14 && name[:14] == "CompareAndSwap"
}
