package plan

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"presage/internal/footprint"
)

// Masks of calls: what the code of a missing method can touch (package footprint, D1 to D8).

// Mask is what the code of a call can touch.
type Mask = footprint.Mask

// EveryLine is the text of a mask that is everything.
const EveryLine = footprint.EveryLine

// masks finds the masks of a program.
type masks struct {
	around *footprint.Masker // of traced functions, one at a time
	left   *footprint.Masker // of packages that are left out
	bodies map[string]*ssa.Function
}

func (p *Plan) newMasks() *masks {
	m := &masks{bodies: map[string]*ssa.Function{}}
	for _, pkg := range p.Missing.Packages {
		for _, fn := range functionsOf(pkg) {
			m.bodies[fn.String()] = fn
		}
	}
	body := func(fn *ssa.Function) *ssa.Function { return m.bodies[origin(fn).String()] }
	m.left = &footprint.Masker{Program: p.prints, Traced: p.isTraced, Body: body}
	m.around = &footprint.Masker{Program: p.prints, Traced: p.silent, Body: func(*ssa.Function) *ssa.Function { return nil }}
	return m
}

// isTraced says of a call in code that is left out whether what it does is recorded by itself.
func (p *Plan) isTraced(in ssa.CallInstruction) bool {
	callee := in.Common().StaticCallee()
	return Typed(callee) || Idle(in.Common()) || p.Func(callee) != nil && direct(callee)
}

// silent says of a call in a traced function whether it touches no memory that is not recorded by itself.
func (p *Plan) silent(in ssa.CallInstruction) bool {
	if p.isTraced(in) {
		return true
	}
	set, ok := p.prints.OfInstr(in)
	return ok && set.Effect == footprint.None && len(set.Loads) == 0
}

// MaskAround is the mask of a function that Around is true of.
func (p *Plan) MaskAround(f *Func) *Mask { return p.masks.around.Of(f.SSA) }

// Mask is that of a call that Goes to a package that is left out.
func (p *Plan) Mask(c *ssa.CallCommon) *Mask {
	fn := origin(c.StaticCallee())
	if obj, ok := fn.Object().(*types.Func); ok && p.masks.bodies[fn.String()] == nil {
		return &Mask{Why: obj.FullName() + " is not written in Go"}
	}
	return p.masks.left.Of(p.masks.bodies[fn.String()])
}
