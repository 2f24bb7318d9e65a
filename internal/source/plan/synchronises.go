package plan

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/presage-race/presage/internal/trace"
)

// Around reports whether the memory that f can reach is recorded when f is entered. That holds for
// functions with a synchronisation operation of their own, if Config.Around is set.
func (p *Plan) Around(f *Func) bool {
	return p.Program.Around && f.Synchronises()
}

// Synchronises reports whether a function has an operation of synchronisation of its own.
func (f *Func) Synchronises() bool { return f.some(synchronises) }

// Waits reports whether a function has a synchronisation operation of its own other than an atomic
// access.
func (f *Func) Waits() bool {
	return f.some(func(in ssa.Instruction) bool { return synchronises(in) && !atomic(in) })
}

func (f *Func) some(is func(ssa.Instruction) bool) bool {
	some := false
	instructions(f.SSA, func(in ssa.Instruction) { some = some || is(in) })
	return some
}

// atomic reports whether an instruction is, or defers, a call of a function of sync/atomic.
func atomic(in ssa.Instruction) bool {
	call, ok := in.(ssa.CallInstruction)
	if !ok || call.Common().StaticCallee() == nil {
		return false
	}
	obj := origin(call.Common().StaticCallee()).Object()
	return obj != nil && obj.Pkg() != nil && obj.Pkg().Path() == "sync/atomic"
}

// SynchronisesAt reports whether a site is that of a synchronisation operation.
func (p *Plan) SynchronisesAt(s trace.Site) bool {
	f, b, i := p.FuncAt(s)
	return f != nil && i >= 0 && synchronises(f.SSA.Blocks[b].Instrs[i])
}

func synchronises(in ssa.Instruction) bool {
	switch in := in.(type) {
	case *ssa.Send, *ssa.Select, *ssa.Go:
		return true
	case *ssa.UnOp:
		return in.Op == token.ARROW
	case *ssa.Defer:
		return TypedDefer(&in.Call)
	case *ssa.Call:
		b, ok := in.Call.Value.(*ssa.Builtin)
		return ok && b.Name() == "close" || Typed(in.Call.StaticCallee())
	}
	return false
}

// Variables are the package-level variables that f uses and that text in its package can name.
func (f *Func) Variables() []*ssa.Global {
	var list []*ssa.Global
	instructions(f.SSA, func(in ssa.Instruction) {
		for _, o := range in.Operands(nil) {
			g, ok := (*o).(*ssa.Global)
			if ok && g.Name() != "_" && (token.IsExported(g.Name()) || g.Pkg == f.SSA.Pkg) && g.Object() != nil && !slices.Contains(list, g) {
				list = append(list, g)
			}
		}
	})
	return list
}
