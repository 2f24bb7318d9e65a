package plan

import (
	"go/types"
	"maps"
	"slices"

	"golang.org/x/tools/go/ssa"

	"presage/internal/footprint"
)

// Masks of calls: what the code of a missing method can touch (package footprint, D1 to D10).

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
			p.prints.AddMissing(fn)
		}
	}
	body := func(fn *ssa.Function) *ssa.Function { return m.bodies[origin(fn).String()] }
	m.left = &footprint.Masker{Program: p.prints, Traced: p.isTraced, Body: body, Code: p.code}
	for _, s := range slices.Sorted(maps.Keys(m.bodies)) {
		m.left.Bodies = append(m.left.Bodies, m.bodies[s])
	}
	for _, pkg := range p.Missing.Packages {
		m.left.Types = append(m.left.Types, declared(pkg)...)
	}
	p.prints.Says(m.left.Says())
	m.around = &footprint.Masker{Program: p.prints, Traced: p.silent, Body: func(*ssa.Function) *ssa.Function { return nil }, Code: p.code, Told: true, Value: p.isValue}
	return m
}

// code returns all functions that are there, traced, left out, and wrappers.
func (p *Plan) code() (list []*ssa.Function) {
	seen := map[*ssa.Program]bool{}
	for _, pkg := range slices.Concat(p.Program.Packages, p.Missing.Packages) {
		if pkg.SSA == nil || seen[pkg.SSA.Prog] {
			continue
		}
		seen[pkg.SSA.Prog] = true
		for fn := range allFunctions(pkg) {
			if len(fn.Blocks) > 0 {
				list = append(list, fn)
			}
		}
	}
	return list
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
	return ok && set.Effect == footprint.None && len(set.Loads) == 0 && set.Sees == footprint.NoGoroutines
}

// isValue says of an address in a traced function whether it is in a captured variable that is a value (R13).
func (p *Plan) isValue(addr ssa.Value) bool {
	for {
		switch x := addr.(type) {
		case *ssa.FieldAddr:
			addr = x.X
		case *ssa.IndexAddr:
			addr = x.X
		case *ssa.FreeVar:
			f := p.Func(x.Parent())
			return f != nil && f.bound[x]
		default:
			return false
		}
	}
}

// MaskAround is the mask of a function that Around is true of.
func (p *Plan) MaskAround(f *Func) *Mask { return p.masks.around.Of(f.SSA) }

// declared returns the types that a package declares, also in functions, in their order.
func declared(pkg *Package) (list []*types.Named) {
	for _, obj := range pkg.TypesInfo.Defs {
		if t, ok := obj.(*types.TypeName); ok && !t.IsAlias() {
			if n, ok := t.Type().(*types.Named); ok {
				list = append(list, n)
			}
		}
	}
	slices.SortFunc(list, func(a, b *types.Named) int { return int(a.Obj().Pos()) - int(b.Obj().Pos()) })
	return list
}

// MaskOfAny is that of a call of which only the run tells that it goes to a package that is left out.
func (p *Plan) MaskOfAny(c *ssa.CallCommon) *Mask {
	switch {
	case !c.IsInvoke(): // what a function value has captured has no types
		return &Mask{Why: "the callee is not known"}
	case len(p.Missing.hidden) > 0:
		return &Mask{Why: "not all code that is left out is written in Go"}
	}
	return p.masks.left.OfCall(c)
}

// Mask is that of a call that Goes to a package that is left out.
func (p *Plan) Mask(c *ssa.CallCommon) *Mask {
	fn := origin(c.StaticCallee())
	if obj, ok := fn.Object().(*types.Func); ok && p.masks.bodies[fn.String()] == nil {
		return &Mask{Why: obj.FullName() + " is not written in Go"}
	}
	var given []*ssa.Function
	for _, a := range c.Args {
		if f, ok := a.(*ssa.Function); ok {
			switch body := p.masks.bodies[origin(f).String()]; {
			case body != nil:
				given = append(given, body)
			case p.Func(f) == nil || !direct(f):
				return &footprint.Mask{Why: "it is given " + f.String()}
			}
		}
	}
	return p.masks.left.Of(p.masks.bodies[fn.String()], given...)
}

// footprints collects what footprints need to know of the whole program.
func (p *Plan) footprints() *footprint.Program {
	f := footprint.NewProgram(p.Packages, p.Missing.paths())
	ours := !slices.ContainsFunc(p.Program.Packages, func(pkg *Package) bool { return pkg.Module != nil && !pkg.Module.Main })
	for _, pkg := range p.Program.Packages {
		f.Instances(pkg.TypesInfo)
		for path, dep := range pkg.Deps {
			f.Import(path, dep.Imports(), ours)
		}
		if init := pkg.SSA.Func("init"); init != nil {
			f.Add(init)
		}
	}
	for _, fn := range p.funcs {
		f.Add(fn.SSA)
	}
	return f
}
