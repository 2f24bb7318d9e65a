package plan

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// Leaves says of a call that is bracketed as opaque whether it leaves traced code for a package
// that is left out.
type Leaves uint8

const (
	Stays    Leaves = iota // it does not
	Goes                   // it does
	MayLeave               // whether it does, the code that it enters tells
)

// Leaves says whether a call that is bracketed leaves traced code for a package that is left out;
// with Goes, for which, counted from 1.
func (p *Plan) Leaves(ip *Instr, c *ssa.CallCommon) (l Leaves, pkg int) {
	if !ip.Opaque {
		return Stays, 0
	}
	return p.leaves(ip.Target, c)
}

// LeavesLater says so of the call of a go or defer statement, and how it finds its callee.
func (p *Plan) LeavesLater(c *ssa.CallCommon) (l Leaves, pkg int, t Target) {
	if _, builtin := c.Value.(*ssa.Builtin); builtin {
		return Stays, 0, Static
	}
	if fn := c.StaticCallee(); p.Func(fn) != nil && direct(fn) {
		return Stays, 0, Static
	}
	t = target(c)
	l, pkg = p.leaves(t, c)
	return l, pkg, t
}

func (p *Plan) leaves(t Target, c *ssa.CallCommon) (l Leaves, pkg int) {
	if len(p.Missing.index) == 0 {
		return Stays, 0
	}
	if t != Static {
		return MayLeave, 0
	}
	callee := origin(c.StaticCallee())
	if callee == nil {
		return Stays, 0
	}
	obj, ok := callee.Object().(*types.Func)
	if !ok || obj.Pkg() == nil {
		return Stays, 0
	}
	if i, ok := p.Missing.index[obj.Pkg().Path()]; ok {
		return Goes, i + 1
	}
	return Stays, 0
}

// Runs returns the function value that a call of Typed runs if that may be code that is left out,
// else nil: the function of a sync.Once.
func (p *Plan) Runs(c *ssa.CallCommon) ssa.Value {
	fn := c.StaticCallee()
	if len(p.Missing.index) == 0 || !Typed(fn) || fn.Object().(*types.Func).FullName() != "(*sync.Once).Do" {
		return nil
	}
	v := c.Args[len(c.Args)-1]
	if f := codeOf(v); f != nil && p.Func(f) != nil && direct(f) {
		return nil
	}
	return v
}

// Rooted reports whether a call may use variables of the packages that are left out.
func (p *Plan) Rooted(c *ssa.CallCommon) bool {
	callee := origin(c.StaticCallee())
	if callee == nil {
		return p.Missing.dynamic
	}
	if !p.Missing.written[callee.String()] { // assembly, or a wrapper
		return p.Missing.dynamic || callee.Pkg == nil || p.Missing.hidden[callee.Pkg.Pkg.Path()]
	}
	return p.Missing.rooted[callee.String()]
}
