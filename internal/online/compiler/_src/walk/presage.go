package walk

import (
	"cmd/compile/internal/base"
	"cmd/compile/internal/ir"
	"cmd/internal/src"
)

// presageInstruments reports whether the code of a node is instrumented (OC2). In a package
// compiled with -race all of it is.
func presageInstruments(n ir.Node) bool {
	if base.Debug.Presage <= 1 {
		return base.Flag.Cfg.Instrumenting
	}
	return ir.CurFunc == nil || base.PresageHooks(n.Pos(), ir.CurFunc.Sym().Pkg.Path, ir.CurFunc.Sym().Name, ir.CurFunc.Dupok())
}

// presageClears reports whether a clear of a slice has a hook. The race detector has none.
func presageClears(pos src.XPos) bool {
	if base.Debug.Presage == 0 || base.Debug.Presage == 1 && !base.Flag.Cfg.Instrumenting || base.Flag.CompilingRuntime {
		return false
	}
	return ir.CurFunc != nil && ir.CurFunc.Pragma&ir.Norace == 0 && base.PresageHooks(pos, ir.CurFunc.Sym().Pkg.Path, ir.CurFunc.Sym().Name, ir.CurFunc.Dupok())
}
