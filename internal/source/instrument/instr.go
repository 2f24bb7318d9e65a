package instrument

import (
	"fmt"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/source/plan"
)

// instr writes one instruction with its records. A fused or inlined instruction has no text of its
// own.
func (b *body) instr(in ssa.Instruction, ip *plan.Instr, blk *ssa.BasicBlock) {
	if v, ok := in.(ssa.Value); ip.Fused || ok && b.regs.inlined[v] {
		return
	}
	if b.unit.gates && Gated(in, ip) {
		b.gate.gate(in, ip)
		defer b.out.putf("%s.Done(%d)", rtName, ip.Site)
	}
	if b.unit.points {
		b.gate.point(ip)
	}
	switch in := in.(type) {
	case *ssa.Phi, *ssa.DebugRef, *ssa.RunDefers:
		// a phi is assigned on the edges; Go runs deferred calls itself while the function returns
	case *ssa.Alloc:
		b.alloc(in, ip)
	case *ssa.UnOp:
		b.unop(in, ip)
	case *ssa.Store:
		b.store(in, ip)
	case *ssa.BinOp, *ssa.Convert, *ssa.MultiConvert, *ssa.ChangeType, *ssa.ChangeInterface, *ssa.MakeInterface,
		*ssa.SliceToArrayPointer, *ssa.Slice, *ssa.Field, *ssa.Index:
		b.compute(in.(ssa.Value), ip)
	case *ssa.FieldAddr, *ssa.IndexAddr:
		b.address(in.(ssa.Value), ip)
	case *ssa.Extract:
		b.out.putf("%s = %s", b.regs.names[in], b.regs.component(in.Tuple, in.Index))
	case *ssa.Call:
		b.calls.emitCall(in, ip)
	case *ssa.MakeClosure:
		b.literals.emitClosure(in)
		b.rec.after(ip)
	case *ssa.MakeChan, *ssa.MakeMap, *ssa.MakeSlice:
		b.make(in.(ssa.Value), ip)
	case *ssa.Lookup, *ssa.MapUpdate, *ssa.Range, *ssa.Next:
		b.element(in, ip)
	case *ssa.TypeAssert:
		b.nilMethod(in)
		b.out.putf("%s%s.(%s)", b.regs.assignTo(in), b.expr.hidden(in.X), b.unit.typ(in.AssertedType))
		b.rec.after(ip)
	case *ssa.Select:
		b.emitSelect(in, ip)
	case *ssa.Send:
		ch, x := b.expr.hidden(in.Chan), b.expr.value(in.X)
		b.rec.before(ip)
		b.out.putf("%s <- %s", ch, x)
		b.rec.barrier()
	case *ssa.Go:
		b.calls.emitGo(in, ip)
	case *ssa.Defer:
		b.calls.emitDefer(in, ip)
	case *ssa.Jump, *ssa.If, *ssa.Return, *ssa.Panic:
		b.control(in, blk)
	default:
		refuse(fmt.Sprintf("instruction of kind %T", in))
	}
}

// control writes the end of a block.
func (b *body) control(in ssa.Instruction, blk *ssa.BasicBlock) {
	switch in := in.(type) {
	case *ssa.Jump:
		b.rec.barrier()
		b.jump(blk, 0)
	case *ssa.If:
		b.branch(in, blk)
	case *ssa.Return:
		b.ret(in)
	case *ssa.Panic:
		b.rec.barrier()
		b.rangeState(in)
		b.out.putf("panic(%s)", b.expr.value(in.X))
	}
}

// make writes a call of the built-in function make.
func (b *body) make(v ssa.Value, ip *plan.Instr) {
	name, typ := b.regs.names[v], b.unit.typ(v.Type())
	switch in := v.(type) {
	case *ssa.MakeChan:
		b.out.putf("%s = make(%s, %s)", name, typ, b.expr.hidden(in.Size))
	case *ssa.MakeMap:
		size := ""
		if in.Reserve != nil {
			size = ", " + b.expr.hidden(in.Reserve)
		}
		b.out.putf("%s = make(%s%s)", name, typ, size)
		b.heap.keep(in)
	case *ssa.MakeSlice:
		b.out.putf("%s = make(%s, %s, %s)", name, typ, b.expr.hidden(in.Len), b.expr.hidden(in.Cap))
		b.heap.keep(in)
	}
	b.rec.after(ip)
}

// element writes an access of an element of a map or a string, or a step of an iteration.
func (b *body) element(in ssa.Instruction, ip *plan.Instr) {
	switch in := in.(type) {
	case *ssa.Lookup:
		b.rec.before(ip)
		b.out.putf("%s%s[%s]", b.regs.assignTo(in), b.expr.hidden(in.X), b.expr.value(in.Index))
		b.rec.after(ip)
	case *ssa.MapUpdate:
		m, k, v := b.expr.hidden(in.Map), b.expr.value(in.Key), b.expr.value(in.Value)
		b.rec.before(ip)
		b.out.putf("%s[%s] = %s", m, k, v)
	case *ssa.Range:
		b.emitRange(in)
	case *ssa.Next:
		b.rec.before(ip)
		b.out.putf("%s%s.Next()", b.regs.assignTo(in), b.regs.names[in.Iter])
		b.rec.after(ip)
	}
}

// compute writes an instruction that computes a value, and what the value needs besides.
func (b *body) compute(v ssa.Value, ip *plan.Instr) {
	if s, ok := v.(*ssa.Slice); ok {
		b.checkMake(s)
	}
	b.simple(v, ip)
	switch v := v.(type) {
	case *ssa.Convert:
		b.heap.keep(v)
		b.heap.keepReflected(v)
	case *ssa.MultiConvert:
		b.heap.keep(v)
	}
}

