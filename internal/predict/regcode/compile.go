package regcode

import (
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/predict/goval"
	"github.com/presage-race/presage/internal/source/plan"
)

// compiler makes the code of one function.
type compiler struct {
	c     *Code
	p     *Program
	reg   map[ssa.Value]int32
	cells map[*ssa.Alloc]int32
}

func (p *Program) compile(pf *plan.Func) *Code {
	c := &Code{Plan: pf, Sizes: pf.Unit.Pkg.TypesSizes, Texts: p.Texts}
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
	c.Blocks = make([]Block, len(fn.Blocks))
	for i, b := range fn.Blocks {
		k.block(&c.Blocks[i], &pf.Blocks[i], b)
	}
	return c
}

func (k *compiler) param(v ssa.Value) {
	r := k.number(v)
	k.c.Args = append(k.c.Args, r)
	if k.size(k.c.Plan.VarType(v)) != 0 {
		k.c.Params = append(k.c.Params, r)
	}
}

func (k *compiler) number(v ssa.Value) int32 {
	r := k.c.Regs
	k.reg[v] = r
	k.c.Regs += max(1, components(v))
	return r
}

// components is the number of registers of v, 0 for a result that is not a value.
func components(v ssa.Value) int32 {
	if t, ok := v.Type().(*types.Tuple); ok {
		return int32(t.Len())
	}
	return 1
}

func (k *compiler) block(out *Block, bp *plan.Block, b *ssa.BasicBlock) {
	out.Site, out.Recorded = bp.Site, bp.Recorded
	out.Instrs = make([]Instr, len(b.Instrs))
	for j, in := range b.Instrs {
		k.instr(&out.Instrs[j], &bp.Instrs[j], in)
		k.c.Length += 1 + len(out.Instrs[j].Wants)
		if _, ok := in.(*ssa.Phi); ok {
			out.Phis = append(out.Phis, &out.Instrs[j])
		}
	}
	for i := range out.Instrs {
		if s, ok := out.Instrs[i].SSA.(*ssa.Store); ok {
			out.Instrs[i].Own = slices.ContainsFunc(out.Instrs[i:], func(x Instr) bool { return slices.Contains(x.operands(), s) })
		}
	}
	for i, s := range b.Succs {
		e := Edge{To: int32(s.Index)}
		dup := i > 0 && b.Succs[0] == s
		for p, pred := range s.Preds {
			if pred == b {
				e.Pred = int32(p)
				if !dup {
					break
				}
			}
		}
		out.Succs = append(out.Succs, e)
	}
}

func (k *compiler) instr(out *Instr, ip *plan.Instr, in ssa.Instruction) {
	*out = Instr{SSA: in, Site: ip.Site, Reg: -1, Cell: -1, Fused: ip.Fused, Maybe: ip.Maybe}
	if v, ok := in.(ssa.Value); ok {
		out.Reg, out.N = k.reg[v], components(v)
		out.Size = k.size(v.Type())
	}
	for _, o := range in.Operands(nil) {
		out.Args = append(out.Args, k.arg(*o))
	}
	if len(out.Args) > 0 && *in.Operands(nil)[0] != nil {
		out.Type = (*in.Operands(nil)[0]).Type()
		out.Kind = goval.KindOf(out.Type)
	}
	k.opcode(out, ip, in)
	k.detail(out, in)
	k.wants(out, ip)
	out.Pins = pinned(out, in)
	if a, ok := in.(*ssa.Alloc); ok && out.Recorded {
		out.Elem = k.size(Pointee(a.Type()))
		out.Stays = k.p.stays(a)
	}
}

