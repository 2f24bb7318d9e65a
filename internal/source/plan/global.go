package plan

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"
)

// Named reports whether the variable g of a package is only ever loaded from and stored to by its
// name, itself or by field and element, in functions that are instrumented, or when its package is
// initialised: nobody has its address, and every access of it has a site of g.
func (p *Plan) Named(g *ssa.Global) bool {
	p.naming.Do(p.findExposed)
	if g.Pkg == nil || p.exposed[g.Pkg.Pkg.Path()] || p.exposed[g.String()] {
		return false
	}
	return !token.IsExported(g.Name()) || g.Pkg.Pkg.Name() == "main"
}

// findExposed finds the variables that are not named, by name, and by path the packages that have
// functions without Go text.
func (p *Plan) findExposed() {
	p.exposed = map[string]bool{}
	for _, pkg := range p.Program.Packages {
		for fn := range allFunctions(pkg) {
			if fn.Pkg != pkg.SSA {
				continue
			}
			if _, declared := fn.Object().(*types.Func); declared && len(fn.Blocks) == 0 {
				p.exposed[pkg.SSA.Pkg.Path()] = true
			}
			known := p.Func(fn) != nil || fn == pkg.SSA.Func("init")
			for _, b := range fn.Blocks {
				for _, in := range b.Instrs {
					p.expose(in, known)
				}
			}
		}
	}
}

// expose notes the variables that in does more with than to access them, or any with if the
// function is not known.
func (p *Plan) expose(in ssa.Instruction, known bool) {
	for _, o := range in.Operands(nil) {
		if g, ok := (*o).(*ssa.Global); ok && !(known && accesses(in, g)) {
			p.exposed[g.String()] = true
		}
	}
}

// accesses reports whether in only loads from the address v or stores to it, or leads to
// instructions that do.
func accesses(in ssa.Instruction, v ssa.Value) bool {
	switch in := in.(type) {
	case *ssa.UnOp:
		return in.Op == token.MUL
	case *ssa.Store:
		return in.Val != v
	case *ssa.FieldAddr:
		return onlyAccessed(in)
	case *ssa.IndexAddr:
		return in.X == v && onlyAccessed(in)
	case *ssa.DebugRef:
		return true
	}
	return false
}
