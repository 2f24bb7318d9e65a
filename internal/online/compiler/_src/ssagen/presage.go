package ssagen

import (
	"cmd/compile/internal/base"
	"cmd/compile/internal/ir"
	"cmd/compile/internal/ssa"
	"cmd/compile/internal/typecheck"
	"cmd/compile/internal/types"
	"cmd/internal/obj"
	"cmd/internal/objabi"
	"strings"
)

// Calls of functions in assembly, which has no hooks (OC4).

// presageAssembly puts hooks in front of a call of a function in assembly. It reports whether the
// call has to be a cut: the function is given memory, and what it does to it is not known.
func (s *state) presageAssembly(n *ir.CallExpr, k callKind) (cut bool) {
	name, ok := n.Fun.(*ir.Name)
	if base.Debug.Presage == 0 || k != callNormal || n.Op() != ir.OCALLFUNC || !ok || name.Class != ir.PFUNC || name.Func == nil {
		return false
	}
	f := name.Func
	if f.ABI != obj.ABI0 || len(f.Body) > 0 || f.Pragma&ir.CgoUnsafeArgs != 0 || s.curfn.Pragma&ir.Norace != 0 {
		return false
	}
	if here := objabi.LookupPkgSpecial(base.Ctxt.Pkgpath); here.NoInstrument || here.NoRaceFunc || base.Ctxt.Pkgpath == "presagert" {
		return false
	}
	pkg := name.Sym().Pkg.Path
	if pkg == "" {
		pkg = base.Ctxt.Pkgpath
	}
	pkg = strings.TrimPrefix(pkg, "vendor/")
	accesses, known := presageAccesses[pkg+"."+name.Sym().Name]
	if !known || !presageFits(n, accesses) {
		if there := objabi.LookupPkgSpecial(pkg); there.NoInstrument || there.NoRaceFunc || presageRecorded[pkg] || !presageGiven(n) {
			return false
		}
		s.rtcall(typecheck.LookupRuntimeFunc("presageCalls"), true, nil)
		return true
	}
	if s.curfn.ABIWrapper() || s.instrumentMemory && base.PresageHooks(s.peekPos(), s.curfn.Sym().Pkg.Path, s.curfn.Sym().Name, false) {
		s.presageArguments(n, accesses)
	}
	return false
}

// presageFits reports whether the arguments of a call are as the table has them. Another version of
// a module may have other ones.
func presageFits(n *ir.CallExpr, accesses string) bool {
	if len(accesses) != len(n.Args) {
		return false
	}
	for i, arg := range n.Args {
		if t := arg.Type(); accesses[i] != '-' && !t.IsSlice() && !t.IsPtr() {
			return false
		}
	}
	return true
}

// presageGiven reports whether a call has a pointer among its arguments. Strings do not change.
func presageGiven(n *ir.CallExpr) bool {
	for _, arg := range n.Args {
		if t := arg.Type(); t.HasPointers() && !t.IsString() {
			return true
		}
	}
	return false
}

// presageArguments puts the hooks of known accesses.
func (s *state) presageArguments(n *ir.CallExpr, accesses string) {
	var first *ssa.Value // elements of the first slice
	for i, arg := range n.Args {
		access := accesses[i]
		if access == '-' {
			continue
		}
		t, v := arg.Type(), s.expr(arg)
		p, size := v, int64(0)
		bytes := s.constInt(types.Types[types.TUINTPTR], 0)
		if t.IsSlice() {
			p, size = s.newValue1(ssa.OpSlicePtr, types.NewPtr(t.Elem()), v), t.Elem().Size()
			count := s.newValue1(ssa.OpSliceLen, types.Types[types.TINT], v)
			if first == nil {
				first = count
			}
			if access == 'R' {
				count = first
			}
			bytes = s.newValue2(s.ssaOp(ir.OMUL, types.Types[types.TUINTPTR]), types.Types[types.TUINTPTR], count, s.constInt(types.Types[types.TUINTPTR], size))
		} else {
			bytes = s.constInt(types.Types[types.TUINTPTR], t.Elem().Size())
		}
		if access != 'w' {
			s.rtcall(ir.Syms.Racereadrange, true, nil, p, bytes)
		}
		if access == 'w' || access == 'u' {
			s.rtcall(ir.Syms.Racewriterange, true, nil, p, bytes)
		}
	}
}

// presageReturned ends a cut that presageAssembly has begun.
func (s *state) presageReturned(call *ssa.Value) {
	s.rtcall(typecheck.LookupRuntimeFunc("presageCalled"), true, nil)
	s.prevCall = call
}
