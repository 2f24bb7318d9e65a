package instrument

import (
	"fmt"
	"go/token"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/source/plan"
	"github.com/presage-race/presage/internal/trace/format"
)

// body emits one function (IN1): its registers as variables declared at the top, its blocks as
// labels, its edges as parallel assignments to the phis and a goto.
type body struct {
	unit  *unitEmitter
	plan  *plan.Func
	fn    *ssa.Function
	depth int // of nesting of literals

	regs     *registers
	expr     *expressions
	rec      *records
	heap     *heapKeeper
	edge     *boundary
	calls    *calls
	gate     *gating
	literals *literals
	needs    *needs
	out      *lines
}

// needs says which variables of an emitted function are declared because its text uses them.
type needs struct {
	depth bool // d_, the depth of the goroutine's opaque calls
	hides bool // h_, whether the race detector is not to see an access
}

func newBody(u *unitEmitter, f *plan.Func, depth int) *body {
	out, need, regs := &lines{}, &needs{}, newRegisters(u, f, depth)
	expr := &expressions{unit: u, plan: f, regs: regs, out: out}
	rec := newRecords(u, regs, expr, out)
	rec.loops = findLoops(f.SSA)
	heap := &heapKeeper{expr: expr, regs: regs, out: out}
	edge := &boundary{unit: u, plan: f, fn: f.SSA, regs: regs, expr: expr, rec: rec, heap: heap, needs: need, out: out}
	lits := &literals{
		unit: u, plan: f, fn: f.SSA, depth: depth, regs: regs, expr: expr, out: out,
		names: map[*ssa.Function]string{}, placed: map[place][]*ssa.Function{},
	}
	expr.literal = lits.inPlace
	gate := &gating{expr: expr, rec: rec, needs: need, out: out}
	return &body{
		unit: u, plan: f, fn: f.SSA, depth: depth,
		regs: regs, expr: expr, rec: rec, heap: heap, edge: edge, gate: gate, literals: lits, needs: need, out: out,
		calls: &calls{
			unit: u, fn: f.SSA, regs: regs, expr: expr, rec: rec, heap: heap, edge: edge, gate: gate, needs: need, out: out,
		},
	}
}

// text writes the function as a literal.
func (b *body) text() string {
	mark := ""
	if b.depth > 0 {
		mark = b.mark()
	}
	return mark + "func" + b.signatureAndBody(b.fn.Params)
}

// signatureAndBody writes everything after the name; params are those without the receiver.
func (b *body) signatureAndBody(params []*ssa.Parameter) string {
	sig := b.fn.Signature
	var ps []string
	for i, p := range params {
		text := ""
		if sig.Variadic() && i == len(params)-1 {
			text = "..." + b.unit.variadicElem(p.Type())
		} else {
			text = b.unit.typ(p.Type())
		}
		ps = append(ps, b.regs.names[p]+" "+text)
	}
	var rs []string
	for i := range sig.Results().Len() {
		r := b.unit.typ(sig.Results().At(i).Type())
		if b.fn.Recover != nil {
			r = b.regs.resultName(i) + " " + r
		}
		rs = append(rs, r)
	}
	b.regs.findResults()
	b.at(b.fn.Pos())
	b.emit()
	var s strings.Builder
	fmt.Fprintf(&s, "(%s) ", strings.Join(ps, ", "))
	if len(rs) > 0 {
		fmt.Fprintf(&s, "(%s) ", strings.Join(rs, ", "))
	}
	b.closing()
	s.WriteString("{\n" + b.opening() + strings.TrimSuffix(b.out.String(), "\n"))
	return s.String()
}

// closing writes the last brace on its line in the source: stack traces show that line for a
// literal called in place, and for deferred calls.
func (b *body) closing() {
	b.at(lastBrace(b.fn))
	if b.depth == 0 {
		b.out.put(b.unit.scope.ends())
		return
	}
	b.out.put("}")
}

func lastBrace(f *ssa.Function) token.Pos {
	if syntax := f.Syntax(); syntax != nil {
		return syntax.End() - 1
	}
	return token.NoPos
}

// opening writes what comes before the blocks: local types, Enter, declarations, parameters.
func (b *body) opening() string {
	var l lines
	l.at(b.unit.position(b.fn.Pos()))
	if b.depth == 0 {
		for _, t := range b.unit.scope.text {
			l.put(t)
		}
	}
	if !b.unit.gates {
		b.enter(&l)
	}
	if b.needs.hides {
		l.put("var h_ bool")
	}
	for _, d := range b.regs.decls {
		l.put(d)
	}
	l.text = append(l.text, b.parameters()...)
	l.text = append(l.text, b.edge.around()...)
	return l.String()
}