// simple writes an instruction whose result is an expression of its operands.
func (b *body) simple(v ssa.Value, ip *plan.Instr) {
	b.rec.before(ip)
	b.out.putf("%s = %s", b.regs.names[v], b.expr.expression(v))
	b.rec.after(ip)
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
			b.out.putf("_ = %s", b.expr.path(v))
		}
	}
}

// alloc makes a variable (IN1). Local ones are declared at the top and only cleared here.
func (b *body) alloc(in *ssa.Alloc, ip *plan.Instr) {
	r, result := b.regs.results[in]
	switch {
	case b.plan.Local(in):
		if !result && in.Block().Index > 0 {
			b.out.putf("%s = %s", b.regs.names[in], "*new("+b.unit.typ(deref(in))+")")
		}
		return
	case result:
		b.out.putf("%s = &%s", b.regs.names[in], r)
	default:
		b.out.putf("%s = new(%s)", b.regs.names[in], b.unit.typ(deref(in)))
	}
	b.heap.heap(b.regs.names[in])
	b.rec.after(ip)
}

func (b *body) unop(in *ssa.UnOp, ip *plan.Instr) {
	name := b.regs.names[in]
	switch in.Op {
	case token.MUL:
		if ip.Check {
			b.out.putf("_ = *%s", b.expr.hidden(in.X))
			return
		}
		if b.plan.Local(in.X) {
			b.out.putf("%s = %s", name, b.expr.path(in.X))
		} else {
			if b.gate.blind {
				b.out.putf("if h_ { %s = %s.Peek(%s) } else {", name, rtName, b.expr.hidden(in.X))
				defer b.out.put("}")
			}
			b.out.putf("%s = *%s", name, b.expr.hidden(in.X))
		}
		b.rec.after(ip)
	case token.ARROW:
		ch := b.expr.hidden(in.X)
		b.rec.before(ip)
		b.out.putf("%s<-%s", b.regs.assignTo(in), ch)
		b.rec.barrier()
		b.rec.after(ip)
	default:
		b.simple(in, ip)
	}
}

func (b *body) store(in *ssa.Store, ip *plan.Instr) {
	if b.plan.Local(in.Addr) {
		b.out.putf("%s = %s", b.expr.path(in.Addr), b.expr.value(in.Val))
		return
	}
	if plan.Kept(in) {
		b.out.putf("_ = %s", b.expr.value(in.Val))
		return
	}
	if b.gate.blind {
		b.out.putf("if h_ { %s.Poke(%s, %s) } else {", rtName, b.expr.hidden(in.Addr), b.expr.value(in.Val))
		defer b.out.put("}")
	}
	b.out.putf("*%s = %s", b.expr.hidden(in.Addr), b.expr.value(in.Val))
	b.rec.after(ip)
}

func (b *body) branch(in *ssa.If, blk *ssa.BasicBlock) {
	b.rec.barrier()
	b.out.putf("if bool(%s) {", b.expr.hidden(in.Cond))
	b.jump(blk, 0)
	b.out.put("}")
	b.jump(blk, 1)
}

func (b *body) ret(in *ssa.Return) {
	var rs []string
	for _, r := range in.Results {
		rs = append(rs, b.expr.value(r))
	}
	b.rec.barrier()
	if !b.plan.Defers && !b.unit.gates {
		b.edge.handsBack(in)
		b.out.putf("g_.Exit(%#x)", header(exit, 0, 0, b.plan.Site))
	}
	b.out.put("return " + strings.Join(rs, ", "))
}

// checkMake writes a check so that make([]T, n, m) with a constant m, which SSA has as
// new([m]T)[:n], panics as make does.
func (b *body) checkMake(in *ssa.Slice) {
	a, ok := in.X.(*ssa.Alloc)
	if !ok || a.Comment != "makeslice" || in.High == nil {
		return
	}
	array := a.Type().Underlying().(*types.Pointer).Elem().(*types.Array)
	if c, ok := in.High.(*ssa.Const); ok && 0 <= c.Int64() && c.Int64() <= array.Len() {
		return
	}
	n := b.expr.hidden(in.High)
	b.out.putf("if uint64(%s) > %d { _ = make([]%s, %[1]s, %[2]d) }", n, array.Len(), b.unit.typ(array.Elem()))
}

// nilMethod writes the check that a method value begins with. In SSA it is a type assertion of the
// interface to itself, which fails with another error.
func (b *body) nilMethod(in *ssa.TypeAssert) {
	if in.CommaOk || len(*in.Referrers()) > 0 {
		return
	}
	list := in.Block().Instrs
	for _, next := range list[slices.Index(list, ssa.Instruction(in)):] {
		c, ok := next.(*ssa.MakeClosure)
		if !ok {
			continue
		}
		fn := c.Fn.(*ssa.Function)
		if x, ok := in.X.(*ssa.MakeInterface); ok && !in.Pos().IsValid() { // of a type parameter
			b.nilCheck(x.X, fn)
		} else if in.Pos() == c.Pos() {
			b.nilCheck(in.X, fn)
		}
		return
	}
}

func (b *body) nilCheck(recv ssa.Value, bound *ssa.Function) {
	b.expr.mustName(bound.Object())
	b.out.putf("_ = %s.%s", b.expr.selector(recv), bound.Object().Name())
}
