package instrument

import (
	"fmt"
	"go/token"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/source/plan"
)

// instr writes one instruction with its hooks. A fused or inlined instruction has no text of
// its own, phis are written on the edges, and RunDefers is what Go does while it returns.
func (b *body) instr(in ssa.Instruction, ip *plan.Instr, blk *ssa.BasicBlock) {
	if v, ok := in.(ssa.Value); ip.Fused || ok && b.inlined[v] {
		return
	}
	if b.gates && Gated(in, ip) {
		b.gate(in, ip)
		defer b.out.putf("%s.Done(%d)", rtName, ip.Site)
	}
	switch in := in.(type) {
	case *ssa.Phi, *ssa.DebugRef, *ssa.RunDefers:
	case *ssa.Alloc:
		b.alloc(in, ip)
	case *ssa.UnOp:
		b.unop(in, ip)
	case *ssa.Store:
		b.store(in, ip)
	case *ssa.BinOp, *ssa.Convert, *ssa.MultiConvert, *ssa.ChangeType, *ssa.ChangeInterface, *ssa.MakeInterface,
		*ssa.SliceToArrayPointer, *ssa.Slice, *ssa.Field, *ssa.Index:
		if s, ok := in.(*ssa.Slice); ok {
			b.checkMake(s)
		}
		b.simple(in.(ssa.Value), ip)
		switch in := in.(type) {
		case *ssa.Convert:
			b.keep(in)
			b.keepReflected(in)
		case *ssa.MultiConvert:
			b.keep(in)
		}
	case *ssa.FieldAddr, *ssa.IndexAddr:
		b.address(in.(ssa.Value), ip)
	case *ssa.Extract:
		b.out.putf("%s = %s", b.names[in], b.component(in.Tuple, in.Index))
	case *ssa.Call:
		b.emitCall(in, ip)
	case *ssa.MakeClosure:
		b.emitClosure(in)
		b.after(ip)
	case *ssa.MakeChan:
		b.out.putf("%s = make(%s, %s)", b.names[in], b.typ(in.Type()), b.hidden(in.Size))
		b.after(ip)
	case *ssa.MakeMap:
		size := ""
		if in.Reserve != nil {
			size = ", " + b.hidden(in.Reserve)
		}
		b.out.putf("%s = make(%s%s)", b.names[in], b.typ(in.Type()), size)
		b.keep(in)
		b.after(ip)
	case *ssa.MakeSlice:
		b.out.putf("%s = make(%s, %s, %s)", b.names[in], b.typ(in.Type()), b.hidden(in.Len), b.hidden(in.Cap))
		b.keep(in)
		b.after(ip)
	case *ssa.Lookup:
		b.before(ip)
		b.out.putf("%s%s[%s]", b.assignTo(in), b.hidden(in.X), b.value(in.Index))
		b.after(ip)
	case *ssa.MapUpdate:
		m, k, v := b.hidden(in.Map), b.value(in.Key), b.value(in.Value)
		b.before(ip)
		b.out.putf("%s[%s] = %s", m, k, v)
	case *ssa.Range:
		b.emitRange(in)
	case *ssa.Next:
		b.before(ip)
		b.out.putf("%s%s.Next()", b.assignTo(in), b.names[in.Iter])
		b.after(ip)
	case *ssa.TypeAssert:
		b.nilMethod(in)
		b.out.putf("%s%s.(%s)", b.assignTo(in), b.hidden(in.X), b.typ(in.AssertedType))
		b.after(ip)
	case *ssa.Select:
		b.emitSelect(in, ip)
	case *ssa.Send:
		ch, x := b.hidden(in.Chan), b.value(in.X)
		b.before(ip)
		b.out.putf("%s <- %s", ch, x)
		b.barrier()
	case *ssa.Go:
		b.emitGo(in, ip)
	case *ssa.Defer:
		b.emitDefer(in, ip)
	case *ssa.Jump:
		b.barrier()
		b.jump(blk, 0)
	case *ssa.If:
		b.branch(in, blk)
	case *ssa.Return:
		b.ret(in)
	case *ssa.Panic:
		b.barrier()
		b.rangeState(in)
		b.out.putf("panic(%s)", b.value(in.X))
	default:
		refuse(fmt.Sprintf("instruction of kind %T", in))
	}
}

