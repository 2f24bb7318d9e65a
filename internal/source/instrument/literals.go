package instrument

import (
	"fmt"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/source/plan"
)

// literals writes the function literals of a function.
type literals struct {
	unit  *unitEmitter
	plan  *plan.Func
	fn    *ssa.Function
	depth int // of nesting of literals
	regs  *registers
	expr  *expressions
	out   *lines

	names  map[*ssa.Function]string  // variables of literals that are used more than once
	placed map[place][]*ssa.Function // where these are assigned
}

// emitClosure writes a function literal with its free variables, or a bound method (IN2). The
// literal is written directly in the function around it, so that it keeps its name in a stack
// trace. Its free variables are copies in a block around it. They are never assigned again, so the
// compiler captures them by value.
func (ls *literals) emitClosure(in *ssa.MakeClosure) {
	fn := in.Fn.(*ssa.Function)
	if strings.HasPrefix(fn.Synthetic, "bound") {
		ls.expr.mustName(fn.Object())
		ls.out.putf("%s = %s.%s", ls.regs.names[in], ls.expr.selector(in.Bindings[0]), fn.Object().Name())
		return
	}
	if fn.Parent() != ls.fn {
		refuse("closure of another function")
	}
	sub := ls.literal(fn)
	var names, vals []string
	for i, v := range in.Bindings {
		names = append(names, sub.regs.names[fn.FreeVars[i]])
		vals = append(vals, ls.expr.value(v))
	}
	text := sub.text()
	ls.out.putf("{ %s := %s; %s = %s }", strings.Join(names, ", "), strings.Join(vals, ", "), ls.regs.names[in], text)
}

// inPlace writes a literal without free variables where its value is used.
func (ls *literals) inPlace(fn *ssa.Function) string {
	if fn.Parent() != ls.fn {
		refuse("literal of another function")
	}
	if name, ok := ls.names[fn]; ok {
		return name
	}
	return ls.literal(fn).text()
}

// place is an instruction, or with index len(Instrs)-1 the end of a block.
type place struct {
	block *ssa.BasicBlock
	index int
}

// placeLiterals finds the literals without free variables that are used more than once: SSA has no
// instruction that makes them. They are assigned to a variable at the last place that comes before
// all uses, which keeps them in the order of the source, and so their names, in all but rare cases.
func (ls *literals) placeLiterals() {
	uses := map[*ssa.Function][]place{}
	for _, blk := range ls.fn.Blocks {
		for i, in := range blk.Instrs {
			for _, u := range literalUses(in, place{blk, i}) {
				uses[u.fn] = append(uses[u.fn], u.place)
				if st, ok := in.(*ssa.Store); ok && !ls.plan.Local(st.Addr) {
					// for its record: a second literal would have another address
					uses[u.fn] = append(uses[u.fn], u.place)
				}
			}
		}
	}
	for _, fn := range ls.fn.AnonFuncs {
		if len(uses[fn]) < 2 {
			continue
		}
		name := fmt.Sprintf("%sl%d_", ls.regs.prefix, len(ls.names))
		ls.names[fn] = name
		ls.regs.declare(name, fn.Signature, "")
		at := commonDominator(uses[fn])
		ls.placed[at] = append(ls.placed[at], fn)
	}
}

type literalUse struct {
	fn *ssa.Function
	place
}

// literalUses finds the literals among the operands of an instruction. A phi uses its operand at
// the end of the predecessor.
func literalUses(in ssa.Instruction, at place) []literalUse {
	var out []literalUse
	var ops [10]*ssa.Value
	for i, op := range in.Operands(ops[:0]) {
		fn, ok := (*op).(*ssa.Function)
		if !ok || fn.Parent() == nil {
			continue
		}
		if _, closure := in.(*ssa.MakeClosure); closure {
			continue
		}
		p := at
		if phi, ok := in.(*ssa.Phi); ok {
			pred := phi.Block().Preds[i]
			p = place{pred, len(pred.Instrs) - 1}
		}
		out = append(out, literalUse{fn, p})
	}
	return out
}

func commonDominator(ps []place) place {
	at := ps[0]
	for _, p := range ps[1:] {
		switch {
		case p.block == at.block:
			at.index = min(at.index, p.index)
		case p.block.Dominates(at.block):
			at = p
		default:
			for !at.block.Dominates(p.block) {
				at.block = at.block.Idom()
				at.index = len(at.block.Instrs) - 1
			}
		}
	}
	return at
}

// assignLiterals writes the literals placed before an instruction.
func (ls *literals) assignLiterals(at place) {
	for _, fn := range ls.placed[at] {
		ls.out.putf("%s = %s", ls.names[fn], ls.literal(fn).text())
	}
}

// literal prepares the body of a nested function.
func (ls *literals) literal(fn *ssa.Function) *body {
	f := ls.unit.plan.Func(fn)
	if f == nil {
		refuse("literal without a plan")
	}
	return newBody(ls.unit, f, ls.depth+1)
}
