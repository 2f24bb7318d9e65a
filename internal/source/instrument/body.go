package instrument

import (
	"fmt"
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/source/plan"
	"github.com/presage-race/presage/internal/trace/format"
)

// body emits one function (E1): its registers as variables declared at the top, its blocks as
// labels, its edges as parallel assignments to the phis and a goto.
type body struct {
	*unitEmitter
	plan   *plan.Func
	fn     *ssa.Function
	depth  int    // of nesting of literals
	prefix string // of all names, so that nested literals do not hide what they capture

	names    map[ssa.Value]string
	slots    map[*ssa.Select][]int // by component: whose variable it has
	results  map[*ssa.Alloc]string // result variables of functions with defers
	inlined  map[ssa.Value]bool
	consts   map[string]string
	literals map[*ssa.Function]string  // variables of literals used more than once
	placed   map[place][]*ssa.Function // where these are assigned
	decls    []string
	out      lines

	opaque bool // it has opaque calls
	hides  bool // it has loads or stores that may be hidden from the race detector
	blind  bool // the instruction being written is one

	loops  map[*ssa.BasicBlock]*loop
	loop   *loop // of the block being written, nil: none
	shorts int   // short accesses so far

	roomAt   int // index in out of the check that covers what follows, -1: none
	roomHead string
	need     int
}

func newBody(u *unitEmitter, f *plan.Func, depth int) *body {
	b := &body{
		unitEmitter: u, plan: f, fn: f.SSA, depth: depth,
		names: map[ssa.Value]string{}, slots: map[*ssa.Select][]int{}, results: map[*ssa.Alloc]string{}, inlined: inline(f.SSA, u.unit.Node, u.pkg.TypesInfo),
		consts: map[string]string{}, literals: map[*ssa.Function]string{}, placed: map[place][]*ssa.Function{}, roomAt: -1,
		loops: findLoops(f.SSA),
	}
	if depth > 0 {
		b.prefix = fmt.Sprintf("d%d", depth)
	}
	for i, p := range b.fn.Params {
		b.names[p] = fmt.Sprintf("%sp%d_", b.prefix, i)
	}
	for i, v := range b.fn.FreeVars {
		b.names[v] = fmt.Sprintf("%sv%d_", b.prefix, i)
	}
	return b
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
		t := b.typ
		text := ""
		if sig.Variadic() && i == len(params)-1 {
			text = "..." + b.variadicElem(p.Type())
		} else {
			text = t(p.Type())
		}
		ps = append(ps, b.names[p]+" "+text)
	}
	var rs []string
	for i := range sig.Results().Len() {
		r := b.typ(sig.Results().At(i).Type())
		if b.fn.Recover != nil {
			r = b.resultName(i) + " " + r
		}
		rs = append(rs, r)
	}
	b.findResults()
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

