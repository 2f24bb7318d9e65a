package instrument

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// emitClosure writes a function literal with its free variables, or a bound method (E5). The
// literal stands directly in the function around it, so that its name in a stack trace stays; free
// variables are copies in a block of its own, never assigned again, which the compiler captures by
// value.
func (b *body) emitClosure(in *ssa.MakeClosure) {
	fn := in.Fn.(*ssa.Function)
	if strings.HasPrefix(fn.Synthetic, "bound") {
		b.mustName(fn.Object())
		b.out.putf("%s = %s.%s", b.names[in], b.selector(in.Bindings[0]), fn.Object().Name())
		return
	}
	if fn.Parent() != b.fn {
		refuse("closure of another function")
	}
	sub := b.literal(fn)
	var names, vals []string
	for i, v := range in.Bindings {
		names = append(names, sub.names[fn.FreeVars[i]])
		vals = append(vals, b.value(v))
	}
	text := sub.text()
	b.out.putf("{ %s := %s; %s = %s }", strings.Join(names, ", "), strings.Join(vals, ", "), b.names[in], text)
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
	b.mustName(bound.Object())
	b.out.putf("_ = %s.%s", b.selector(recv), bound.Object().Name())
}

// staticLiteral writes a literal without free variables where its value is used.
func (b *body) staticLiteral(fn *ssa.Function) string {
	if fn.Parent() != b.fn {
		refuse("literal of another function")
	}
	if name, ok := b.literals[fn]; ok {
		return name
	}
	return b.literal(fn).text()
}

// place is an instruction, or with index len(Instrs)-1 the end of a block.
type place struct {
	block *ssa.BasicBlock
	index int
}

// placeLiterals finds the literals without free variables that are used more than once: SSA has no
// instruction that makes them. They are assigned to a variable at the last place that comes before
// all uses, which keeps them in the order of the source, and so their names, in all but strange
// cases.
func (b *body) placeLiterals() {
	uses := map[*ssa.Function][]place{}
	for _, blk := range b.fn.Blocks {
		for i, in := range blk.Instrs {
			for _, u := range literalUses(in, place{blk, i}) {
				uses[u.fn] = append(uses[u.fn], u.place)
				if st, ok := in.(*ssa.Store); ok && !b.plan.Local(st.Addr) {
					// for the record: written again, it would have another address
					uses[u.fn] = append(uses[u.fn], u.place)
				}
			}
		}
	}
	for _, fn := range b.fn.AnonFuncs {
		if len(uses[fn]) < 2 {
			continue
		}
		name := fmt.Sprintf("%sl%d_", b.prefix, len(b.literals))
		b.literals[fn] = name
		b.declare(name, fn.Signature, "")
		at := commonDominator(uses[fn])
		b.placed[at] = append(b.placed[at], fn)
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
func (b *body) assignLiterals(at place) {
	for _, fn := range b.placed[at] {
		b.out.putf("%s = %s", b.literals[fn], b.literal(fn).text())
	}
}

// literal prepares the body of a nested function.
func (b *body) literal(fn *ssa.Function) *body {
	f := b.fileEmitter.plan.Func(fn)
	if f == nil {
		refuse("literal without a plan")
	}
	return newBody(b.unitEmitter, f, b.depth+1)
}
