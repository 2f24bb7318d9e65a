package plan

import (
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// Leaves says whether a bracketed call leaves traced code for an excluded package.
type Leaves uint8

const (
	Stays Leaves = iota // it does not
	Goes                // it does
	// it does if the code that it enters is excluded, which is known at run time
	MayLeave
)

// Leaves says whether a bracketed call leaves traced code for an excluded package. If it Goes, pkg
// is the number of the package, counted from 1.
func (p *Plan) Leaves(ip *Instr, c *ssa.CallCommon) (l Leaves, pkg int) {
	if !ip.Opaque {
		return Stays, 0
	}
	return p.leaves(ip.Target, c)
}

// LeavesLater is Leaves for the call of a go or defer statement. It also returns how the call finds
// its callee.
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

// Runs returns the function value that a typed call executes, the argument of (*sync.Once).Do, if
// that may be excluded code. Otherwise it returns nil.
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

// Rooted reports whether a call may use roots: variables of the excluded packages.
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