// closing writes the last brace on the line where it stood: traces show that line for a literal
// called in place, and for what runs deferred.
func (b *body) closing() {
	b.at(lastBrace(b.fn))
	if b.depth == 0 {
		b.out.put(b.scope.ends())
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

func (b *body) resultName(i int) string { return fmt.Sprintf("%sr%d_", b.prefix, i) }

// findResults maps the variables that the recover block returns to the named
// results of the emitted function (E4): Go returns them itself when a panic was recovered.
func (b *body) findResults() {
	if b.fn.Recover == nil {
		return
	}
	for _, in := range b.fn.Recover.Instrs {
		ret, ok := in.(*ssa.Return)
		if !ok {
			continue
		}
		for i, r := range ret.Results {
			load, ok := r.(*ssa.UnOp)
			if !ok {
				refuse("results of an unknown shape")
			}
			a, ok := load.X.(*ssa.Alloc)
			if !ok {
				refuse("result variable of another function")
			}
			b.results[a] = b.resultName(i)
		}
	}
}

// opening writes what comes before the blocks: local types, Enter, declarations, parameters.
func (b *body) opening() string {
	var l lines
	l.at(b.position(b.fn.Pos()))
	if b.depth == 0 {
		for _, t := range b.scope.text {
			l.put(t)
		}
	}
	if !b.gates {
		b.enter(&l)
	}
	if b.hides {
		l.put("var h_ bool")
	}
	for _, d := range b.decls {
		l.put(d)
	}
	l.text = append(l.text, b.parameters()...)
	l.text = append(l.text, b.around()...)
	return l.String()
}

// enter writes the Enter record and what the function's other records need.
func (b *body) enter(l *lines) {
	l.putf("g_ := %s.Enter(%#x); _ = g_", rtName, header(format.Enter, 0, 0, b.plan.Site))
	if b.plan.Defers {
		exit := fmt.Sprintf("defer f_.Exit(%#x)", header(format.Exit, 0, 0, b.plan.Site))
		if b.defersMaybe() {
			exit = fmt.Sprintf("var u_ bool; defer f_.ExitTyped(%#x, &u_)", header(format.Exit, 0, 0, b.plan.Site))
		}
		l.put("f_ := g_.Frame(); " + exit)
		b.handsBackAtEnd(l)
	}
	if b.opaque {
		l.put("d_ := g_.Depth()")
	}
}

// parameters records the parameters if the caller was not instrumented.
func (b *body) parameters() []string {
	if len(b.plan.Params) == 0 || b.gates {
		return nil
	}
	sub := &body{unitEmitter: b.unitEmitter, plan: b.plan, fn: b.fn, names: b.names, slots: b.slots, inlined: b.inlined, roomAt: -1}
	sub.out.put("if g_.Outside() {")
	for i := range b.plan.Params {
		sub.hook(&b.plan.Params[i], b.plan.Site)
	}
	sub.barrier()
	sub.out.text = append(sub.out.text, sub.isGiven()...)
	sub.out.put("}")
	return sub.out.text
}

func (b *body) declare(name string, t types.Type, init string) {
	d := "var " + name + " " + b.typ(t)
	if init != "" {
		d += " = " + init
	}
	b.decls = append(b.decls, d+"; _ = "+name)
}

func (b *body) at(pos token.Pos) {
	if pos.IsValid() {
		b.out.at(b.position(pos))
	}
}

// instrPos is the position of an instruction. A load that is not written in the source (*p of p.M)
// has that of what it is for, a return that is not, the last brace: what runs deferred is called
// from there.
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
	b.declareRegisters()
	b.placeLiterals()
	for i, blk := range b.fn.Blocks {
		if blk == b.fn.Recover {
			continue
		}
		if len(blk.Preds) > 0 {
			b.out.putf("%sb%d_:", b.prefix, i)
		}
		b.loop = b.loops[blk]
		b.enterBlock(&b.plan.Blocks[i])
		for j, in := range blk.Instrs {
			b.at(instrPos(in))
			b.assignLiterals(place{blk, j})
			b.instr(in, &b.plan.Blocks[i].Instrs[j], blk)
		}
		b.barrier()
	}
	b.closeLoops()
}

func (b *body) declareRegisters() {
	n := 0
	for i, blk := range b.fn.Blocks {
		if blk == b.fn.Recover {
			continue
		}
		for j, in := range blk.Instrs {
			if v, ok := in.(ssa.Value); ok {
				b.names[v] = fmt.Sprintf("%st%d_", b.prefix, n)
				n++
				b.declareRegister(v, &b.plan.Blocks[i].Instrs[j])
			}
		}
	}
}

func (b *body) declareRegister(v ssa.Value, ip *plan.Instr) {
	name := b.names[v]
	if ip.Fused || b.inlined[v] {
		return
	}
	switch v := v.(type) {
	case *ssa.Alloc:
		if b.plan.Local(v) {
			if _, result := b.results[v]; !result {
				b.declare(name, v.Type().Underlying().(*types.Pointer).Elem(), "")
			}
			return
		}
	case *ssa.FieldAddr, *ssa.IndexAddr:
		if b.plan.Local(v) {
			return
		}
	case *ssa.Range:
		b.decls = append(b.decls, fmt.Sprintf("var %s %s; _ = %[1]s", name, b.iterType(v)))
		return
	case *ssa.Next:
		for i, t := range nextTypes(v) {
			b.declare(b.component(v, i), t, "")
		}
		return
	case *ssa.Call:
		if bi, ok := v.Call.Value.(*ssa.Builtin); ok && strings.HasPrefix(bi.Name(), "ssa:") {
			return
		}
	}
	if t, ok := v.Type().(*types.Tuple); ok {
		for i := range t.Len() {
			if b.slot(v, i) == i {
				b.declare(b.component(v, i), t.At(i).Type(), "")
			}
		}
		return
	}
	b.declare(name, v.Type(), "")
}

// component names a component of a tuple (E2).
func (b *body) component(v ssa.Value, i int) string {
	return fmt.Sprintf("%s%d_", b.names[v], b.slot(v, i))
}

func (b *body) fused(in ssa.Instruction) bool { return b.plan.Fused(in) }

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
			left = append(left, b.names[phi])
			right = append(right, b.value(v))
		}
	}
	if len(left) > 0 {
		b.out.put(strings.Join(left, ", ") + " = " + strings.Join(right, ", "))
	}
	b.leaveFor(blk, to)
	b.out.putf("goto %sb%d_", b.prefix, to.Index)
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
