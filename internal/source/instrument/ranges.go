package instrument

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/source/plan"
)

// emitRange starts an iteration over a map or a string. The recorder has the iterators.
func (b *body) emitRange(in *ssa.Range) {
	if m, ok := plan.Core(in.X.Type()).(*types.Map); ok {
		b.out.putf("%s = %s.RangeMap[%s, %s](%s)", b.regs.names[in], rtName, b.unit.typ(m.Key()), b.unit.typ(m.Elem()), b.expr.value(in.X))
		return
	}
	b.out.putf("%s = %s.RangeStr(string(%s))", b.regs.names[in], rtName, b.expr.value(in.X))
}

// rangeState writes a call that panics as Go does, before a panic of SSA's own, in a range over a
// function whose iterator violates the rules of the language.
func (b *body) rangeState(in *ssa.Panic) {
	switch blk := in.Block(); blk.Comment {
	case "yield-invalid":
		entry := blk.Preds[0].Instrs
		jump := entry[len(entry)-1].(*ssa.If).Cond.(*ssa.BinOp).X
		b.out.putf("%s.RangeState(%s)", rtName, b.expr.value(jump))
	case "rangefunc.resume.busy":
		b.out.putf("%s.RangeState(0)", rtName)
	}
}