// enter writes the Enter record and what the function's other records need.
func (b *body) enter(l *lines) {
	l.putf("g_ := %s.Enter(%#x); _ = g_", rtName, header(format.Enter, 0, 0, b.plan.Site))
	if b.plan.Defers {
		exit := fmt.Sprintf("defer f_.Exit(%#x)", header(format.Exit, 0, 0, b.plan.Site))
		if b.calls.defersMaybe() {
			exit = fmt.Sprintf("var u_ bool; defer f_.ExitTyped(%#x, &u_)", header(format.Exit, 0, 0, b.plan.Site))
		}
		l.put("f_ := g_.Frame(); " + exit)
		b.edge.handsBackAtEnd(l)
	}
	if b.needs.depth {
		l.put("d_ := g_.Depth()")
	}
}

// parameters records the parameters if the caller was not instrumented.
func (b *body) parameters() []string {
	if len(b.plan.Params) == 0 || b.unit.gates {
		return nil
	}
	out := &lines{}
	rec := newRecords(b.unit, b.regs, b.expr, out)
	out.put("if g_.Outside() {")
	for i := range b.plan.Params {
		rec.hook(&b.plan.Params[i], b.plan.Site)
	}
	rec.barrier()
	out.text = append(out.text, b.edge.isGiven()...)
	out.put("}")
	return out.text
}

func (b *body) at(pos token.Pos) {
	if pos.IsValid() {
		b.out.at(b.unit.position(pos))
	}
}

// instrPos returns the position of an instruction. A load that the source does not write (*p of
// p.M) has that of its user. A return that the source does not write has that of the last brace,
// because deferred calls are made from there.
func instrPos(in ssa.Instruction) token.Pos {
	if ret, ok := in.(*ssa.Return); ok && !ret.Pos().IsValid() {
		return lastBrace(in.Parent())
	}
	load, ok := in.(*ssa.UnOp)
	if !ok || in.Pos().IsValid() {
		return in.Pos()
	}
	for _, use := range *load.Referrers() {
		if use.Block() == in.Block() && use.Pos().IsValid() {
			return use.Pos()
		}
	}
	return token.NoPos
}

// emit writes the blocks.
func (b *body) emit() {
	b.regs.declareRegisters()
	b.literals.placeLiterals()
	for i, blk := range b.fn.Blocks {
		if blk == b.fn.Recover {
			continue
		}
		if len(blk.Preds) > 0 {
			b.out.putf("%sb%d_:", b.regs.prefix, i)
		}
		b.rec.loop = b.rec.loops[blk]
		b.rec.enterBlock(&b.plan.Blocks[i])
		for j, in := range blk.Instrs {
			b.at(instrPos(in))
			b.literals.assignLiterals(place{blk, j})
			b.instr(in, &b.plan.Blocks[i].Instrs[j], blk)
		}
		b.rec.barrier()
	}
	b.rec.closeLoops()
}

func (ex *expressions) fused(in ssa.Instruction) bool { return ex.plan.Fused(in) }

// jump writes the edge from blk to its successor: the phis take their values at once.
func (b *body) jump(blk *ssa.BasicBlock, succ int) {
	to := blk.Succs[succ]
	edge := edgeIndex(blk, succ)
	var left, right []string
	for _, in := range to.Instrs {
		phi, ok := in.(*ssa.Phi)
		if !ok {
			break
		}
		if v := phi.Edges[edge]; v != ssa.Value(phi) {
			left = append(left, b.regs.names[phi])
			right = append(right, b.expr.value(v))
		}
	}
	if len(left) > 0 {
		b.out.put(strings.Join(left, ", ") + " = " + strings.Join(right, ", "))
	}
	b.rec.leaveFor(blk, to)
	b.out.putf("goto %sb%d_", b.regs.prefix, to.Index)
}

// edgeIndex returns which of the predecessors of its successor blk is, by the edge with number
// succ.
func edgeIndex(blk *ssa.BasicBlock, succ int) int {
	to, same := blk.Succs[succ], 0
	for _, s := range blk.Succs[:succ] {
		if s == to {
			same++
		}
	}
	for i, p := range to.Preds {
		if p == blk {
			if same == 0 {
				return i
			}
			same--
		}
	}
	panic("instrument: successor without predecessor")
}
