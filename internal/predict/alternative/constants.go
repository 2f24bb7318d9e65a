package alternative

import (
	"github.com/presage-race/presage/internal/predict/flow"
	"github.com/presage-race/presage/internal/predict/goval"
	"github.com/presage-race/presage/internal/predict/regcode"
)

// constants are the operands that are not registers: addresses of package variables, and constants.
type constants struct {
	program *regcode.Program
	around  flow.Surroundings

	// unseen has addresses for variables that have no access in the trace so far. Their memory is
	// the alternative's own, and its content is unknown.
	unseen map[*regcode.Global]uint64
}

func (c *constants) value(a *regcode.Arg) Value {
	if a.Glob != nil {
		return c.address(a.Glob)
	}
	_, word := a.Val.Bits()
	if s, ok := a.Val.Content(); ok && !word { // a string constant
		if at, ok := c.program.Texts.Place(s); ok {
			return Value{Concrete: goval.Words([]uint64{at, uint64(len(s))}).WithText(s)}
		}
	}
	return Value{Concrete: a.Val}
}

// address returns the address of a variable. It is unknown if the trace has none so far and
// a pointer may point to the variable.
func (c *constants) address(g *regcode.Global) Value {
	if addr, at, ok := g.AddressAt(); ok && at < c.around.Until() {
		return known(addr)
	}
	if !c.program.Plan.Named(g.Var) {
		return Value{}
	}
	at, ok := c.unseen[g]
	if !ok {
		at = unseenMemory + (c.around.Number()*maxObjects+uint64(len(c.unseen)))*freshSize
		c.unseen[g] = at
	}
	return known(at)
}
