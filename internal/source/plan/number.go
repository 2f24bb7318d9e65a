package plan

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"
)

// number gives sites to a function, its blocks, and those of its instructions that can
// write a record whatever is opaque elsewhere.
func (b *builder) number(f *Func) {
	fn := f.SSA
	f.local = locals(fn)
	b.numbers.variables(f)
	f.Defers = hasDefer(fn)
	d := newDescriber(f)
	f.Site = b.site(f, -1, -1, fn.Pos(), "", "")
	f.Blocks = make([]Block, len(fn.Blocks))
	last := fn.Pos()
	for i, fb := range fn.Blocks {
		blk := &f.Blocks[i]
		blk.Instrs = make([]Instr, len(fb.Instrs))
		blk.Site = b.site(f, i, -1, firstPos(fb, last), "", "")
		for j, in := range fb.Instrs {
			pos := instrPos(in)
			if pos.IsValid() {
				last = pos
			}
			blk.Instrs[j].Fused = f.Fused(in)
			blk.Instrs[j].Check = f.Unit.Pkg.checksOnly(in)
			if sited(in) || revealing(f.Unit.Pkg, in) {
				expr, object := d.describe(in)
				blk.Instrs[j].Site = b.site(f, i, j, last, expr, object)
				b.plan.Sites[blk.Instrs[j].Site].Apart = b.plan.apart(in)
			}
		}
	}
}

// apart reports whether a call is Apart, or an instruction starts a goroutine that enters an
// instrumented function at once: a go statement, or a call of WaitGroup.Go, whose goroutine does
// nothing else but synchronise.
func (p *Plan) apart(in ssa.Instruction) bool {
	switch in := in.(type) {
	case *ssa.Call:
		if fn := in.Call.StaticCallee(); Typed(fn) {
			return fn.String() == "(*sync.WaitGroup).Go" && p.enters(codeOf(in.Call.Args[1]))
		}
		return Apart(&in.Call)
	case *ssa.Go:
		return p.enters(in.Call.StaticCallee())
	}
	return false
}

// enters reports whether a call of fn enters an instrumented function at once.
func (p *Plan) enters(fn *ssa.Function) bool { return p.Func(fn) != nil && direct(fn) }

// defersOutside reports whether fn may defer calls of outside code: others than of typed operations
// and instrumented functions. A loop body of a range over a function defers for the function around
// it.
func (p *Plan) defersOutside(fn *ssa.Function) bool {
	some := false
	instructions(fn, func(in ssa.Instruction) {
		d, ok := in.(*ssa.Defer)
		some = some || ok && !TypedDefer(&d.Call) && p.Func(d.Call.StaticCallee()) == nil
	})
	return some || slices.ContainsFunc(fn.AnonFuncs, func(lit *ssa.Function) bool { return lit.Synthetic != "" && p.defersOutside(lit) })
}

// codeOf returns the function that a function value is of, nil if that is not known: of a method
// value the wrapper.
func codeOf(v ssa.Value) *ssa.Function {
	if c, ok := v.(*ssa.MakeClosure); ok {
		v = c.Fn
	}
	fn, _ := v.(*ssa.Function)
	return fn
}

// hasDefer reports whether the function has deferred calls of its own. A loop body of a range over
// a function defers for the function around it.
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

// revealing reports whether in is the first address or value of a chain of fused instructions that
// the emitted program has: it is recorded, because the walker does not know its operand (PL1).
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
