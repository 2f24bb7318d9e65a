package instrument

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/source/plan"
)

// emitRange starts an iteration over a map or a string; the iterators live in the recorder.
func (b *body) emitRange(in *ssa.Range) {
	if m, ok := plan.Core(in.X.Type()).(*types.Map); ok {
		b.out.putf("%s = %s.RangeMap[%s, %s](%s)", b.regs.names[in], rtName, b.unit.typ(m.Key()), b.unit.typ(m.Elem()), b.expr.value(in.X))
		return
	}
	b.out.putf("%s = %s.RangeStr(string(%s))", b.regs.names[in], rtName, b.expr.value(in.X))
}

// rangeState writes what fails before a panic of SSA's own can: a range over a function of which
// the iterator does not keep to the rules.
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
