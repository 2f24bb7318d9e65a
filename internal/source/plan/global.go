package plan

import (
	"go/token"
	"go/types"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// Named reports whether the variable g of a package is only ever loaded from and stored to by its
// name, itself or by field and element, in functions that are instrumented, or when its package is
// initialised. Then its address is not available elsewhere, and every access of it has a site of g.
func (p *Plan) Named(g *ssa.Global) bool {
	if g.Pkg == nil || p.exposure(g) != 0 {
		return false
	}
	return !token.IsExported(g.Name()) || g.Pkg.Pkg.Name() == "main"
}

// Watchable reports whether code without access hooks can access the variable g of a package only
// by an address that Go code has taken: neither assembly of the package nor another package has a
// name of it.
func (p *Plan) Watchable(g *ssa.Global) bool { return g.Pkg != nil && p.exposure(g)&byName == 0 }

func (p *Plan) exposure(g *ssa.Global) exposure {
	p.naming.Do(func() { p.exposed = findExposed(p) })
	return p.exposed[g.Pkg.Pkg.Path()] | p.exposed[g.String()]
}

// exposure is how other code may access a variable.
type exposure uint8

const (
	byAddress exposure = 1 << iota
	byName
)

// exposed has the exposure of variables, by name, and by path of the packages that have functions
// without Go text.
type exposed map[string]exposure

func findExposed(p *Plan) exposed {
	found := exposed{}
	for _, pkg := range p.Program.Packages {
		found.linked(pkg)
		for fn := range allFunctions(pkg) {
			if fn.Pkg != pkg.SSA {
				continue
			}
			if _, declared := fn.Object().(*types.Func); declared && len(fn.Blocks) == 0 {
				found[pkg.SSA.Pkg.Path()] |= byName
			}
			known := p.Func(fn) != nil || fn == pkg.SSA.Func("init")
			instructions(fn, func(in ssa.Instruction) { found.expose(in, known) })
		}
	}
	return found
}

// linked adds the variables that the linker gives another name, by which other code may access
// them, and those that they stand for.
func (e exposed) linked(pkg *Package) {
	for _, file := range pkg.Syntax {
		for _, group := range file.Comments {
			for _, c := range group.List {
				words := strings.Fields(c.Text)
				if len(words) < 2 || words[0] != "//go:linkname" {
					continue
				}
				e[pkg.SSA.Pkg.Path()+"."+words[1]] |= byName
				if len(words) > 2 {
					e[words[2]] |= byName
				}
			}
		}
	}
}

// expose adds the variables that in uses other than by an access. If the function is not known, it
// adds all variables that in uses.
func (e exposed) expose(in ssa.Instruction, known bool) {
	for _, o := range in.Operands(nil) {
		if g, ok := (*o).(*ssa.Global); ok && !(known && accesses(in, g)) {
			e[g.String()] |= byAddress
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
		return onlyAccessed(in, never)
	case *ssa.IndexAddr:
		return in.X == v && onlyAccessed(in, never)
	case *ssa.DebugRef:
		return true
	}
	return false
}