// opcode sets the opcode of an instruction, and the cell of a local access.
func (k *compiler) opcode(out *Instr, ip *plan.Instr, in ssa.Instruction) {
	f := k.c.Plan
	switch in := in.(type) {
	case *ssa.Phi, *ssa.DebugRef, *ssa.RunDefers, *ssa.Defer, *ssa.Range:
		out.Op = OpNop
		if _, ok := in.(*ssa.Range); ok {
			out.Op = OpEval
		}
	case *ssa.Jump:
		out.Op = OpJump
	case *ssa.If:
		out.Op = OpIf
	case *ssa.Return:
		out.Op = OpReturn
		for _, r := range in.Results {
			if u, ok := r.(*ssa.UnOp); ok && f.Defers && u.Op == token.MUL && !f.Local(u.X) {
				k.c.ResultsMayChange = true
			}
		}
	case *ssa.Panic:
		out.Op = OpPanic
	case *ssa.Alloc, *ssa.Store, *ssa.FieldAddr, *ssa.IndexAddr, *ssa.UnOp:
		k.memory(out, in)
	case *ssa.Call:
		if _, ok := in.Call.Value.(*ssa.Builtin); !ok && ip.Call && !plan.Typed(in.Call.StaticCallee()) {
			out.Op, out.callee = OpCall, in.Call.StaticCallee()
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

// memory sets the opcode of an instruction that may access memory, or a local or bound variable.
func (k *compiler) memory(out *Instr, in ssa.Instruction) {
	f := k.c.Plan
	switch in := in.(type) {
	case *ssa.Alloc:
		if f.Bound(in) {
			out.Op = OpNop
		} else if f.Local(in) {
			out.Op, out.Cell = OpAlloc, k.cell(in)
		}
	case *ssa.Store:
		out.Op, out.Size = OpStore, k.size(in.Val.Type())
		if f.Bound(in.Addr) {
			out.Op = OpBind
		} else if f.Local(in.Addr) {
			out.Op, out.Cell = OpSet, k.cell(root(in.Addr))
		} else if plan.Kept(in) {
			out.Op = OpNop
		}
	case *ssa.FieldAddr, *ssa.IndexAddr:
		if v := in.(ssa.Value); f.Bound(v) {
			out.Op, out.Size = OpPart, k.size(Pointee(v.Type()))
		}
	case *ssa.UnOp:
		if in.Op == token.MUL {
			out.Op = OpLoad
			if f.Bound(in.X) {
				out.Op = OpPart
			} else if f.Local(in.X) {
				out.Op, out.Cell = OpLocal, k.cell(root(in.X))
			}
		}
	}
}

func (k *compiler) closure(out *Instr, c *ssa.CallCommon) {
	if m, ok := c.Value.(*ssa.MakeClosure); ok {
		k.captured(out, m)
	}
}

func (k *compiler) captured(out *Instr, m *ssa.MakeClosure) {
	for _, b := range m.Bindings {
		out.Free = append(out.Free, k.arg(b))
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
			panic("regcode: local address without a variable: " + addr.String())
		}
	}
}

func (k *compiler) cell(a *ssa.Alloc) int32 {
	i, ok := k.cells[a]
	if !ok {
		i = int32(len(k.c.Cells))
		k.cells[a] = i
		k.c.Cells = append(k.c.Cells, k.size(a.Type().Underlying().(*types.Pointer).Elem()))
	}
	return i
}

// detail sets what the evaluation of some instructions needs.
func (k *compiler) detail(out *Instr, in ssa.Instruction) {
	switch in := in.(type) {
	case *ssa.BinOp:
		out.Kind2, out.vague = goval.KindOf(in.Y.Type()), plan.Ambiguous(in.X, in.Y)
	case *ssa.Convert:
		out.Kind2 = goval.KindOf(in.Type())
	case *ssa.FieldAddr:
		out.Index, out.Offsets = in.Field, k.fields(Pointee(in.X.Type()))
	case *ssa.Field:
		out.Index, out.Offsets = in.Field, k.fields(in.X.Type())
	case *ssa.IndexAddr:
		out.Elem = k.element(in.X.Type())
		out.Kind2 = goval.KindOf(in.Index.Type())
	case *ssa.Index:
		out.Elem = k.element(in.X.Type())
		out.Kind2 = goval.KindOf(in.Index.Type())
	case *ssa.Slice:
		out.Elem = 1
		if out.Kind != types.String {
			out.Elem = k.element(in.X.Type())
		}
	case *ssa.Extract:
		out.Index, out.Extract = in.Index, true
	case *ssa.Call:
		out.Dynamic = isDynamic(&in.Call)
		if callee := in.Call.StaticCallee(); callee != nil && plan.Typed(callee) {
			if o := callee.Origin(); o != nil {
				callee = o
			}
			out.Atomic = callee.Pkg != nil && callee.Pkg.Pkg.Path() == "sync/atomic"
			name := callee.Name()
			out.CallsBack = !out.Atomic && (name == "Do" || name == "Wait")
			out.CompareAndSwap = out.Atomic && isCompareAndSwap(name)
		}
		if out.Op == OpEval {
			out.Std, out.Log = k.library(in), logged(in)
		}
		if b, ok := in.Call.Value.(*ssa.Builtin); ok && len(in.Call.Args) > 0 {
			out.Type = in.Call.Args[0].Type()
			out.Kind = goval.KindOf(out.Type)
			if s, ok := plan.Core(in.Type()).(*types.Slice); ok && b.Name() == "append" && len(in.Call.Args) == 2 {
				out.Elem = k.size(s.Elem())
				out.Appends = out.Elem > 0
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
	return k.c.Sizes.Offsetsof(vars)
}

// Pointee returns the type that a pointer type t points to, and t itself if it is no pointer type.
func Pointee(t types.Type) types.Type {
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
		n = k.c.Sizes.Sizeof(t)
	}
	k.p.sizes[t] = n
	return n
}

func isCompareAndSwap(name string) bool {
	return len(name) >= 14 && name[:14] == "CompareAndSwap"
}

// isDynamic reports whether a call is through a function value or an interface.
func isDynamic(c *ssa.CallCommon) bool {
	if _, builtin := c.Value.(*ssa.Builtin); builtin {
		return false
	}
	fn := c.StaticCallee()
	return fn == nil || BoundMethod(fn) != nil
}

// BoundMethod returns the method that a bound method value calls, with its receiver as the first
// argument; nil for other functions.
func BoundMethod(fn *ssa.Function) *ssa.Function {
	if !strings.HasPrefix(fn.Synthetic, "bound method wrapper") || len(fn.FreeVars) != 1 {
		return nil
	}
	return plan.Method(fn)
}
