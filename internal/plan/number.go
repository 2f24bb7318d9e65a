package plan

import (
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"presage/internal/footprint"
	"presage/internal/trace"
)

// number gives sites to a function, its blocks, and those of its instructions that can
// write a record whatever is opaque elsewhere.
func (p *Plan) number(f *Func) {
	fn := f.SSA
	f.local = locals(fn)
	f.Defers = hasDefer(fn)
	d := newDescriber(f)
	f.Site = p.site(f, -1, -1, fn.Pos(), "", "")
	f.Blocks = make([]Block, len(fn.Blocks))
	last := fn.Pos()
	for i, b := range fn.Blocks {
		blk := &f.Blocks[i]
		blk.Instrs = make([]Instr, len(b.Instrs))
		blk.Site = p.site(f, i, -1, firstPos(b, last), "", "")
		for j, in := range b.Instrs {
			pos := instrPos(in)
			if pos.IsValid() {
				last = pos
			}
			blk.Instrs[j].Fused = fused(f.Unit.Pkg, in)
			if sited(in) || revealing(f.Unit.Pkg, in) {
				expr, object := d.describe(in)
				blk.Instrs[j].Site = p.site(f, i, j, last, expr, object)
				if load, ok := in.(*ssa.UnOp); p.prints == nil || ok && p.isPunned(load.X) { // its type says too little
					continue
				}
				if set, ok := p.prints.OfInstr(in); ok {
					p.Sites[blk.Instrs[j].Site].Touch = set.String()
				}
			}
		}
	}
}

// entered gives the site of a function, which its Enter and its Exit have, what no call has a record of: what wrappers load on their way to it
// (a footprint of effect none), and what its deferred calls of code outside may touch: they run before the Exit. That a function value or
// an interface leads to traced code, nothing tells. A go statement that calls an instrumented function touches nothing.
func (p *Plan) entered(f *Func) {
	if p.prints == nil {
		return
	}
	var texts []string
	if set := p.prints.OfEntry(f.SSA); len(set.Loads) > 0 {
		texts = append(texts, set.String())
	}
	for i, b := range f.SSA.Blocks {
		for j, in := range b.Instrs {
			if p.entersAtOnce(in) {
				p.Sites[f.Blocks[i].Instrs[j].Site].Touch = (&footprint.Set{Dynamic: true}).String()
			}
			d, ok := in.(*ssa.Defer)
			if !ok || TypedDefer(&d.Call) || p.Func(d.Call.StaticCallee()) != nil {
				continue
			}
			set, ok := p.prints.OfInstr(d)
			if l, pkg, _ := p.LeavesLater(&d.Call); l == Goes { // its MethodBegin has the rest
				set = p.Missing.calls(pkg)
			}
			if text := set.String(); ok && (set.Effect != footprint.None || set.State != "") && !slices.Contains(texts, text) {
				texts = append(texts, text)
			}
		}
	}
	p.Sites[f.Site].Touch = strings.Join(texts, "\n")
}

// entersAtOnce reports whether an instruction starts a goroutine that enters an instrumented function at once: a go statement, or a
// call of WaitGroup.Go, whose goroutine does nothing else but synchronise, which the runtime side records.
func (p *Plan) entersAtOnce(in ssa.Instruction) bool {
	switch in := in.(type) {
	case *ssa.Go:
		return p.Func(in.Call.StaticCallee()) != nil
	case *ssa.Call:
		return StartsFunc(in.Call.StaticCallee()) && p.Func(valueOf(in.Call.Args[1])) != nil
	}
	return false
}

// valueOf returns the function that calls of a function value call, nil if that is not known. That of a method value is
// the method, unless it is of an interface.
func valueOf(v ssa.Value) *ssa.Function {
	fn := codeOf(v)
	if fn != nil && strings.HasPrefix(fn.Synthetic, "bound") {
		if m, ok := fn.Object().(*types.Func); ok {
			return fn.Prog.FuncValue(m) // nil for a method of an interface
		}
	}
	return fn
}

// codeOf returns the function that a function value is of, nil if that is not known: of a method value the wrapper.
func codeOf(v ssa.Value) *ssa.Function {
	if c, ok := v.(*ssa.MakeClosure); ok {
		v = c.Fn
	}
	fn, _ := v.(*ssa.Function)
	return fn
}

func (p *Plan) site(f *Func, block, instr int, pos token.Pos, expr, object string) trace.Site {
	at := f.Unit.Pkg.Fset.PositionFor(pos, false)
	s := trace.Site(len(p.Sites))
	p.Sites = append(p.Sites, trace.SiteInfo{
		Func: f.ID, Block: int32(block), Instr: int32(instr),
		File: p.file(f.Unit.Pkg.FileName(f.Unit.File)), Line: int32(at.Line), Col: int32(at.Column),
		Expr: expr, Object: object,
	})
	return s
}

// hasDefer reports whether the function has deferred calls of its own. A loop body of a range over a
// function defers for the function around it.
func hasDefer(fn *ssa.Function) bool { return fn.Recover != nil }

// sited reports whether the instruction can write records. It must not depend on what is opaque.
func sited(in ssa.Instruction) bool {
	switch in := in.(type) {
	case *ssa.DebugRef, *ssa.Phi, *ssa.Jump, *ssa.If, *ssa.Return, *ssa.RunDefers, *ssa.Panic, *ssa.Extract, *ssa.Range,
		*ssa.ChangeType, *ssa.Field:
		return false
	case *ssa.FieldAddr, *ssa.IndexAddr, *ssa.Slice, *ssa.SliceToArrayPointer:
		return false
	case *ssa.Call:
		if b, ok := in.Call.Value.(*ssa.Builtin); ok {
			switch b.Name() {
			case "ssa:wrapnilchk", "ssa:deferstack", "print", "println":
				return false
			}
		}
	}
	return true
}

// revealing reports whether in is the first address or value of a chain of fused instructions that the emitted
// program has: it is recorded, because the walker lost track (R11).
func revealing(pkg *Package, in ssa.Instruction) bool {
	if fused(pkg, in) {
		return false
	}
	var x ssa.Value
	switch in := in.(type) {
	case *ssa.FieldAddr:
		x = in.X
	case *ssa.Field:
		x = in.X
	}
	xi, ok := x.(ssa.Instruction)
	return ok && fused(pkg, xi)
}

func firstPos(b *ssa.BasicBlock, last token.Pos) token.Pos {
	for _, in := range b.Instrs {
		if pos := instrPos(in); pos.IsValid() {
			return pos
		}
	}
	return last
}

// instrPos returns the position of an instruction, or of the address it accesses.
func instrPos(in ssa.Instruction) token.Pos {
	if pos := in.Pos(); pos.IsValid() {
		return pos
	}
	switch in := in.(type) {
	case *ssa.UnOp:
		return in.X.Pos()
	case *ssa.Store:
		if fa, ok := in.Addr.(*ssa.FieldAddr); ok {
			return fa.Pos()
		}
		if ia, ok := in.Addr.(*ssa.IndexAddr); ok {
			return ia.Pos()
		}
	}
	return token.NoPos
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
