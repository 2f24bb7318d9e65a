package instrument

import (
	"fmt"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/source/plan"
)

// emitRange starts an iteration over a map or a string; the iterators live in the recorder.
func (b *body) emitRange(in *ssa.Range) {
	if m, ok := plan.Core(in.X.Type()).(*types.Map); ok {
		b.out.putf("%s = %s.RangeMap[%s, %s](%s)", b.names[in], rtName, b.typ(m.Key()), b.typ(m.Elem()), b.value(in.X))
		return
	}
	b.out.putf("%s = %s.RangeStr(string(%s))", b.names[in], rtName, b.value(in.X))
}

// iterType writes the type of the register of a Range.
func (b *body) iterType(in *ssa.Range) string {
	if m, ok := plan.Core(in.X.Type()).(*types.Map); ok {
		return fmt.Sprintf("*%s.MapIter[%s, %s]", rtName, b.typ(m.Key()), b.typ(m.Elem()))
	}
	return "*" + rtName + ".StrIter"
}

// nextTypes returns the types of what Next yields: SSA has none for components that are not used.
func nextTypes(in *ssa.Next) [3]types.Type {
	ok := types.Typ[types.Bool]
	if in.IsString {
		return [3]types.Type{ok, types.Typ[types.Int], types.Typ[types.Rune]}
	}
	m := plan.Core(in.Iter.(*ssa.Range).X.Type()).(*types.Map)
	return [3]types.Type{ok, m.Key(), m.Elem()}
}

// rangeState writes what fails before a panic of SSA's own can: a range over a function of which
// the iterator does not keep to the rules.
func (b *body) rangeState(in *ssa.Panic) {
	switch blk := in.Block(); blk.Comment {
	case "yield-invalid":
		entry := blk.Preds[0].Instrs
		jump := entry[len(entry)-1].(*ssa.If).Cond.(*ssa.BinOp).X
		b.out.putf("%s.RangeState(%s)", rtName, b.value(jump))
	case "rangefunc.resume.busy":
		b.out.putf("%s.RangeState(0)", rtName)
	}
}
