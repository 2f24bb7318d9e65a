package instrument

import (
	"fmt"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"presage/internal/plan"
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
