package walk

import (
	"go/types"

	"github.com/presage-race/presage/internal/predict/expr"
	"github.com/presage-race/presage/internal/predict/window"
	"golang.org/x/tools/go/ssa"
)

// inBounds executes an index or slice expression of a string that rests on reads. ok is false if in is none.
func (p *path) inBounds(in *instr) (going, ok bool) {
	switch in.in.(type) {
	case *ssa.Index, *ssa.Slice:
	default:
		return false, false
	}
	if in.kind != types.String {
		return false, false
	}
	terms := make([]*term, len(in.args))
	symbolic := false
	for i := range in.args {
		s := p.val(&in.args[i])
		terms[i] = s.term()
		symbolic = symbolic || s.symbolic()
	}
	c := bounds(in, terms)
	if !symbolic || c == nil || tooLarge(c) {
		return false, false
	}
	if !p.assured(c) {
		return p.stop("panic"), true
	}
	if t := p.frame.code.express(in, terms); t != nil {
		return p.next(in, bounded(t.valued())), true
	}
	return p.next(in, sval{}), true
}

// assured makes a condition a guard of what comes next. False: it never holds.
func (p *path) assured(c *expr.Expr) bool {
	if len(c.Reads()) > 0 {
		p.guards = append(p.guards, window.FlowGuard{Term: c, Want: 1})
		return true
	}
	return amounts(c, 1, mask(8))
}

// std executes a call of the library in an alternative. That it does not panic is a guard of what comes next.
func (p *path) std(in *instr) bool {
	terms := make([]*term, len(in.std.args))
	for i := range terms {
		s := p.val(&in.std.args[i])
		terms[i] = s.term()
	}
	results := in.std.express(p.frame.code.texts, terms)
	if in.std.f.Panics {
		c := in.std.returned(results)
		if c == nil {
			return p.stop("unknown-argument")
		}
		if !p.assured(c) {
			return p.stop("panic")
		}
	}
	for i, t := range results {
		p.frame.regs[in.reg+int32(i)] = sval{}
		if t != nil {
			p.frame.regs[in.reg+int32(i)] = bounded(t.valued())
		}
	}
	p.frame.ip++
	return true
}