// simple writes an instruction whose result is an expression of its operands.
func (b *body) simple(v ssa.Value, ip *plan.Instr) {
	b.before(ip)
	b.out.putf("%s = %s", b.names[v], b.expression(v))
	b.after(ip)
}

// address computes the address of a field or element. In a local variable that is only a bounds
// check.
func (b *body) address(v ssa.Value, ip *plan.Instr) {
	if !b.plan.Local(v) {
		b.simple(v, ip)
		return
	}
	if ia, ok := v.(*ssa.IndexAddr); ok {
		if _, constant := ia.Index.(*ssa.Const); !constant {
			b.out.putf("_ = %s", b.path(v))
		}
	}
}

// alloc makes a variable (E3). Local ones are declared at the top and only cleared here.
func (b *body) alloc(in *ssa.Alloc, ip *plan.Instr) {
	r, result := b.results[in]
	switch {
	case b.plan.Local(in):
		if !result && in.Block().Index > 0 {
			b.out.putf("%s = %s", b.names[in], "*new("+b.typ(deref(in))+")")
		}
		return
	case result:
		b.out.putf("%s = &%s", b.names[in], r)
	default:
		b.out.putf("%s = new(%s)", b.names[in], b.typ(deref(in)))
	}
	b.heap(b.names[in])
	b.after(ip)
}

func (b *body) unop(in *ssa.UnOp, ip *plan.Instr) {
	name := b.names[in]
	switch in.Op {
	case token.MUL:
		if ip.Check {
			b.out.putf("_ = *%s", b.hidden(in.X))
			return
		}
		if b.plan.Local(in.X) {
			b.out.putf("%s = %s", name, b.path(in.X))
		} else {
			if b.blind {
				b.out.putf("if h_ { %s = %s.Peek(%s) } else {", name, rtName, b.hidden(in.X))
				defer b.out.put("}")
			}
			b.out.putf("%s = *%s", name, b.hidden(in.X))
		}
		b.after(ip)
	case token.ARROW:
		ch := b.hidden(in.X)
		b.before(ip)
		b.out.putf("%s<-%s", b.assignTo(in), ch)
		b.barrier()
		b.after(ip)
	default:
		b.simple(in, ip)
	}
}

func (b *body) store(in *ssa.Store, ip *plan.Instr) {
	if b.plan.Local(in.Addr) {
		b.out.putf("%s = %s", b.path(in.Addr), b.value(in.Val))
		return
	}
	if plan.Kept(in) {
		b.out.putf("_ = %s", b.value(in.Val))
		return
	}
	if b.blind {
		b.out.putf("if h_ { %s.Poke(%s, %s) } else {", rtName, b.hidden(in.Addr), b.value(in.Val))
		defer b.out.put("}")
	}
	b.out.putf("*%s = %s", b.hidden(in.Addr), b.value(in.Val))
	b.after(ip)
}

func (b *body) branch(in *ssa.If, blk *ssa.BasicBlock) {
	b.barrier()
	b.out.putf("if bool(%s) {", b.hidden(in.Cond))
	b.jump(blk, 0)
	b.out.put("}")
	b.jump(blk, 1)
}

func (b *body) ret(in *ssa.Return) {
	var rs []string
	for _, r := range in.Results {
		rs = append(rs, b.value(r))
	}
	b.barrier()
	if !b.plan.Defers && !b.gates {
		b.handsBack(in)
		b.out.putf("g_.Exit(%#x)", header(exit, 0, 0, b.plan.Site))
	}
	b.out.put("return " + strings.Join(rs, ", "))
}
