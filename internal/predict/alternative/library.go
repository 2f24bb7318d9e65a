package alternative

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/predict/expr"
	"github.com/presage-race/presage/internal/predict/flow"
	"github.com/presage-race/presage/internal/predict/goval"
	"github.com/presage-race/presage/internal/predict/regcode"
)

// inBounds executes an index or slice expression of a string that depends on reads. ok is false if
// in is no such expression.
func (p *path) inBounds(in *regcode.Instr) (going, ok bool) {
	switch in.SSA.(type) {
	case *ssa.Index, *ssa.Slice:
	default:
		return false, false
	}
	if in.Kind != types.String {
		return false, false
	}
	terms := make([]*goval.Term, len(in.Args))
	symbolic := false
	for i := range in.Args {
		s := p.val(&in.Args[i])
		terms[i] = s.term()
		symbolic = symbolic || s.symbolic()
	}
	c := regcode.StringBounds(in, terms)
	if !symbolic || c == nil || goval.TooLarge(c) {
		return false, false
	}
	if !p.assured(c) {
		return p.stop("panic"), true
	}
	if t := p.frame.Code.Express(in, terms); t != nil {
		return p.next(in, bounded(t.Valued())), true
	}
	return p.next(in, Value{}), true
}

// assured makes a condition a guard of the next step. It returns false if the condition never
// holds.
func (p *path) assured(c *expr.Expr) bool {
	if len(c.Reads()) > 0 {
		p.guards = append(p.guards, flow.Guard{Term: c, Want: 1})
		return true
	}
	return goval.RecordedIs(c, 1, goval.Mask(8))
}

// std executes a call of the library. That it does not panic is a guard of the next step.
func (p *path) std(in *regcode.Instr) bool {
	terms := make([]*goval.Term, len(in.Std.Args))
	for i := range terms {
		s := p.val(&in.Std.Args[i])
		terms[i] = s.term()
	}
	results := in.Std.Express(p.frame.Code.Texts, terms)
	if in.Std.Fn.Panics {
		c := in.Std.Returned(results)
		if c == nil {
			return p.stop("unknown-argument")
		}
		if !p.assured(c) {
			return p.stop("panic")
		}
	}
	for i, t := range results {
		p.frame.Regs[in.Reg+int32(i)] = Value{}
		if t != nil {
			p.frame.Regs[in.Reg+int32(i)] = bounded(t.Valued())
		}
	}
	p.frame.IP++
	return true
}
