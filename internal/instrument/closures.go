package instrument

import (
	"fmt"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// emitClosure writes a function literal with its free variables, or a bound method. The literal stands
// directly in the function around it, so that its name in a stack trace stays;
// free variables are copies in a block of its own, never assigned again, which the compiler captures by value.
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

// staticLiteral writes a literal without free variables where its value is used.
func (b *body) staticLiteral(fn *ssa.Function) string {
	if fn.Parent() != b.fn {
		refuse("literal of another function")
	}
	if name, ok := b.literals[fn]; ok {
		return name
	}
	text := b.literal(fn).text()
	if b.uses1(fn) {
		return text
	}
	name := fmt.Sprintf("%sl%d_", b.prefix, len(b.literals))
	b.literals[fn] = name
	b.declareAfter(name, text)
	return name
}

// uses1 reports whether the literal is an operand of one instruction only.
func (b *body) uses1(fn *ssa.Function) bool {
	n := 0
	var ops [10]*ssa.Value
	for _, blk := range b.fn.Blocks {
		for _, in := range blk.Instrs {
			for _, op := range in.Operands(ops[:0]) {
				if *op == ssa.Value(fn) {
					n++
				}
			}
		}
	}
	return n == 1
}

// literal prepares the body of a nested function.
func (b *body) literal(fn *ssa.Function) *body {
	f := b.fileEmitter.plan.Func(fn)
	if f == nil {
		refuse("literal without a plan")
	}
	return newBody(b.unitEmitter, f, b.depth+1)
}
